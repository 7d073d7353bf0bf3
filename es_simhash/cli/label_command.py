"""`es-simhash lab label`: pairs of documents of an index, labelled by a person."""

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import click

from es_simhash.cli.changes_output import console_of
from es_simhash.cli.commands import command
from es_simhash.cli.labelling import Labelling, answer_keys
from es_simhash.cli.options import Target, TextTarget
from es_simhash.cli.output import listed
from es_simhash.cli.progress import progress_bar
from es_simhash.constraints import constraints
from es_simhash.lab.evaluation.label_file import LabelFile
from es_simhash.lab.evaluation.sampled_pairs import MAX_SAMPLE, SAMPLE, related_pairs
from es_simhash.lab.evaluation.useful_pairs import PER_FAMILY, OfferedPair, most_useful
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.text.counting import counted, plural

_MAX_LISTED = 5
_MAX_SEED = (1 << 31) - 1


@command
def label(
    target: TextTarget,
    *,
    labels: Path,
    sample: Annotated[int, constraints(1, MAX_SAMPLE)] = SAMPLE,
    seed: Annotated[int, constraints(0, _MAX_SEED)] = 1,
    per_family: Annotated[int, constraints(1)] = PER_FAMILY,
    show_scores: bool = False,
) -> None:
    """Label pairs of documents of INDEX, the most useful first.

    Shows two documents side by side, and writes the answer to a file of labelled pairs that
    `es-simhash lab evaluate` reads. Unsure pairs, near the score where versions begin, take turns
    with sure ones. Keys: v version, n not, s skip, u undo the last, m more text, q quit; from a
    pipe, one a line. Each answer is in the file at once, and pairs of the file are not offered
    again.

    Args:
        labels: File of labelled pairs to write or to go on with: TSV, .csv or .jsonl.
        sample: Number of random documents whose related documents are offered.
        seed: Seed of the sample and of the order.
        per_family: Maximum number of pairs of one family in each of four ranges of scores.
        show_scores: Show kind and score before the answer, not after it.
    """
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import opened

    keys = answer_keys()
    with LabelFile(labels) as file, opened(target) as searched:
        with progress_bar() as progress:
            found = related_pairs(searched, sample=sample, seed=seed, progress=progress)
        if found.unreadable:
            click.echo(
                f"{len(found.unreadable)} of {counted(found.documents, 'document')} left out, "
                f"which cannot be read: {listed(found.unreadable, _MAX_LISTED)}. "
                f"Run `es-simhash doctor {target.index}`.",
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
            f"All {counted(offered_before, 'pair')} of this sample "
            f"{plural(offered_before, 'is', 'are')} labelled. Use another --seed or a "
            "larger --sample for more."
        )
    versions = sum(labelling.labelled.values())
    others = len(labelling.labelled) - versions
    click.echo(
        f"Labelled {counted(len(labelling.labelled), 'pair')} "
        f"({counted(versions, 'version')}, {counted(others, 'other')}); "
        f"{left:,} {plural(left, 'is', 'are')} left."
    )
    _print_next(labels, target, known.values())


def _new_pairs(pairs: Sequence[OfferedPair], file: LabelFile) -> list[OfferedPair]:
    """Return the pairs that the file does not have yet, and can have."""
    known = file.labels
    new = [pair for pair in pairs if pair.ids not in known]
    fitting = [pair for pair in new if file.can_hold(pair.ids)]
    if len(fitting) < len(new):
        one = next(pair for pair in new if not file.can_hold(pair.ids))
        click.echo(
            f"{counted(len(new) - len(fitting), 'pair')} left out, whose ids {file.format} "
            f"cannot hold, such as {one.ids[0]!r} and {one.ids[1]!r}. Name a file that ends in "
            ".jsonl.",
            err=True,
        )
    return fitting


def _print_next(file: Path, target: Target, labels: Collection[bool]) -> None:
    """Print the command that evaluates the file, or what it still needs."""
    different = set(labels)
    if len(different) == 2:
        line = ["es-simhash", "lab", "evaluate", str(file), "--index", target.index]
        if target.text_field is not None:
            line += ["--text-field", target.text_field]
        if target.simhash_field != DEFAULT_FIELD:
            line += ["--simhash-field", target.simhash_field]
        click.echo(f"Next: {shlex.join(line)}")
    elif different:
        lacking = "not versions" if different == {True} else "versions"
        click.echo(f"To evaluate, label pairs that are {lacking} as well.")
