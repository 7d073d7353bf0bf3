"""`es-simhash lab tune`: suggestions for an index from a sample, and from labelled pairs."""

import math
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.console import Console

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.commands import command
from es_simhash.cli.options import Quiet, TableOrJson, TextTarget
from es_simhash.cli.output import print_json, print_problems
from es_simhash.cli.progress import progress_bar
from es_simhash.lab.tuning.tune import tune as tune_index
from es_simhash.lab.tuning.tuning_figures import (
    LabelledFigures,
    Measure,
    TuneOptions,
    Tuning,
)
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.document_settings import configure
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line


@command
def tune(
    target: TextTarget,
    *,
    labels: Path | None = None,
    options: TuneOptions,
    write: bool = False,
    output_format: TableOrJson = "table",
    quiet: Quiet = False,
) -> None:
    """Suggest scheme, Hamming distance, blocks and threshold of versions for INDEX.

    Draws a sample, counts what searches examine, and compares what shares text. With --labels,
    another threshold is proposed only where it is clearly better on held-out pairs; the table shows
    what to expect of it. Without, the threshold changes only where scores have a clear gap.
    Nothing is stored without --write. The exit status is 1 when lines of the labels were left out.

    Args:
        labels: File of labelled pairs of documents of INDEX, as `evaluate` reads and `label` writes
            it.
        write: Store the proposed threshold with INDEX, as `config --version-threshold` does.
    """
    index, field = target.index, target.simhash_field
    with target.connected() as client:
        with progress_bar(quiet=quiet) as progress:
            tuning = tune_index(
                client,
                index,
                labels=labels,
                options=options,
                config=target.config,
                progress=progress,
            )
        if write and tuning.settings:
            configure(client, index, tuning.settings, simhash_field=field)
    print_problems(tuning.problems)
    if output_format == "json":
        print_json({**tuning.to_dict(), "written": write and bool(tuning.settings)})
    else:
        print_tuning(tuning)
        click.echo(_stored_line(tuning, field, write=write))
    if tuning.problems:
        raise SystemExit(1)


def _stored_line(tuning: Tuning, simhash_field: str, *, write: bool) -> str:
    """Return what was stored and what to run now, or how to store it."""
    if not tuning.settings:
        return "Nothing to store: the threshold stays."
    index, present = shlex.quote(tuning.index), tuning.threshold.present
    value = tuning.settings["version_threshold"]
    field = "" if simhash_field == DEFAULT_FIELD else f" --simhash-field {simhash_field}"
    if not write:
        return f"Nothing is stored. Store it with `{_config(index, value)}{field}`."
    before = None if present == VERSION_SCORE else present
    return (
        f"Stored. Families, and what was decided about versions, are still those of {present:g}: "
        f"run `es-simhash families run {index}` or a sweep again; decisions in an audit log stay "
        "until `es-simhash undo`, and a service that runs reads the threshold when it is started "
        f"again. The way back is `{_config(index, before)}{field}`."
    )


def _config(index: str, threshold: float | None) -> str:
    """Return the command that stores a threshold; None for the default."""
    change = "--unset version-threshold"
    if threshold is not None:
        change = f"--version-threshold {threshold:g}"
    return f"es-simhash config {index} {change}"


def print_tuning(tuning: Tuning) -> None:
    """Print the suggestions, each with its reason, and the figures they rest on."""
    scheme, threshold = tuning.scheme, tuning.threshold
    lines = [
        (
            "index",
            f"{tuning.index}: {counted(tuning.documents, 'document')}, {tuning.sampled:,} in the "
            f"sample (seed {tuning.seed}), {counted(tuning.pairs, 'pair')} with shared text",
        ),
        (
            "candidates",
            f"{tuning.candidates:g} documents share enough shingles with a document, and are found "
            f"in {tuning.took:g} ms (medians)",
        ),
        ("scheme", f"{_kept(scheme.name, scheme.present)}. {scheme.reason}"),
        ("k", _k_line(tuning)),
        ("versions", f"from {_kept(threshold.value, threshold.present)}. {threshold.reason}"),
    ]
    for name, value in lines:
        click.echo(f"{name:<12}{one_line(value)}")
    console = Console()
    if threshold.figures is not None:
        _print_labelled(threshold.figures, console)
    if scheme.compared:
        _print(
            "Schemes, by the labelled versions that are found",
            ("scheme", "found", "of", "shingles/document"),
            (
                (each.scheme, str(each.found), str(each.versions), f"{each.shingles:.0f}")
                for each in scheme.compared
            ),
            console,
        )
    _print(
        "Hamming distance k: documents that a search within it examines, and what it finds",
        ("k", "median", "90 %", "expected", "unrelated", "versions", "ms"),
        (
            (
                str(each.k),
                str(each.candidates),
                str(each.candidates_p90),
                f"{each.expected:.1f}",
                f"{each.unrelated:.2g}",
                _share(each.versions),
                f"{each.took:g}",
            )
            for each in tuning.distances
        ),
        console,
    )
    _print(
        "Blocks, extrapolated from the sample to the index",
        ("blocks", "k up to", "documents examined", "postings", "versions"),
        (
            (
                str(each.blocks),
                str(each.max_k),
                f"{each.candidates:.1f}",
                f"{each.postings:.0f}",
                _share(each.versions),
            )
            for each in tuning.blocks
        ),
        console,
    )
    click.echo()


def _k_line(tuning: Tuning) -> str:
    if tuning.k == tuning.max_k:
        return f"{tuning.k}, the default of the scheme: it is cheap and finds nothing by chance."
    return (
        f"{tuning.k} in place of {tuning.max_k}: a larger one examines too many documents or finds "
        f"unrelated ones. Query with `related --k {tuning.k}`."
    )


def _kept(value: object, present: object) -> str:
    return f"{value} (as it is)" if value == present else f"{value} (now {present})"


def _print_labelled(figures: LabelledFigures, console: Console) -> None:
    _print(
        f"Thresholds on {counted(figures.pairs, 'labelled pair')} of {figures.documents} "
        f"documents, {figures.versions} of them versions; held out, 95 % intervals",
        ("", "versions from", "F1", "precision", "recall"),
        (
            (
                each.name,
                f"{each.threshold:g}",
                *map(_estimate, (each.f1, each.precision, each.recall)),
            )
            for each in figures.thresholds
        ),
        console,
    )
    click.echo(f"F1 of the proposed threshold less that of the default: {_estimate(figures.gain)}")


def _estimate(estimate: Measure) -> str:
    if math.isnan(estimate.value):
        return "–"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _print(
    title: str, names: Sequence[str], rows: Iterable[Sequence[str]], console: Console
) -> None:
    click.echo(f"\n{one_line(title)}")
    columns = zip(*rows, strict=True)
    print_columns(
        [
            Column(name, cells, is_number=place > 0)
            for place, (name, cells) in enumerate(zip(names, columns, strict=True))
        ],
        console,
    )
