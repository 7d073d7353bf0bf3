"""The page of a report, without a server."""

import re
from dataclasses import replace
from typing import Any

import pytest

from es_simhash.maintenance.reports.index_report import (
    ClosePair,
    ExactCopies,
    FamilySizes,
    IndexReport,
    LargeFamily,
    NewestVersions,
    NewVersion,
    ReportedDocument,
    ScoredPair,
    ScoreSample,
)
from es_simhash.maintenance.reports.page import ReportLinks, ReportPage, report_html
from es_simhash.relation.relation import DocumentContext
from es_simhash.store.index_counts import SchemeCoverage, Status
from tests.support.pages import HOSTILE, Page

STATUS = Status(
    index=HOSTILE,
    documents=20,
    fingerprints=SchemeCoverage("s-v2", 18, {"older": 1}, 1),
    empty=1,
    failed=0,
    profiles=None,
    families=12,
    in_families=18,
    duplicates=2,
    bytes=None,
)
HOSTILE_DOCUMENT = ReportedDocument(
    HOSTILE, "articles", DocumentContext(title=HOSTILE, owner=HOSTILE, link="javascript:alert(1)")
)
LINKED = ReportedDocument(
    "d1", "articles", DocumentContext(date="2021-05-01T10:00:00Z", link="https://x.example/?a&b")
)
REPORT = IndexReport(
    status=STATUS,
    at="2024-05-01 10:00 UTC",
    sizes=FamilySizes({1: 8, 2: 2, 3: 2}, True),
    exact=ExactCopies(1, 10),
    largest=(
        LargeFamily("f", 3, HOSTILE_DOCUMENT, "2020-01-01T00:00:00Z", "2021-02-03T04:05:06Z"),
        LargeFamily("g", 2, LINKED, None, None),
    ),
    newest=NewestVersions((NewVersion(HOSTILE_DOCUMENT, 2, "2018-03-04T05:06:07Z"),), 9),
    copies=None,
    scores=ScoreSample(
        5,
        3,
        (ScoredPair("a", "b", "version", 0.73),),
        (ClosePair(HOSTILE_DOCUMENT, LINKED, "version", 0.62, {"start": -4.0, "words": 4.5}),),
    ),
    notes=(HOSTILE,),
)


def test_a_page_escapes_all_that_comes_from_documents(require_accessible: Any) -> None:
    source = report_html(REPORT)
    page = Page(source)
    page.require_harmless()
    page.require_linked()
    assert page.words.count("javascript:alert(3)") >= 9
    assert page.values("href") == ["https://x.example/?a&b"] * 2
    require_accessible(source)


def test_documents_have_their_dates_and_a_family_its_first_and_last() -> None:
    source = report_html(REPORT)
    words = Page(source).words
    assert "2020-01-01 to 2021-02-03" in words
    assert "d12021-05-01" in words
    assert "1 other version, the oldest of 2018-03-04" in words
    assert '<th scope="row">0.7–0.8</th><td class="number">1</td>' in source
    assert "<small>version 1</small>" in source


def test_pairs_next_to_the_threshold_have_a_waterfall() -> None:
    source = report_html(REPORT)
    words = Page(source).words
    assert "version, score 0.62" in words
    steps = re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td><td><svg class="step"', source)
    assert [added for _, added in steps] == ["-4.0", "+4.5", "0.5"]
    none = replace(REPORT, scores=ScoreSample(5, 3, (ScoredPair("a", "b", "version", 0.73),)))
    assert "Where versions begin" not in Page(report_html(none)).words


@pytest.mark.parametrize(
    ("report", "headline"),
    [
        (replace(REPORT, sizes=None), "These 20 documents have not been grouped into families yet"),
        (replace(REPORT, status=replace(STATUS, documents=0)), "This index has no documents"),
        (
            replace(REPORT, sizes=FamilySizes({1: 20}, True)),
            "None of these 20 documents is a version of another",
        ),
        (REPORT, "50% of these 20 documents are versions of others"),
        (
            replace(REPORT, sizes=FamilySizes({1: 8, 2: 1}, False)),
            "20% of these 10 documents are versions of others",
        ),
    ],
)
def test_the_headline_says_what_is_known(report: IndexReport, headline: str) -> None:
    assert ReportPage(report).headline == headline
    assert headline in Page(report_html(report)).words


def test_links_of_a_report_to_mail_lead_to_pages_of_the_web_alone() -> None:
    links = ReportLinks()
    for link in ("javascript:alert(1)", "data:text/html,x", " https://x.example", "/path", None):
        assert links.document("d", DocumentContext(link=link)) is None
    assert links.document("d", DocumentContext(link="http://x.example")) == "http://x.example"
