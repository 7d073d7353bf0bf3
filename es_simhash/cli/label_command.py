"""`es-simhash lab label`: pairs of documents of an index, labelled by a person."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.changes_output import console_of
from es_simhash.cli.labelling import Labelling, answer_keys
from es_simhash.cli.options import (
    client_of,
    connection_options,
    index_config,
    note_overrides,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import listed
from es_simhash.lab.evaluation.label_file import LabelFile
from es_simhash.lab.evaluation.sampled_pairs import MAX_SAMPLE, SAMPLE, related_pairs
from es_simhash.lab.evaluation.useful_pairs import PER_FAMILY, OfferedPair, most_useful
from es_simhash.questions.index import open_index
from es_simhash.store.fields import DEFAULT_FIELD

_MAX_LISTED = 5
_MAX_SEED = (1 << 31) - 1


@click.command()
@click.argument("index")
@click.option(
    "--labels",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of labelled pairs to write or to go on with: TSV, .csv or .jsonl.",
)
@click.option(
    "--sample",
    type=click.IntRange(1, MAX_SAMPLE),
    default=SAMPLE,
    show_default=True,
    help="Number of random documents whose related documents are offered.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, _MAX_SEED),
    default=1,
    show_default=True,
    help="Seed of the sample and of the order.",
)
@click.option(
    "--per-family",
    type=click.IntRange(1),
    default=PER_FAMILY,
    show_default=True,
    help="Maximum number of pairs of one family in each of four ranges of scores.",
)
@click.option(
    "--show-scores", is_flag=True, help="Show kind and score before the answer, not after it."
)
@text_field_option
@simhash_field_option
@connection_options
def label(
    index: str,
    labels: Path,
    sample: int,
    seed: int,
    per_family: int,
    show_scores: bool,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Label pairs of documents of INDEX, the most useful first.

    Shows two documents side by side, and writes the answer to a file of labelled pairs that
    `es-simhash lab evaluate` reads. Unsure pairs, near the score where versions begin, take turns
    with sure ones. Keys: v version, n not, s skip, u undo the last, m more text, q quit; from a
    pipe, one a line. Each answer is in the file at once, and pairs of the file are not offered
    again.
    """
    keys = answer_keys()
    with LabelFile(labels) as file, client_of(**connection) as client:
        config = index_config(text_field, simhash_field)
        note_overrides(client, index, config)
        searched = open_index(client, index, config)
        found = related_pairs(
            searched,
            sample=sample,
            seed=seed,
            progress=_print_progress if sys.stderr.isatty() else None,
        )
        if found.unreadable:
            click.echo(
                f"{len(found.unreadable)} of {found.documents} documents left out, which cannot be "
                f"read: {listed(found.unreadable, _MAX_LISTED)}. Run `es-simhash doctor {index}`.",
                err=True,
            )
        useful = most_useful(found.pairs, seed=seed, per_family=per_family)
        pairs = _new_pairs(useful, file)
        labelling = Labelling(file, searched.changes, keys, console_of("table"), show_scores)
        left = labelling.run(pairs)
        known = file.labels
    offered_before = sum(pair.ids in known for pair in useful)
    if not pairs and offered_before:
        click.echo(
            f"All {offered_before} pairs of this sample are labelled. Use another --seed or a "
            "larger --sample for more."
        )
    versions = sum(labelling.labelled.values())
    click.echo(
        f"Labelled {len(labelling.labelled)} pairs ({versions} versions, "
        f"{len(labelling.labelled) - versions} others); {left} are left."
    )
    _print_next(labels, index, known.values(), _field_options(text_field, simhash_field))


def _print_progress(done: int, total: int) -> None:
    end = "\n" if done == total else "\r"
    click.echo(f"{done} of {total} documents searched{end}", nl=False, err=True)


def _new_pairs(pairs: Sequence[OfferedPair], file: LabelFile) -> list[OfferedPair]:
    """Return the pairs that the file does not have yet, and can have."""
    known = file.labels
    new = [pair for pair in pairs if pair.ids not in known]
    fitting = [pair for pair in new if file.can_hold(pair.ids)]
    if len(fitting) < len(new):
        one = next(pair for pair in new if not file.can_hold(pair.ids))
        click.echo(
            f"{len(new) - len(fitting)} pairs left out, whose ids {file.format} cannot hold, such "
            f"as {one.ids[0]!r} and {one.ids[1]!r}. Name a file that ends in .jsonl.",
            err=True,
        )
    return fitting


def _print_next(file: Path, index: str, labels: Any, options: Sequence[str]) -> None:
    """Print the command that evaluates the file, or what it still needs."""
    different = set(labels)
    if len(different) == 2:
        evaluate = ["es-simhash", "lab", "evaluate", str(file), "--index", index]
        command = shlex.join([*evaluate, *options])
        click.echo(f"Next: {command}")
    elif different:
        lacking = "not versions" if different == {True} else "versions"
        click.echo(f"To evaluate, label pairs that are {lacking} as well.")


def _field_options(text_field: str | None, simhash_field: str) -> list[str]:
    options = [] if text_field is None else ["--text-field", text_field]
    return (
        options if simhash_field == DEFAULT_FIELD else [*options, "--simhash-field", simhash_field]
    )
