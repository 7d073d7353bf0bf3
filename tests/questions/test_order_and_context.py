"""The order of an answer, its pages, and what it says of each document."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.questions.document_contexts import linked
from es_simhash.store.options import Recency, SearchOptions

pytestmark = pytest.mark.cluster

MAPPING = {
    "body": {"type": "text"},
    "headline": {"type": "text"},
    "published": {"type": "date", "format": "yyyy-MM-dd||epoch_millis"},
    "section": {"type": "keyword"},
    "url": {"type": "keyword", "index": False},
}
TITLE = "<script>alert(1)</script>" + "x" * 10_000
VERSIONS = SearchOptions(kinds=("exact", "version"), evidence=False)
# Of the versions by number: dates are not in the order of the ids, one lacks it, one has two.
DATES: list[Any] = [
    "2026-01-05", "2026-01-03", "2026-01-09", None, ["2026-01-01", "2026-01-07"], "2026-01-05",
    "2026-01-02", 1767312000000,
]  # fmt: skip


@pytest.fixture
def archive(
    client: Any, index_name: str, make_text: Callable[..., str], revise: Callable[..., str]
) -> str:
    """Eight versions of a text, and twelve documents of another subject that share a passage."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.document_settings import configure
    from es_simhash.store.installation.install import install

    client.indices.create(index=index_name, mappings={"properties": MAPPING})
    install(client, index_name)
    configure(
        client,
        index_name,
        {
            "text": "body",
            "title": "headline",
            "date": "published",
            "owner": "section",
            "link": "{url}",
        },
    )
    first = make_text(1, 300)
    documents = []
    for number, date in enumerate(DATES):
        body = revise(first, number) if number else first
        document = {"id": f"v{number}", "body": body, "section": "news", "headline": "A text"}
        documents.append({**document, **({} if date is None else {"published": date})})
    documents[1]["headline"] = TITLE
    documents[1]["url"] = "https://example.org/1"
    documents[2]["url"] = "javascript:alert(1)"
    passage = " ".join(first.split()[:80])
    for number in range(12):
        body = f"{make_text(100 + number, 200)} {passage}"
        documents.append({"id": f"p{number:02d}", "body": body, "published": "2026-02-01"})
    assert [each for each in ingest(client, index_name, documents) if not each.ok] == []
    client.indices.refresh(index=index_name)
    return index_name


def found(client: Any, name: str, id: str, options: SearchOptions) -> list[str]:
    from es_simhash import Index

    return [str(relation.id) for relation in Index(client, name).related(id=id, options=options)]


def test_versions_are_listed_by_date(client: Any, archive: str) -> None:
    """Those of one date by id, and the one without a date last, either way."""
    oldest = found(client, archive, "v0", replace(VERSIONS, sort="date"))
    assert oldest == ["v6", "v7", "v1", "v5", "v4", "v2", "v3"]
    newest = found(client, archive, "v0", replace(VERSIONS, sort="-date"))
    assert newest[:4] == ["v2", "v4", "v5", "v1"]
    assert newest[-1] == "v3"


def test_the_oldest_are_chosen_among_all_not_among_the_best(client: Any, archive: str) -> None:
    cut = found(client, archive, "v0", replace(VERSIONS, sort="date", size=3))
    assert cut == found(client, archive, "v0", replace(VERSIONS, sort="date"))[:3]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("sort", ["score", "date", "-date"])
@pytest.mark.parametrize("passages", [True, False])
def test_pages_together_are_the_whole_answer(
    client: Any, archive: str, sort: Any, passages: bool
) -> None:
    from es_simhash import Index

    options = SearchOptions(size=4, sort=sort, passages=passages, evidence=False, min_score=0.1)
    pages = list(Index(client, archive).pages(id="v0", options=options))
    listed = [str(relation.id) for page in pages for relation in page]
    assert len(listed) == len(set(listed))
    whole = found(client, archive, "v0", replace(options, size=100))
    assert sorted(listed) == sorted(whole)
    if sort != "score":
        assert listed == whole
    assert [len(page) for page in pages[:-1]] == [4] * (len(pages) - 1)
    assert pages[0].extent.next_offset == 4
    assert pages[-1].extent.next_offset is None
    assert pages[-1].extent.total == len(whole)
    jumped = found(client, archive, "v0", replace(options, offset=5))
    assert jumped == listed[5:9]


def test_an_answer_says_how_many_there_are(client: Any, archive: str) -> None:
    from es_simhash import Index

    index = Index(client, archive)
    answer = index.related(id="v0", options=replace(VERSIONS, size=2))
    assert (len(answer), answer.extent.total, answer.extent.is_estimate) == (2, 7, False)
    beyond = index.related(id="v0", options=replace(VERSIONS, offset=50))
    assert (list(beyond), beyond.extent.total, beyond.extent.next_offset) == ([], 7, None)


@pytest.mark.parametrize("id", ["harbour", "bank"])
def test_a_total_that_is_no_estimate_is_that_of_all_pages(asked: Any, id: str) -> None:
    options = SearchOptions(size=1, evidence=False, min_score=0.01)
    pages = list(asked.pages(id=id, options=options))
    assert len(pages) > 3
    listed = sum(1 + relation.copies for page in pages for relation in page)
    whole = asked.related(id=id, options=replace(options, size=100))
    for page in pages:
        # What is aligned out of turn, for its words, was counted twice.
        assert page.extent.total == listed or page.extent.is_estimate
        assert page.extent.total <= whole.extent.total


def test_each_relation_says_title_date_and_direction(client: Any, archive: str) -> None:
    from es_simhash import Index

    answer = Index(client, archive).related(id="v0", options=VERSIONS)
    assert answer.document is not None
    assert (answer.document.title, answer.document.date) == ("A text", "2026-01-05")
    by_id = {relation.id: relation for relation in answer}
    directions = {id: relation.direction for id, relation in by_id.items()}
    assert directions == {
        "v1": "older", "v2": "newer", "v3": None, "v4": "newer", "v5": "same", "v6": "older",
        "v7": "older",
    }  # fmt: skip
    contexts = {id: relation.document for id, relation in by_id.items()}
    assert contexts["v1"] is not None
    assert contexts["v1"].title == TITLE
    assert contexts["v1"].link == "https://example.org/1"
    assert contexts["v2"] is not None
    assert contexts["v2"].link is None  # no web address
    assert contexts["v3"] is not None
    assert (contexts["v3"].date, contexts["v3"].owner) == (None, "news")
    assert contexts["v4"] is not None
    assert contexts["v4"].date == "2026-01-07"  # of several the latest
    assert contexts["v7"] is not None
    assert contexts["v7"].date == "2026-01-02"
    mirrored = Index(client, archive).related(id="v1", options=VERSIONS)
    assert {each.id: each.direction for each in mirrored}["v0"] == "newer"


def test_a_text_is_neither_older_nor_newer(
    client: Any, archive: str, make_text: Callable[..., str]
) -> None:
    from es_simhash import Index

    answer = Index(client, archive).related(text=make_text(1, 300), options=VERSIONS)
    assert {relation.direction for relation in answer} == {None}
    assert {relation.document.owner for relation in answer if relation.document} == {"news"}


def test_excluded_documents_make_room_for_others(client: Any, archive: str) -> None:
    every = found(client, archive, "v0", replace(VERSIONS, size=3))
    left = found(client, archive, "v0", replace(VERSIONS, size=3, exclude=(every[0],)))
    assert left[:2] == every[1:]
    assert len(left) == 3


@pytest.mark.long
def test_other_families_have_no_version_that_families_did_not_see_yet(
    client: Any, archive: str, make_text: Callable[..., str], revise: Callable[..., str]
) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.maintenance.families.find_families import find_families

    find_families(client, archive)
    late = {"id": "late", "body": revise(make_text(1, 300), 9)}
    assert [each for each in ingest(client, archive, [late]) if not each.ok] == []
    client.indices.refresh(index=archive)
    options = SearchOptions(evidence=False, size=50, family="other")
    assert "late" not in found(client, archive, "v0", options)
    assert "late" in found(client, archive, "v0", replace(options, kinds=VERSIONS.kinds))


@pytest.mark.long
def test_families_narrow_an_answer(client: Any, archive: str) -> None:
    from es_simhash import Index
    from es_simhash.maintenance.families.find_families import find_families

    options = SearchOptions(evidence=False, size=50)
    with pytest.raises(InputError, match="no version family") as missing:
        found(client, archive, "v0", replace(options, family="same"))
    assert missing.value.parameter == "family"
    find_families(client, archive)
    client.indices.refresh(index=archive)
    same = found(client, archive, "v0", replace(options, family="same"))
    assert sorted(same) == [f"v{number}" for number in range(1, 8)]
    others = found(client, archive, "v0", replace(options, family="other"))
    assert others
    assert all(id.startswith("p") for id in others)
    with pytest.raises(InputError, match="A text has no version family"):
        Index(client, archive).related(text="A text", options=replace(options, family="other"))
    answer = Index(client, archive).related(id="v0", options=options)
    by_family = answer.groups("family")
    assert sorted(map(len, by_family.values()))[-1] == 7
    assert [*answer.groups("kind")] == [*dict.fromkeys(each.kind for each in answer)]


def test_what_cannot_be_ordered_is_rejected(client: Any, archive: str) -> None:
    from es_simhash import Index
    from es_simhash.questions.memory import MemoryIndex
    from es_simhash.store.installation.document_settings import configure

    configure(client, archive, {"date": None})
    with pytest.raises(InputError, match="no date field") as missing:
        Index(client, archive).related(id="v0", options=SearchOptions(sort="date"))
    assert missing.value.parameter == "sort"
    with pytest.raises(InputError, match="recency"):
        SearchOptions(sort="date", recency=Recency("published"))
    for wrong in ({"sort": "id"}, {"offset": -1}, {"family": "mine"}):
        with pytest.raises(InputError) as refused:
            SearchOptions(**wrong)  # type: ignore[arg-type]
        assert refused.value.parameter == next(iter(wrong))
    memory = MemoryIndex()
    memory.add("a", "One two three")
    with pytest.raises(InputError, match="neither dates nor families"):
        memory.related(id="a", options=SearchOptions(sort="date"))


@pytest.mark.long
def test_a_minimum_score_of_the_index_counts_where_none_is_named(client: Any, archive: str) -> None:
    from es_simhash import Index
    from es_simhash.store.installation.document_settings import configure

    options = SearchOptions(evidence=False, size=50)
    every = found(client, archive, "v0", options)
    configure(client, archive, {"min_score": 0.6})
    assert found(client, archive, "v0", options) == [id for id in every if id.startswith("v")]
    named = found(client, archive, "v0", replace(options, min_score=0.2))
    assert named == every
    assert Index(client, archive).config.min_score == 0.6


def test_a_sidecar_knows_dates_and_titles_of_the_first_index(client: Any, archive: str) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.questions.index import open_index

    sidecar = f"{archive}-side"
    try:
        assert all(each.ok for each in backfill(client, archive, sidecar=sidecar))
        client.indices.refresh(index=sidecar)
        answer = open_index(client, sidecar).related(
            id="v0", options=replace(VERSIONS, sort="-date")
        )
        assert [relation.id for relation in answer][:2] == ["v2", "v4"]
        assert answer.document is not None
        assert answer.document.title == "A text"
        assert answer[0].direction == "newer"
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


@pytest.mark.parametrize(
    ("pattern", "id", "source", "address"),
    [
        ("https://e.org/{id}", "a b/c?", {}, "https://e.org/a%20b%2Fc%3F"),
        ("/{section}/{id}", "1", {"section": "ü"}, "/%C3%BC/1"),
        ("/{section}/{id}", "1", {}, None),
        ("{url}", "1", {"url": "https://e.org/ä"}, "https://e.org/ä"),
        ("{url}", "1", {"url": "javascript:alert(1)"}, None),
        ("{url}", "1", {"url": "https://e.org/ x"}, None),
        ("{url}", "1", {"url": {"href": "https://e.org"}}, None),
        ("{meta.url}", "1", {"meta": {"url": ["https://e.org/1"]}}, "https://e.org/1"),
    ],
)
def test_links_are_addresses_and_nothing_else(
    pattern: str, id: str, source: dict[str, Any], address: str | None
) -> None:
    assert linked(pattern, id, source) == address


@pytest.mark.long
def test_the_table_shows_context_in_one_line_each(
    client: Any, archive: str, cluster_url: str
) -> None:
    from click.testing import CliRunner

    from es_simhash.cli.main import cli

    def shown(*arguments: str, width: str = "80") -> str:
        called = ["related", archive, "--id", "v0", *arguments, "--url", cluster_url]
        return CliRunner().invoke(cli, called, env={"COLUMNS": width}).output

    table = shown("--kind", "version", "--sort", "date", "--size", "2")
    lines = [line for line in table.splitlines() if "│" in line]
    assert len(lines) == 2
    assert "2026-01-02 │ older" in lines[0]
    assert "2 of 7; --from 2 shows the next." in table
    assert TITLE[:100] not in shown("--kind", "version")
    assert "alert" in shown("--kind", "version", width="160")
    grouped = shown("--group", "kind", "--size", "30")
    assert "\nversion\n" in grouped
    assert "\nshares_passages\n" in grouped
    assert "section" in shown("--field", "section")
    assert "--evidence needs" in shown("--evidence", "--no-passages")
