"""The site whose server renders what is related, and whose widget takes it over."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.examples.conftest import KEY, ROOT
from tests.support.widget_pages import texts, wait_for

pytestmark = pytest.mark.cluster
PATH = "/articles/en-harbour-v1"


@pytest.fixture(scope="module")
def address(site: Any) -> str:
    found: str = site("server-side")["8080"]
    return found


def addresses(links: Any) -> set[str]:
    """Where links lead; how they are escaped does not matter."""
    return set(map(unquote, links.evaluate_all("all => all.map(link => link.href)")))


def test_without_scripts_the_page_has_what_the_widget_shows(
    visit: Callable[..., Any], address: str
) -> None:
    plain = visit(address + PATH, scripts=False)
    rendered = plain.locator("related-documents li a")
    titles, links = rendered.all_inner_texts(), addresses(rendered)
    assert "Gantry crane collapses in Port Ellery, three hurt" in titles
    page = visit(address + PATH)
    wait_for(page, "ready")
    assert page.locator("related-documents > ul").first.is_hidden()
    assert sorted(texts(page, "title")) == sorted(titles)
    assert addresses(page.locator('related-documents a[part~="title"]')) == links


def test_every_link_leads_to_an_article(visit: Callable[..., Any], address: str) -> None:
    for scripts in (False, True):
        page = visit(address + PATH, scripts=scripts)
        if scripts:
            wait_for(page, "ready")
        page.get_by_role("link", name="Saltwick braces").click()
        page.wait_for_url("**/articles/en-harbour-saltwick")
        assert page.locator("h1").inner_text().startswith("Saltwick braces")
    titles = visit(address, scripts=False).locator(".articles a")
    assert titles.count() > 80


def test_what_comes_from_documents_stays_text(visit: Callable[..., Any], address: str) -> None:
    page = visit(address + PATH)
    wait_for(page, "ready")
    assert any("<script>" in title for title in texts(page, "title"))
    link = page.locator('a[part~="title"]', has_text="<script>").first
    page.goto(link.evaluate("link => link.href"))
    wait_for(page, "ready")
    assert "<script>" in page.locator("h1").inner_text()
    assert page.evaluate("window.attacked") is None


def test_the_key_never_leaves_the_server(visit: Callable[..., Any], address: str) -> None:
    page = visit(address)
    bodies: list[Any] = []
    page.on("response", lambda answer: bodies.append((answer.all_headers(), answer.text())))
    page.goto(address + PATH)
    wait_for(page, "ready")
    page.wait_for_load_state("networkidle")
    assert any("en-harbour-v2" in body for _, body in bodies)
    assert KEY not in str(bodies)
    # The service itself answers nobody without it.
    assert page.request.get(f"{address}/v1/related/en-harbour-v1").status == 200


def test_without_the_service_the_page_is_whole(
    monkeypatch: pytest.MonkeyPatch, closed_address: str
) -> None:
    monkeypatch.setenv("RELATED_URL", closed_address)
    module = runpy.run_path(str(Path(ROOT) / "examples" / "server-side" / "app.py"))
    browser = module["app"].test_client()
    page = browser.get(PATH)
    assert page.status_code == 200
    assert "<article" in page.text
    assert "<li>" not in page.text
    answer = browser.get("/v1/related/en-harbour-v1")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert browser.get("/articles/no-such").status_code == 404
    module["SERVICE"].close()


def test_pages_are_accessible(require_accessible_at: Any, address: str) -> None:
    require_accessible_at(address)
    require_accessible_at(address + PATH, waits_for='related-documents [data-state="ready"]')
