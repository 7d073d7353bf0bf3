"""Charts stay within their pictures, and name what they show as text."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.maintenance.reports.figures import Part, size_ranges
from es_simhash.pages.rendering import environment
from tests.support.pages import HOSTILE, Page

CHARTS: Any = environment().get_template("charts.html").module
SIZES = st.dictionaries(st.integers(1, 3000), st.integers(1, 10**6), min_size=1)


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=5).filter(any))
def test_a_bar_is_filled_by_its_parts(documents: list[int]) -> None:
    bar = CHARTS.share_bar([Part("copy", "", "", count) for count in documents], "label")
    widths = [float(width) for width in re.findall(r' width="([\d.]+)"', bar)]
    assert sum(widths) == pytest.approx(1000, abs=0.1)


@given(SIZES.filter(lambda counts: max(counts) > 1))
def test_no_column_leaves_the_chart(counts: dict[int, int]) -> None:
    chart = CHARTS.columns(size_ranges(counts), "families", "label", "size")
    for y in re.findall(r' y="([-\d.]+)"', chart):
        assert 0 <= float(y) <= 200


def test_a_curve_stays_between_its_axes_and_is_named() -> None:
    points = np.array([[0.0, 0.0], [0.5, 1.0], [1.0, 1.0]])
    lines = {f"{HOSTILE} {number}": points for number in range(10)}
    plot = SimpleNamespace(title=HOSTILE, x="recall", y="precision", lines=lines)
    chart = CHARTS.curves(plot)
    ends = re.findall(r'<polyline [^>]*points="([^"]+)"', chart)
    assert [points.split() for points in ends] == [["50.0,308.0", "200.0,8.0", "350.0,8.0"]] * 10
    # Ten curves, and their signs beside the names: no two look alike.
    strokes = re.findall(r'<polyline [^>]*?stroke="(#\w+)"(?: stroke-dasharray="([^"]+)")?', chart)
    assert len(set(strokes)) == 10
    legend = CHARTS.legend(lines)
    signs = re.findall(r'<path [^>]*?stroke="(#\w+)"(?: stroke-dasharray="([^"]+)")?', legend)
    assert signs == strokes
    page = Page(chart + legend)
    assert not {"script", "img", "style"} & set(page.tags)
    assert page.words.count("javascript:alert(3)") == 11
