"""Texts of families: longer than elsewhere, and with more changes in a version."""

from collections.abc import Callable

import pytest

from es_simhash.maintenance.families import family_run
from tests.support.shelf import revised, text


@pytest.fixture
def make_text() -> Callable[..., str]:
    """Make a text by its seed and number of words."""
    return text


@pytest.fixture
def revise() -> Callable[..., str]:
    """Make a version of a text."""
    return revised


@pytest.fixture(params=["in memory", "by searches", "later by searches"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How candidates are retrieved: large indices are searched, and others when little changed."""
    if request.param == "by searches":
        monkeypatch.setattr(family_run, "MAX_TEXTS", 0)
    elif request.param == "later by searches":
        monkeypatch.setattr(family_run, "READS_PER_SEARCH", 0)
    return str(request.param)
