"""A report of an index on the engine: what is counted, and what is said where bounds cut."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.maintenance.reports import families, read
from es_simhash.maintenance.reports.index_report import IndexReport, ReportOptions
from es_simhash.maintenance.reports.page import headline, report_html
from es_simhash.maintenance.reports.read import read_report
from es_simhash.questions.index import Index
from tests.support.made_up_texts import make_prose, make_text, revise
from tests.support.pages import HOSTILE, Page

pytestmark = pytest.mark.cluster

TITLES = {"a": "港口起重机倒塌", "b": "أعلنت هيئة المياه", "c": "नगर परिषद की बैठक"}
TAKEN = " ".join(make_prose(50, 4))
NOTICE = " ".join(make_prose(51, 3))

Build = Callable[..., str]


def documents() -> Iterator[dict[str, Any]]:
    """Families of four (two with the same text), three and two documents, and five unique ones."""
    for number, (name, count) in enumerate({"a": 4, "b": 3, "c": 2}.items()):
        original = make_text(number)
        for version in range(count):
            text = original if version == 0 else revise(original, 100 + version)
            yield document(f"{name}{version}", text, f"202{version}-0{number + 1}-01", TITLES[name])
    yield document("a-copy", make_text(0).upper(), "2019-01-01", "A copy")
    for number in range(4):
        yield document(f"u{number}", make_text(20 + number), "2030-01-01", "Unique")


def document(id: str, text: str, published: str, title: str) -> dict[str, Any]:
    return {"id": id, "text": text, "published": published, "title": title}


@pytest.fixture
def build(client: Any, index_name: str) -> Build:
    """Make an index of documents, with families unless told otherwise."""

    def make(found: list[dict[str, Any]], *, with_families: bool = True) -> str:
        from es_simhash.ingestion.ingest import ingest
        from es_simhash.maintenance.families.find_families import find_families
        from es_simhash.store.config import IndexConfig
        from es_simhash.store.installation.document_settings import configure
        from es_simhash.store.installation.install import install

        install(client, index_name, semantics=None)
        properties = {"published": {"type": "date"}, "title": {"type": "keyword"}}
        client.indices.put_mapping(index=index_name, properties=properties)
        configure(client, index_name, {"title": "title", "date": "published"})
        config = IndexConfig(text_field="text")
        assert all(outcome.ok for outcome in ingest(client, index_name, found, config=config))
        client.indices.refresh(index=index_name)
        if with_families and found:
            find_families(client, index_name)
            client.indices.refresh(index=index_name)
        return index_name

    return make


@pytest.fixture
def report(client: Any, build: Build) -> IndexReport:
    return read_report(Index(client, build(list(documents()))))


def test_versions_copies_and_unique_are_counted(report: IndexReport) -> None:
    assert report.sizes is not None
    assert dict(report.sizes.counts) == {5: 1, 3: 1, 2: 1, 1: 4}
    assert (report.sizes.versions, report.sizes.families, report.sizes.unique) == (10, 3, 4)
    assert report.exact is not None
    assert (report.exact.copies, report.exact.examined) == (1, 10)
    assert [set(pair) for pair in report.exact.pairs] == [{"a0", "a-copy"}]
    assert report.notes == ()
    assert headline(report) == "71% of these 14 documents are versions of others"


def test_the_largest_families_have_titles_and_dates(report: IndexReport) -> None:
    assert [family.documents for family in report.largest] == [5, 3, 2]
    second = report.largest[1]
    assert (second.oldest, second.newest) == ("2020-02-01", "2022-02-01")
    assert second.representative.context.title == TITLES["b"]


def test_the_newest_versions_are_one_of_each_family(report: IndexReport) -> None:
    assert report.newest is not None
    assert [(each.document.id, each.oldest) for each in report.newest.versions] == [
        ("a3", "2019-01-01"),
        ("b2", "2020-02-01"),
        ("c1", "2020-03-01"),
    ]
    assert report.newest.examined == 14


def test_the_pairs_next_to_where_versions_begin_are_explained(client: Any, build: Build) -> None:
    words = make_text(1, 240).split(" ")
    shares = (0.02, 0.04, 0.08, 0.1, 0.15, 0.3, 0.5, 0.7, 0.9)
    revised = [
        document(
            f"d{n}",
            " ".join([*words[: int(240 * share)], make_text(n, 60)]),
            "2020-01-01",
            f"Share {share}",
        )
        for n, share in enumerate(shares, 30)
    ]
    original = document("whole", " ".join(words), "2019-01-01", "港口")
    index = Index(client, build([original, *revised]))
    sample = read_report(index).scores
    assert sample is not None
    compared = [pair for pair in sample.pairs if pair.kind not in ("exact", "semantic")]
    above = sorted(pair.score for pair in compared if pair.score >= 0.6)[:2][::-1]
    below = sorted(pair.score for pair in compared if pair.score < 0.6)[-2:][::-1]
    assert len(above) == len(below) == 2
    assert [pair.score for pair in sample.closest] == [*above, *below]
    for pair in sample.closest:
        relation = index.explain(pair.a.id, pair.b.id)
        assert (pair.kind, pair.log_odds) == (relation.kind, relation.log_odds)
        assert pair.a.context.title != pair.b.context.title
        assert {pair.a.id, pair.b.id} <= {"whole", *(each["id"] for each in revised)}


def test_pages_of_families_and_a_sample_count_the_same(
    client: Any, build: Build, report: IndexReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "_FAMILIES_PAGE", 2)
    monkeypatch.setattr(read, "MAX_EXAMINED", 5)
    again = read_report(Index(client, report.status.index))
    assert again.sizes == report.sizes
    assert again.exact is not None
    assert again.exact.examined <= 5
    sampled = f"a sample of {again.exact.examined} of the 10 documents that have versions"
    assert any(sampled in note for note in again.notes)


def test_the_end_of_the_time_is_said(
    client: Any, report: IndexReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "_FAMILIES_PAGE", 2)
    cut = read_report(Index(client, report.status.index), options=ReportOptions(seconds=1e-9))
    assert cut.sizes is not None
    assert not cut.sizes.is_complete
    assert 0 < cut.sizes.documents < 14
    assert f"those of {cut.sizes.documents} of 14 documents" in cut.notes[0]
    assert f"these {cut.sizes.documents} documents" in headline(cut)


def test_copies_and_boilerplate_are_looked_for_when_told(client: Any, build: Build) -> None:
    def text(seed: int, passage: str) -> str:
        sentences = make_prose(seed, 16)
        return " ".join([*sentences[:8], passage, *sentences[8:]])

    found = [
        document("a", text(1, TAKEN), "2020-01-01", "A"),
        document("b", text(2, TAKEN), "2021-01-01", "B"),
        *(document(f"n{n}", text(10 + n, NOTICE), "2022-01-01", "N") for n in range(7)),
    ]
    index = build(found)
    assert read_report(Index(client, index)).copies is None
    report = read_report(Index(client, index), options=ReportOptions(copies=True))
    assert report.copies is not None
    assert [(copy.a.id, copy.b.id) for copy in report.copies.copies] == [("a", "b")]
    page = Page(report_html(report))
    assert "By date: A (a), 2020-01-01, then B (b), 2021-01-01" in page.words
    assert " ".join(TAKEN.split())[:200] in page.words
    assert "Shared boilerplate" in page.words


def test_copies_of_a_large_index_are_left_to_their_command(
    client: Any, report: IndexReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "MAX_COMPARED", 13)
    found = read_report(Index(client, report.status.index), options=ReportOptions(copies=True))
    assert found.copies is None
    assert any("has 14 documents, and a report compares 13" in note for note in found.notes)


def test_an_empty_index_has_a_page(client: Any, build: Build, require_accessible: Any) -> None:
    report = read_report(Index(client, build([])), options=ReportOptions(copies=True))
    page = Page(report_html(report))
    assert "This index has no documents" in page.words
    page.require_harmless()
    require_accessible(page.source)


def test_an_index_without_families_says_how_to_get_them(client: Any, build: Build) -> None:
    index = build(list(documents()), with_families=False)
    page = Page(report_html(read_report(Index(client, index))))
    assert "These 14 documents have not been grouped into families yet" in page.words
    assert f"es-simhash families run {index}" in page.words


def test_documents_without_fingerprints_are_an_error_when_all_are(
    client: Any, build: Build
) -> None:
    index = build([])
    client.index(index=index, id="plain", document={"text": TAKEN}, refresh=True)
    with pytest.raises(InputError, match=f"Run `es-simhash backfill {index}`"):
        read_report(Index(client, index))


def test_some_documents_without_fingerprints_are_said(client: Any, report: IndexReport) -> None:
    index = report.status.index
    client.index(index=index, id="plain", document={"text": TAKEN}, refresh=True)
    again = read_report(Index(client, index))
    assert headline(again) == "67% of these 15 documents are versions of others"
    words = Page(report_html(again)).words
    assert "1 document has no fingerprints" in words
    assert "Not grouped" in words


def test_an_index_that_was_not_installed_is_an_error(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match=f"es-simhash install {index_name}"):
        read_report(Index(client, index_name))


def test_an_unknown_date_field_is_an_error(client: Any, build: Build) -> None:
    with pytest.raises(InputError, match="whn"):
        read_report(Index(client, build([])), options=ReportOptions(date_field="whn"))


def test_what_documents_say_is_shown_as_text(
    client: Any, build: Build, require_accessible: Any
) -> None:
    text = f"{HOSTILE} {make_text(1)}"
    found = [
        document(f"{HOSTILE} {number}", text, f"202{number}-01-01", f"{HOSTILE} {'long ' * 400}")
        for number in range(3)
    ]
    index = build(found)
    client.indices.put_mapping(index=index, properties={"owner": {"type": "keyword"}})
    page = Page(report_html(read_report(Index(client, index))))
    page.require_harmless()
    assert page.text.count("<script>alert(1)</script>") >= 4
    require_accessible(page.source)


def test_the_page_is_accessible_and_whole(report: IndexReport, require_accessible: Any) -> None:
    page = Page(report_html(report))
    page.require_harmless()
    page.require_linked()
    for title in (TITLES["a"], TITLES["b"], TITLES["c"]):
        assert title in page.text
    assert report.scores is not None
    tables = 5 + len(report.scores.closest)
    assert page.source.count("<table") == page.source.count("<caption>") == tables
    require_accessible(page.source)


def test_a_sidecar_has_no_report(client: Any, index_name: str) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill

    sidecar = f"{index_name}-near"
    client.index(index=index_name, id="a", document={"text": TAKEN}, refresh=True)
    try:
        assert all(outcome.ok for outcome in backfill(client, index_name, sidecar=sidecar))
        with pytest.raises(MappingConflict, match=f"is the sidecar of '{index_name}'"):
            read_report(Index(client, sidecar))
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)
