"""The static page with the widget."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.widget_pages import texts, wait_for

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def address(site: Any) -> str:
    found: str = site("static")["8080"]
    return found


def test_the_widget_shows_versions_and_neighbours(visit: Callable[..., Any], address: str) -> None:
    page = visit(address)
    wait_for(page, "ready")
    titles = texts(page, "title")
    assert "Gantry crane collapses in Port Ellery, three hurt" in titles
    assert "Saltwick braces for diverted ships after Ellery accident" in titles
    assert page.evaluate("window.attacked") is None


def test_without_scripts_the_article_is_whole(visit: Callable[..., Any], address: str) -> None:
    page = visit(address, scripts=False)
    assert page.locator("article p").count() > 3
    assert page.locator("related-documents").bounding_box()["height"] == 0


def test_the_page_is_accessible(require_accessible_at: Any, address: str) -> None:
    require_accessible_at(address, waits_for='related-documents [data-state="ready"]')
