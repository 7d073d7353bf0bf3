"""Plots of all methods on all sets: F1 held out, and candidate recall."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from es_simhash.lab.methods.project_method import DEFAULT_METHOD
from tests.bench.experiments.bar_panels import Panel, bar_panels
from tests.bench.experiments.plot_parts import UNIT, Axis

# Title by the name of the file.
_TITLES = {
    "f1": "F1 at the cut chosen on the other sets",
    "candidate-recall": "Candidate recall",
}


def write_plots(
    folder: Path, figures: Mapping[str, Mapping[str, Sequence[float]]], sets: Sequence[str]
) -> None:
    """Write the plots as SVG and PNG.

    Args:
        folder: Where to; it is made.
        figures: Values of the sets by plot (`f1` or `candidate-recall`) and method.
        sets: Names of the sets.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for plot, values in figures.items():
        panels = [
            Panel(Axis(name, 0, 1, UNIT), [row[place] for row in values.values()], ".3f")
            for place, name in enumerate(sets)
        ]
        picture = bar_panels(_TITLES[plot], list(values), panels, (DEFAULT_METHOD,))
        (folder / f"methods-{plot}.svg").write_text(picture.svg, "utf-8")
        (folder / f"methods-{plot}.png").write_bytes(picture.png)
