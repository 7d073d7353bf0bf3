"""F1 of the exact resemblance of shingles by their length, from 2 to 20 characters or words."""

from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_tables import Table
from tests.bench.evaluate import held_out_f1
from tests.bench.experiments.line_chart import Series, line_chart
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.plot_parts import Axis
from tests.bench.experiments.version_sets import NAMES, small_sets
from tests.bench.method_runs import measure_truth

LENGTHS = range(2, 21)
_UNITS = {"chars": "characters", "words": "words"}


def run(size: Size) -> Result:
    """Measure each length on two sets at the cut that is best on all others."""
    sets, notes = small_sets(size.texts)
    shown = list(sets)[:2]
    curves: dict[str, list[float]] = {}
    for name in shown:
        curves.update({f"{NAMES.get(name, name)}, {unit}": [] for unit in _UNITS.values()})
    for unit, label in _UNITS.items():
        for length in LENGTHS:
            method = f"jaccard-{unit}-{length}"
            found = {
                (method, name): measure_truth(method, name, truth) for name, truth in sets.items()
            }
            for name in shown:
                f1 = held_out_f1(found, method, name, list(sets))
                curves[f"{NAMES.get(name, name)}, {label}"].append(f1)
    notes += ("The cut of a set is the one with the highest mean F1 on the other three sets.",)
    return Result((_table(curves),), {"": _plot(curves)}, notes)


def _table(curves: dict[str, list[float]]) -> Table:
    rows = tuple(
        (str(length), *(f"{values[place]:.3f}" for values in curves.values()))
        for place, length in enumerate(LENGTHS)
    )
    best = frozenset(
        (place, column)
        for column, values in enumerate(curves.values(), 1)
        for place, value in enumerate(values)
        if value == max(values)
    )
    return Table("F1 by the length of a shingle", ("length", *curves), rows, best)


def _plot(curves: dict[str, list[float]]) -> Picture:
    lowest = min(min(values) for values in curves.values())
    ticks = tuple(tenth / 10 for tenth in range(min(9, int(lowest * 10)), 11))
    return line_chart(
        "F1 of the resemblance of shingles by their length",
        Axis("characters or words of a shingle", 2, 20, tuple(range(2, 21, 2))),
        Axis("F1 at the cut of the other sets", ticks[0], 1, ticks),
        [Series(name, list(zip(LENGTHS, values, strict=True))) for name, values in curves.items()],
    )
