"""The plots of `make evaluate`."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.bench.method_plots import write_plots

FIGURES = {
    "f1": {"es-simhash": [0.912, 0.7], "minhash": [0.25, math.nan]},
    "candidate-recall": {"es-simhash": [1.0, 0.5], "minhash": [0.0, 0.125]},
}


def test_every_figure_is_written_at_its_bar_as_svg_and_png(tmp_path: Path) -> None:
    write_plots(tmp_path / "plots", FIGURES, ["laws", "PEPs"])
    files = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert files == [
        "methods-candidate-recall.png", "methods-candidate-recall.svg",
        "methods-f1.png", "methods-f1.svg",
    ]  # fmt: skip
    root = ET.parse(tmp_path / "plots" / "methods-f1.svg").getroot()
    words = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"es-simhash", "minhash", "laws", "PEPs", "0.912", "0.700", "0.250", "–"} <= words
    assert (tmp_path / "plots" / "methods-f1.png").read_bytes().startswith(b"\x89PNG")
