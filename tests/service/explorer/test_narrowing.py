"""Matches of a search in the explorer: sorted, narrowed to values, and the way back to them."""

import re
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from es_simhash.service.service_config import ServiceConfig
from tests.support.pages import Page
from tests.support.service import Serve

pytestmark = pytest.mark.cluster

# Section and date of each note; all have one word in common, and it counts most in the first.
NOTES = {
    "a": ("Küste", "2022-05-01", "harbour harbour harbour"),
    "b": ("Küste", "2024-01-01", "harbour in winter"),
    "c": ("Stadt & Land", "2023-12-31", "harbour of the town"),
    "d": ("Stadt & Land", None, "harbour without a date"),
}


@pytest.fixture(scope="module")
def notes(cluster_url: str) -> Iterator[str]:
    """An index whose sections are texts with a multi-field of keywords, as by dynamic mapping."""
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.installation.document_settings import configure
    from tests.support.library import fill

    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        client.indices.create(index=name, mappings={"properties": {"day": {"type": "date"}}})
        documents = (
            {"id": id, "text": text, "ressort": section, "sprache": "en", "title": f"Note {id}"}
            | ({"day": day} if day else {})
            for id, (section, day, text) in NOTES.items()
        )
        fill(client, name, *documents, semantics=None)
        settings = {"title": "title", "date": "day", "owner": "ressort", "language": "sprache"}
        configure(client, name, settings)
        yield name
        client.indices.delete(index=f"{name},{name}-simhash", ignore_unavailable=True)


def found(http: Any, query: str) -> Page:
    answer = http.get(f"/explorer/?{query}")
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def ids(page: Page) -> list[str]:
    """Return the ids of the matches in their order."""
    return re.findall(r'<h2><a href="/explorer/documents/(\w+)\?', page.source)


def test_matches_are_sorted_by_their_dates_or_how_well_they_match(serve: Serve, notes: str) -> None:
    http = serve(notes)
    assert ids(found(http, "q=harbour"))[0] == "a"
    newest = found(http, "q=harbour&sort=newest")
    assert ids(newest) == ["b", "c", "a", "d"]
    assert http.get("/explorer/?q=harbour&sort=oldest").status_code == 400


def test_matches_are_counted_by_their_values_and_narrowed_to_one(serve: Serve, notes: str) -> None:
    http = serve(notes)
    every = found(http, "q=harbour")
    assert "ressort Küste 2 Stadt & Land 2" in every.words
    assert "day 2024 1 2023 1 2022 1" in every.words
    # A field with one value narrows nothing.
    assert "sprache" not in every.words
    (town,) = {value for value in every.values("href") if "owner=Stadt" in value}
    narrowed = Page(http.get(town).text)
    assert sorted(ids(narrowed)) == ["c", "d"]
    assert "2 documents match" in narrowed.words
    # What is chosen can be taken back, also where nothing is left.
    assert "/explorer/?q=harbour" in narrowed.values("href")
    assert ids(found(http, "q=harbour&owner=K%C3%BCste&year=2024")) == ["b"]
    assert ids(found(http, "q=harbour&year=2023")) == ["c"]
    assert ids(found(http, "q=harbour&year=9999")) == []
    nothing = found(http, "q=harbour&owner=K%C3%BCste&year=1999")
    assert "No document matches" in nothing.words
    assert "/explorer/?q=harbour&year=1999" in nothing.values("href")
    assert "/explorer/?q=harbour&owner=K%C3%BCste" in nothing.values("href")


def test_what_may_not_be_shown_narrows_nothing(serve: Serve, notes: str) -> None:
    http = serve(notes, ServiceConfig(fields=("title",)))
    shown = found(http, "q=note&owner=nobody&year=1999&sort=newest")
    assert len(ids(shown)) == len(NOTES)
    # The random name of the index is in addresses, and may have such digits.
    source = shown.source.replace(notes, "")
    assert not re.search(r"ressort|Küste|2024|newest</a>", source)


def test_the_way_back_to_the_matches_is_kept(serve: Serve, notes: str) -> None:
    http = serve(notes)
    address = "/explorer/?q=harbour&sort=newest"
    (document,) = {
        value for value in found(http, "q=harbour&sort=newest").values("href") if "/a?" in value
    }
    assert document == f"/explorer/documents/a?back={quote(address, safe='')}"
    page = Page(http.get(document).text)
    assert "← Documents for “harbour”" in page.words
    assert address in page.values("href")
    # The widget leads on with it.
    for attribute in ("link-pattern", "compare-pattern"):
        assert page.values(attribute)[0].endswith(f"?back={quote(address, safe='')}")
    compared = Page(http.get(f"/explorer/compare/a/b?back={quote(address, safe='')}").text)
    assert address in compared.values("href")
    assert f"/explorer/documents/a?back={quote(address, safe='')}" in compared.values("href")


@pytest.mark.parametrize(
    "back",
    [
        *("https://evil.example/?q=a", "//evil.example/?q=a", "javascript:alert(1)", ""),
        *("/explorer/..//evil.example", "/explorer/\\evil", "/explorer/x", "/explorer/?p=1"),
        *("/explorer/?q=" + "a" * 9_000, "/explorer/documents/a?q=b", "/?q=a", "/explorer/pair\ns"),
    ],
)
def test_the_way_back_leads_to_lists_of_the_explorer_alone(
    serve: Serve, notes: str, back: str
) -> None:
    page = Page(serve(notes).get("/explorer/documents/a", params={"back": back}).text)
    assert "←" not in page.text
    assert "back=" not in page.source
