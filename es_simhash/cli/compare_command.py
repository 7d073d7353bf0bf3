"""`es-simhash files compare`: compare two files, without a cluster."""

from pathlib import Path

import click
from rich.console import Console

from es_simhash.cli.changes_output import changes_format_option, compared_page, print_changes
from es_simhash.cli.files import read_text, require_page_file, write_page
from es_simhash.cli.options import passage_order_option, scheme_option, vocabulary_option
from es_simhash.cli.output import print_json
from es_simhash.cli.relation_tables import print_pair
from es_simhash.differences.text_changes import changes
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.relation.text_comparison import compare as compare_texts
from es_simhash.store.indexed_methods import require_lab

# Of what two files share.
_FORMATS = ("table", "json")


@click.command()
@click.argument("a")
@click.argument("b")
@scheme_option
@vocabulary_option
@passage_order_option
@click.option(
    "--method",
    help="Print the score of a method alone, such as token-simhash; `es-simhash lab evaluate "
    "--help` names them all. A and B may be fingerprints that `es-simhash files fingerprint "
    "--scheme METHOD` printed.",
)
@click.option("--changes", "wants_changes", is_flag=True, help="Show what changed from A to B.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write both texts side by side as one HTML file.",
)
@changes_format_option
def compare(
    a: str,
    b: str,
    scheme: str,
    vocabulary: str | None,
    passage_order: str,
    method: str | None,
    wants_changes: bool,
    html: Path | None,
    output_format: str,
) -> None:
    """Compare file A with file B and show what they share, or what changed.

    A is the query and B the hit: `contains` means that A contains B. With --changes, A is the older
    text and B the newer; --format text, diff and html are for changes.
    """
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
        require_page_file(html, "html")
    text_a, text_b = read_text(a), read_text(b)
    found = changes(text_a, text_b) if wants_changes or html is not None else None
    if found is not None and html is not None:
        write_page(html, compared_page(found, a, b), "html")
    if found is not None and wants_changes:
        print_changes(found, a, b, output_format)
        return
    relation = compare_texts(text_a, text_b, scheme=Scheme.parse(scheme), vocabulary=vocabulary)
    if passage_order == "place":
        relation = relation.by_place()
    if output_format == "json":
        print_json(relation.to_dict())
        return
    print_pair(a, b, relation, Console())
