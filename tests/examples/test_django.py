"""Django: articles are indexed as they are saved, and pages show what is related to them."""

import os
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from es_simhash import connect

pytest.importorskip("django", reason="needs Django")

pytestmark = pytest.mark.cluster
FIRST = "Gantry crane collapses in Port Ellery"
VERSION = "Gantry crane collapses in Port Ellery, three hurt"


@pytest.fixture(scope="module")
def index(cluster_url: str) -> Iterator[str]:
    name = f"test-django-{uuid4().hex}"
    yield name
    with connect(cluster_url) as client:
        client.indices.delete(index=[name, f"{name}-simhash"], ignore_unavailable=True)


@pytest.fixture(scope="module")
def address(site: Any, index: str) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(os.environ, "ARTICLES_INDEX", index)
        found: str = site("django")["8080"]
    return found


@pytest.fixture
def open_article(
    visit: Callable[..., Any], address: str, client: Any, index: str
) -> Callable[[int], Any]:
    """Open the page of an article, with all that was written before."""

    def opened(pk: int) -> Any:
        client.indices.refresh(index=index)
        return visit(f"{address}/articles/{pk}", scripts=False)

    return opened


def listed(page: Any, heading: str) -> list[str]:
    """Return the titles below a heading."""
    section = page.locator("section", has=page.get_by_role("heading", name=heading))
    titles: list[str] = section.locator("li a").all_inner_texts()
    return titles


def test_a_page_shows_versions_and_neighbours(open_article: Callable[[int], Any]) -> None:
    page = open_article(1)
    assert page.locator("h1").inner_text() == FIRST
    assert VERSION in listed(page, "Other versions")
    related = listed(page, "Related")
    assert related
    assert VERSION not in related
    page.get_by_role("link", name=related[0]).click()
    assert page.locator("h1").inner_text() == related[0]


def test_what_is_saved_is_followed(
    open_article: Callable[[int], Any], client: Any, index: str
) -> None:
    page = open_article(2)
    page.get_by_role("link", name="Edit").click()
    text = page.locator("textarea").input_value()
    page = open_article(20)
    before = listed(page, "Other versions")
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Title").fill("Copied & <pasted>")
    page.locator("textarea").fill(text)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/articles/20")
    stored = client.get(index=index, id="20")["_source"]
    assert stored["title"] == "Copied & <pasted>"
    assert stored["simhash"]["scheme"]
    versions = listed(open_article(2), "Other versions")
    assert "Copied & <pasted>" in versions
    assert not set(before) & set(versions)


def test_what_is_deleted_is_removed(
    open_article: Callable[[int], Any], client: Any, index: str
) -> None:
    page = open_article(30)
    assert client.exists(index=index, id="30")
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="Articles").wait_for()
    assert not client.exists(index=index, id="30")
