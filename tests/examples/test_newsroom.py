"""The newsroom: newest versions first, what changed, and neighbours of about the same time."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def address(site: Any) -> str:
    found: str = site("newsroom")["8080"]
    return found


def test_stories_are_listed_by_date_each_once(visit: Callable[..., Any], address: str) -> None:
    for scripts in (False, True):
        page = visit(address, scripts=scripts)
        dates = page.locator("time").evaluate_all("all => all.map(time => time.dateTime)")
        assert dates == sorted(dates, reverse=True)
        titles = page.locator(".list a").all_inner_texts()
        # The newer version of a story, not the older one.
        assert "Remote work policy, version 3" in titles
        assert "Remote work policy, version 2" not in titles


def test_versions_are_newest_first_and_marked(visit: Callable[..., Any], address: str) -> None:
    page = visit(f"{address}/stories/en-remote-policy-v2", scripts=False)
    rows = page.locator("aside ol").first.locator("li")
    assert [" ".join(row.split()) for row in rows.all_inner_texts()] == [
        "Remote work policy, version 3 newer 10 January 2024 Changes",
        "Remote work policy, version 1 older 1 September 2021 Changes",
    ]
    assert "There is a newer version: Remote work policy, version 3" in page.inner_text("article")
    rows.nth(1).get_by_role("link", name="Changes").click()
    assert page.locator("h1").inner_text() == "en-remote-policy-v1 → en-remote-policy-v2"
    assert page.locator(".dots:visible circle").count() == 3
    page.get_by_role("navigation").get_by_role("link").click()
    assert page.locator("h1").inner_text() == "en-remote-policy-v2 → en-remote-policy-v3"


def test_background_is_ranked_by_score_and_age(
    visit: Callable[..., Any], address: str, client: Any, demo_index: str
) -> None:
    from es_simhash import Index, SearchOptions

    story = "en-lighthouse-handbook"
    options = SearchOptions(size=50, kinds=("shares_passages", "semantic"))
    found = list(Index(client, demo_index).related(id=story, options=options))
    published = datetime(2009, 4, 2)

    def rank(relation: Any) -> tuple[bool, float]:
        age = max(0, (published - datetime.fromisoformat(relation.document.date)).days)
        return relation.kind == "semantic", -relation.score * (0.5 + 0.5 * 0.5 ** (age / 30))

    expected = [relation.document.title for relation in sorted(found, key=rank)][:6]
    assert len(expected) > 1
    page = visit(f"{address}/stories/{story}", scripts=False)
    assert page.locator("aside li > a").all_inner_texts()[-len(expected) :] == expected


def test_what_comes_from_documents_stays_text(visit: Callable[..., Any], address: str) -> None:
    page = visit(f"{address}/stories/en-harbour-v1")
    page.locator("aside a", has_text="<script>").first.click()
    assert "<script>" in page.locator("h1").inner_text()
    page.get_by_role("link", name="Changes").first.click()
    assert "→" in page.locator("h1").inner_text()
    assert page.evaluate("window.attacked") is None
    assert page.request.get(f"{address}/stories/no-such").status == 404
    assert page.request.get(f"{address}/changes?older=no&newer=such").status == 404
    assert page.request.get(f"{address}/changes").status == 400


def test_pages_are_accessible(require_accessible_at: Any, address: str) -> None:
    for path in ("/", "/stories/en-harbour-v2", "/stories/ar-jisr-v1"):
        require_accessible_at(address + path)
