"""A report of the documents that match filters alone, and the sample of scores."""

from typing import Any

import pytest

from es_simhash.maintenance.reports.index_report import ReportOptions
from es_simhash.maintenance.reports.page import report_html
from es_simhash.maintenance.reports.read import read_report
from es_simhash.questions.index import Index
from tests.support.library import fill
from tests.support.made_up_texts import make_text, revise
from tests.support.pages import Page

pytestmark = pytest.mark.cluster

A, B = ({"term": {"tenant": name}} for name in "ab")


@pytest.fixture
def shared(client: Any, index_name: str) -> str:
    """A family of three documents of tenant a and one of b, one of two of b, and one stranger."""
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.installation.document_settings import configure

    properties = {"tenant": {"type": "keyword"}, "published": {"type": "date"}}
    client.indices.create(index=index_name, mappings={"properties": properties})
    first, second = make_text(1), make_text(2)
    texts = {
        "a1": first, "a2": revise(first, 3), "a3": first.upper(), "b1": revise(first, 4),
        "b2": second, "b3": revise(second, 5), "a4": make_text(6),
    }  # fmt: skip
    documents = [
        {"id": id, "text": text, "tenant": id[0], "title": f"Title {id}", "published": "2020-01-01"}
        for id, text in texts.items()
    ]
    fill(client, index_name, *documents, semantics=None)
    configure(client, index_name, {"title": "title", "date": "published", "owner": "tenant"})
    find_families(client, index_name)
    client.indices.refresh(index=index_name)
    return index_name


def test_what_does_not_match_is_as_if_it_were_not_there(client: Any, shared: str) -> None:
    options = ReportOptions(filters=(A,), copies=True)
    report = read_report(Index(client, shared), options=options)
    assert (report.status.documents, report.status.in_families) == (4, 4)
    assert report.sizes is not None
    assert dict(report.sizes.counts) == {3: 1, 1: 1}
    assert report.exact is not None
    assert [set(pair) for pair in report.exact.pairs] == [{"a1", "a3"}]
    assert report.scores is not None
    assert {id for pair in report.scores.pairs for id in (pair.a, pair.b)} == {"a1", "a2", "a3"}
    assert report.copies is not None
    assert report.copies.documents == 4
    assert [family.representative.id[0] for family in report.largest] == ["a"]
    page = Page(report_html(report))
    assert not [id for id in ("b1", "b2", "b3") if f"Title {id}" in page.words]
    of_b = read_report(Index(client, shared), options=ReportOptions(filters=(B,)))
    assert of_b.sizes is not None
    assert dict(of_b.sizes.counts) == {2: 1, 1: 1}
    assert not read_report(
        Index(client, shared), options=ReportOptions(filters=(A, B))
    ).status.documents


@pytest.mark.parametrize("newest", ["a1", "a2", "a3"])
def test_who_represents_a_family_is_that_of_the_last_run(
    client: Any, shared: str, newest: str
) -> None:
    from es_simhash.maintenance.families.family_options import FamilyOptions
    from es_simhash.maintenance.families.find_families import find_families

    for id, date in ((newest, "2021-01-01"), ("b1", "2022-01-01")):
        client.update(index=shared, id=id, doc={"published": date}, refresh=True)
    find_families(client, shared, options=FamilyOptions("newest"))
    client.indices.refresh(index=shared)
    (family,) = read_report(Index(client, shared), options=ReportOptions(filters=(A,))).largest
    assert family.representative.id == newest


def test_scores_are_those_of_related_each_pair_once(client: Any, shared: str) -> None:
    from es_simhash import Index

    report = read_report(Index(client, shared))
    assert report.scores is not None
    assert (report.scores.documents, report.scores.related) == (7, 6)
    answers = Index(client, shared).related_to_each([pair.a for pair in report.scores.pairs])
    for pair in report.scores.pairs:
        found = {relation.id: relation for relation in answers[pair.a]}
        assert (pair.kind, pair.score) == (found[pair.b].kind, found[pair.b].score)
    assert len({frozenset((pair.a, pair.b)) for pair in report.scores.pairs}) == 6 + 1
    page = Page(report_html(report))
    assert "Of 7 documents, drawn at random by a fixed seed, 6 (86%) are related" in page.words


def test_a_smaller_sample_is_the_same_each_time(client: Any, shared: str) -> None:
    options = ReportOptions(sampled=2)
    once, again = (read_report(Index(client, shared), options=options).scores for _ in range(2))
    assert once is not None
    assert once == again
    assert once.documents == 2
    assert read_report(Index(client, shared), options=ReportOptions(sampled=0)).scores is None
