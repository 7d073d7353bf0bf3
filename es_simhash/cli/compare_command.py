"""`es-simhash files compare`: compare two files, without a cluster."""

from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.changes_output import ChangesFormat, are_compared, print_changes
from es_simhash.cli.commands import command
from es_simhash.cli.files import read_text, require_writable, write_file
from es_simhash.cli.options import PassageOrder, VocabularyFile
from es_simhash.cli.relation_tables import print_relation
from es_simhash.constraints import constraints
from es_simhash.differences.rendering.comparison_page import changes_html
from es_simhash.differences.text_changes import changes
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.text_comparison import compare as compare_texts
from es_simhash.store.indexed_methods import require_lab

# Of what two files share.
_FORMATS = ("table", "json")


@command
def compare(
    a: str,
    b: str,
    *,
    scheme: str = DEFAULT.name,
    vocabulary: VocabularyFile = None,
    passage_order: PassageOrder = "weight",
    method: str | None = None,
    wants_changes: Annotated[bool, constraints(called="changes")] = False,
    html: Path | None = None,
    output_format: ChangesFormat = "table",
) -> None:
    """Compare file A with file B and show what they share, or what changed.

    A is the query and B the hit: `contains` means that A contains B. With --changes, A is the older
    text and B the newer; --format text, diff and html are for changes.

    Args:
        scheme: Published name of the fingerprint scheme.
        method: Print the score of a method alone, such as token-simhash; `es-simhash lab evaluate
            --help` names them all. A and B may be fingerprints that `es-simhash files fingerprint
            --scheme METHOD` printed.
        wants_changes: Show what changed from A to B.
        html: Also write both texts side by side as one HTML file.
    """
    if a == b == "-":
        raise click.UsageError("- can be one of A and B: standard input is read once.")
    if not wants_changes and output_format not in _FORMATS:
        raise click.UsageError(f"--format {output_format} shows changes; add --changes.")
    if method is not None:
        if wants_changes or html is not None:
            raise click.UsageError("--method prints a score; omit --changes and --html.")
        require_lab()
        from es_simhash.cli.method_comparison import print_method_comparison

        print_method_comparison(a, b, method, output_format)
        return
    if html is not None:
        require_writable(html, "html")
    text_a, text_b = read_text(a), read_text(b)
    chosen = chosen_scheme(scheme)
    if wants_changes or html is not None:
        found, relation = changes(text_a, text_b), None
        if are_compared(found):
            relation = compare_texts(text_a, text_b, scheme=chosen, semantics=None)
        if html is not None:
            write_file(html, changes_html(found, a, b, relation), "html")
        if wants_changes:
            print_changes(found, a, b, output_format, relation)
            return
    relation = compare_texts(text_a, text_b, scheme=chosen, vocabulary=vocabulary)
    print_relation(a, b, relation, passage_order, output_format)
