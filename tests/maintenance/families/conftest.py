"""Texts of families: longer than elsewhere, and with more changes in a version."""

from collections.abc import Callable

import pytest

from es_simhash.maintenance.families import find_families
from tests.support.shelf import revised, text


@pytest.fixture
def make_text() -> Callable[..., str]:
    """Make a text by its seed and number of words."""
    return text


@pytest.fixture
def revise() -> Callable[..., str]:
    """Make a version of a text."""
    return revised


@pytest.fixture
def by_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later runs search, however much is new."""
    monkeypatch.setattr(find_families, "READS_PER_SEARCH", 0)


WAYS = ("as shipped", "always of all", "later by searches")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How candidates are retrieved: from posting lists of all, or by searches."""
    if request.param == "always of all":
        monkeypatch.setattr(find_families, "READS_PER_SEARCH", 1_000_000)
    elif request.param == "later by searches":
        monkeypatch.setattr(find_families, "READS_PER_SEARCH", 0)
    return str(request.param)
