"""The five criteria for every method: versions, semantic likeness, size, comparisons, speed."""

import math
from dataclasses import dataclass

import numpy as np

from es_simhash.errors import InputError, MissingExtra
from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.evaluation.pair_measures import Floats
from es_simhash.lab.methods.method_registry import method_named, method_names
from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from tests.bench.evaluate import held_out_f1
from tests.bench.experiments.bar_panels import Panel, bar_panels, decades
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.plot_parts import UNIT, Axis
from tests.bench.experiments.version_sets import small_sets
from tests.bench.method_runs import Truth, measure_truth
from tests.support import datasets


@dataclass(frozen=True)
class Criteria:
    """How a method does.

    Attributes:
        f1: Mean over the first two sets, each at the cut that is best on all others; nan where it
            does not read one of them.
        semantic: Rank correlation with the judgement of people; nan without these.
        stored: Bytes a document.
        compared: Share of all pairs that are scored.
        microseconds: Of processor time to score one pair; nan where there are no candidates.
    """

    f1: float
    semantic: float
    stored: float
    compared: float
    microseconds: float


def measure(method: str, sets: dict[str, Truth]) -> Criteria:
    """Measure a method on sets of versions, and on pairs that people have rated."""
    found = {(method, name): measure_truth(method, name, truth) for name, truth in sets.items()}
    shown = list(sets)[:2]
    runs = [found[method, name] for name in shown]
    documents = sum(each.documents for each in runs)
    pairs = sum(math.comb(each.documents, 2) for each in runs)
    candidates = sum(each.candidates for each in runs)
    scoring = sum(each.seconds[2] for each in runs)
    f1 = float(np.mean([held_out_f1(found, method, name, list(sets)) for name in shown]))
    return Criteria(
        f1,
        semantic_correlation(method),
        sum(each.stored for each in runs) / documents,
        candidates / pairs,
        scoring / candidates * 1e6 if candidates else math.nan,
    )


def semantic_correlation(method: str) -> float:
    """Return Spearman's correlation with people who rated pairs of news; nan without these."""
    try:
        texts = {each["id"]: each["text"] for each in datasets.documents("lee50")}
        rated = datasets.rows("lee50", "pairs.tsv")
    except InputError:
        return math.nan
    numbers = {id: number for number, id in enumerate(texts)}
    first = np.array([numbers[row["doc1"]] for row in rated])
    second = np.array([numbers[row["doc2"]] for row in rated])
    scores = method_named(method).read(list(texts.values())).score(first, second)
    return spearman(scores, np.array([float(row["human"]) for row in rated]))


def spearman(one: Floats, other: Floats) -> float:
    """Return the correlation of ranks, ties in the middle; 0 where all values are the same."""
    ranks = [_ranks(values) for values in (one, other)]
    if any(np.ptp(values) == 0 for values in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Floats) -> Floats:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middles[places])


def run(size: Size) -> Result:
    """Measure all methods that are installed."""
    sets, notes = small_sets(size.texts)
    measured: dict[str, Criteria] = {}
    for method in method_names():
        try:
            measured[method] = measure(method, sets)
        except MissingExtra as error:
            notes += (str(error),)
    ordered = dict(sorted(measured.items(), key=lambda item: -np.nan_to_num(item[1].f1)))
    rows = tuple(
        (
            name,
            _cell(each.f1, ".3f"),
            _cell(each.semantic, ".3f"),
            f"{each.stored:,.0f}",
            f"{each.compared:.2%}",
            _cell(each.microseconds, ",.1f"),
        )
        for name, each in ordered.items()
    )
    columns = (
        "method", "versions, F1", "semantic, Spearman", "bytes/document", "pairs compared",
        "µs a comparison",
    )  # fmt: skip
    table = Table("Five criteria", columns, rows)
    notes += (
        f"Versions: mean F1 of {' and '.join(list(sets)[:2])}, each at the cut with the highest "
        "mean F1 on the other three sets; versions that are no candidates are missed; size, "
        "comparisons and time are of the same two sets. Semantic: 1,225 pairs of news that people "
        "have rated (lee50). Pairs compared: candidates among all pairs. Time: processor time.",
    )
    return Result((table,), {"": _plot(ordered)}, notes)


def _cell(value: float, form: str) -> str:
    return "–" if math.isnan(value) else f"{value:{form}}"


def _plot(measured: dict[str, Criteria]) -> Picture:
    found = list(measured.values())
    return bar_panels(
        "Five criteria for every method",
        list(measured),
        [
            Panel(Axis("versions, F1", 0, 1, UNIT), [each.f1 for each in found], ".3f"),
            Panel(Axis("semantic, Spearman", 0, 1, UNIT), [each.semantic for each in found], ".2f"),
            decades("bytes a document", [each.stored for each in found]),
            decades("pairs compared, %", [each.compared * 100 for each in found]),
            decades("µs a comparison", [each.microseconds for each in found]),
        ],
        (DEFAULT_METHOD,),
    )
