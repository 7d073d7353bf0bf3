"""Figures of an evaluation as tables of strings, for every output alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from es_simhash.lab.evaluation.evaluation_figures import MethodFigures, SetEvaluation, WrongPair
from es_simhash.lab.evaluation.held_out_cuts import SAMPLES
from es_simhash.text.counting import counted, percent

_DECIMALS = 3
# Width of an interval of F1 from which on there are too few pairs.
_NARROW = 0.2


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: Title.
        columns: Names of its columns.
        rows: Cells of its rows.
        best: For some rows and columns, that the cell is the best of its column.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()


_AT_CUT = ("f1", "precision", "recall")
_OF_DOCUMENTS = ("document_precision", "document_recall", "ari")
_RANKING = ("roc_area", "average_precision", "r_precision")
_TITLES = {
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
    "document_precision": "document precision",
    "document_recall": "document recall",
    "ari": "families (ARI)",
    "roc_area": "ROC AUC",
    "average_precision": "average precision",
    "r_precision": "R-precision",
}


def tables_of(evaluation: SetEvaluation, *, narrow: bool = False) -> list[Table]:
    """Return the tables of one set: calls at held-out cuts, rankings, candidates and costs.

    Args:
        evaluation: Figures of the set.
        narrow: Whether intervals other than that of F1 are left out.
    """
    methods = evaluation.methods
    measures = {
        "At held-out cuts": _AT_CUT,
        "Each document counted once, at the same cuts": _OF_DOCUMENTS,
        "Ranking, without a cut": _RANKING,
    }
    return [
        *(_measures(title, methods, names, narrow=narrow) for title, names in measures.items()),
        _candidates(methods),
        _thresholds(methods),
        _costs(methods, len(evaluation.labelled.ids)),
    ]


def lines_of(evaluation: SetEvaluation) -> list[str]:
    """Return what to know of the tables, one sentence or two a line."""
    notes = [f"{figures.name}: {figures.note}" for figures in evaluation.methods if figures.note]
    return [
        evaluation.cut_rule,
        "Found: candidates that are called versions, which is what a search returns.",
        f"Intervals of 95 %: {SAMPLES} bootstrap samples of documents, at the same cuts.",
        "The ROC cut is chosen on this very set: take it for later texts, not as a measure of it.",
        *notes,
    ]


def verdict(evaluation: SetEvaluation) -> list[str]:
    """Return what a reader needs to know first: which method to take, what it does, how sure."""
    known = [figures for figures in evaluation.methods if not math.isnan(figures.found_f1)]
    if not known:
        return ["No method finds anything here."]
    best = max(known, key=lambda figures: figures.found_f1)
    cut = number(float(np.median(best.cuts)))
    advice = f"{best.name} was measured at a cut of {cut}."
    if len(known) > 1:
        advice = (
            f"Take {best.name} with a cut of {cut}: it has the highest F1 of what is found, "
            f"{number(best.found_f1)}."
        )
    return [advice, _finds(best, evaluation.labelled.versions), *_sure(best, known)]


def _finds(best: MethodFigures, versions: int) -> str:
    """Return what a method finds, and what of that is right, as a sentence."""
    recall, precision = best.held_out["recall"], best.held_out["precision"]
    found = f"It recognises {percent(recall)} of {counted(versions, 'pair')} of versions (recall)"
    if math.isnan(precision):
        return f"{found}."
    return f"{found}; {percent(precision)} of the pairs that it calls versions are (precision)."


def _sure(best: MethodFigures, known: Sequence[MethodFigures]) -> list[str]:
    """Return how sure that is, and which other methods are as good as far as the pairs tell."""
    interval = best.intervals["f1"]
    is_wide = interval.high - interval.low > _NARROW
    lines = [
        f"On other documents of this kind its F1 is between {number(interval.low)} and "
        f"{number(interval.high)} (interval of 95 %)"
        + (": label more pairs before you rely on that." if is_wide else ".")
    ]
    if len(known) > 1:
        low = best.found_f1 - (best.held_out["f1"] - interval.low)
        as_good = [each.name for each in known if each is not best and each.found_f1 >= low]
        lines.append(
            f"No worse by more than its interval: {', '.join(as_good)}."
            if as_good
            else "All others are worse by more than its interval."
        )
    return lines


def headline(evaluation: SetEvaluation) -> str:
    """Return what was evaluated, as one line."""
    labelled = evaluation.labelled
    total = len(labelled.pairs.labels)
    return (
        f"{labelled.name}: {total:,} labelled pairs of {len(labelled.ids):,} documents, "
        f"{labelled.versions:,} of them versions"
    )


def _measures(
    title: str, methods: Sequence[MethodFigures], names: Sequence[str], *, narrow: bool
) -> Table:
    cut = names is _AT_CUT
    columns = ("method", *(["cut"] if cut else []), *(_TITLES[name] for name in names))
    rows = [
        (
            figures.name,
            *([_cuts(figures)] if cut else []),
            *(_cell(figures, name, with_interval=not narrow or name == "f1") for name in names),
        )
        for figures in methods
    ]
    offset = 2 if cut else 1
    best = frozenset(
        cell
        for place, name in enumerate(names)
        for cell in _best([figures.held_out[name] for figures in methods], offset + place)
    )
    return Table(title, columns, tuple(rows), best)


def _candidates(methods: Sequence[MethodFigures]) -> Table:
    columns = ("method", "candidate recall", "recall of found", "F1 of found")
    values = [
        (figures.candidate_recall, figures.found_recall, figures.found_f1) for figures in methods
    ]
    rows = tuple(
        (figures.name, *map(number, cells)) for figures, cells in zip(methods, values, strict=True)
    )
    best = [
        cell for place in range(3) for cell in _best([cells[place] for cells in values], place + 1)
    ]
    return Table("Candidates apart from scores", columns, rows, frozenset(best))


def _thresholds(methods: Sequence[MethodFigures]) -> Table:
    columns = ("method", "own threshold", "F1 at own threshold", "ROC cut")
    rows = [
        (
            figures.name,
            number(figures.threshold),
            number(figures.at_threshold["f1"]),
            number(figures.roc_cut),
        )
        for figures in methods
    ]
    best = _best([figures.at_threshold["f1"] for figures in methods], 2)
    return Table("Thresholds", columns, tuple(rows), best)


def _costs(methods: Sequence[MethodFigures], documents: int) -> Table:
    columns = ("method", "documents read/s", "pairs scored/s", "bytes/document")
    rows = []
    for figures in methods:
        costs, pairs = figures.scored.costs, len(figures.cuts)
        rows.append(
            (
                figures.name,
                f"{documents / max(costs.reading, 1e-9):,.0f}",
                f"{pairs / max(costs.scoring, 1e-9):,.0f}",
                f"{costs.bytes_per_document:,.0f}",
            )
        )
    return Table("Costs in this run", columns, tuple(rows))


def _best(values: Sequence[float], column: int) -> frozenset[tuple[int, int]]:
    """Return the cells of a column that are the best as shown; none of a single method."""
    shown = [round(value, _DECIMALS) for value in values]
    known = [value for value in shown if not math.isnan(value)]
    if len(values) < 2 or not known:
        return frozenset()
    return frozenset((row, column) for row, value in enumerate(shown) if value == max(known))


def _cuts(figures: MethodFigures) -> str:
    low, high = number(float(figures.cuts.min())), number(float(figures.cuts.max()))
    return low if low == high else f"{low}–{high}"


def _cell(figures: MethodFigures, name: str, *, with_interval: bool) -> str:
    shown = number(figures.held_out[name])
    interval = figures.intervals.get(name)
    if interval is None or not with_interval:
        return shown
    return f"{shown} [{number(interval.low)}, {number(interval.high)}]"


def number(value: float) -> str:
    """Return a measure as it is shown; a dash for one that is not defined."""
    return "–" if math.isnan(value) else f"{value:.{_DECIMALS}f}"


def wrong_lines(pair: WrongPair, *, passages: bool = True) -> list[str]:
    """Return a wrong pair as lines: what it is, what the methods say, and what the two share.

    Args:
        pair: The pair.
        passages: Whether the shared passages are wanted.
    """
    called = "called a version" if pair.score >= pair.cut else "not called a version"
    what = "are versions" if pair.label else "are no versions"
    lines = [
        f"{pair.first} and {pair.second} {what}, {called}: score {number(pair.score)}, cut "
        f"{number(pair.cut)}, {'a' if pair.is_candidate else 'no'} candidate, kind {pair.kind}"
    ]
    if pair.scores:
        others = (f"{name} {number(score)}" for name, score in pair.scores.items())
        lines.append(f"other methods: {', '.join(others)}")
    if not passages:
        return lines
    if not pair.passages:
        lines.append("shared passages: none")
    lines.extend(f"“{one}” – “{other}”" for one, other in pair.passages)
    return lines
