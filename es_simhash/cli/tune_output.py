"""Suggestions for an index as a terminal shows them."""

import math
from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.lab.tuning.tuning_figures import LabelledFigures, Measure, Tuning
from es_simhash.text.escaping import one_line


def print_tuning(tuning: Tuning) -> None:
    """Print the suggestions, each with its reason, and the figures they rest on."""
    scheme, threshold = tuning.scheme, tuning.threshold
    lines = [
        (
            "index",
            f"{tuning.index}: {tuning.documents} documents, {tuning.sampled} in the sample (seed "
            f"{tuning.seed}), {tuning.pairs} pairs that share text",
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
        f"Thresholds on {figures.pairs} labelled pairs of {figures.documents} documents, "
        f"{figures.versions} of them versions; held out, 95 % intervals",
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
            Column(name, [Text(cell) for cell in cells], is_number=place > 0)
            for place, (name, cells) in enumerate(zip(names, columns, strict=True))
        ],
        console,
    )
