"""Semantic neighbours through a sidecar, with the filters and dates of the first index."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import IndexMissing, InputError
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.questions.index import Index, SidecarIndex, open_index
from es_simhash.relation.answer import Answer
from es_simhash.store.elasticsearch import sidecar_searches
from es_simhash.store.installation.install import install
from es_simhash.store.options import Limits, Recency, SearchOptions

pytestmark = pytest.mark.cluster

ONE = BackfillSettings(processes=1)
STRIKE = (
    "Dock workers in Saltwick walked out on Monday after talks over pay broke down. The harbour "
    "authority said container ships would be diverted to Northport, and the union, led by Marion "
    "Hale, warned that the strike could last for weeks."
)
UNION = (
    "A strike has closed the port of Saltwick. According to Marion Hale of the dock workers' "
    "union, nobody returns to the harbour before wages rise; shipping companies send every "
    "container vessel on to Northport instead."
)
HISTORY = (
    "Saltwick grew rich on herring. Its harbour was dug by hand, and for two centuries dock "
    "families unloaded ships there before the first container crane arrived."
)
BEES = (
    "Beekeepers on the roofs of the old town harvest honey twice a summer, because lime trees "
    "and gardens flower for longer than the fields outside."
)
DOCUMENTS = {
    "strike": {"text": STRIKE, "shelf": "news", "day": "2026-03-01"},
    "revised": {"text": STRIKE.replace("weeks", "months"), "shelf": "news", "day": "2026-03-02"},
    "union": {"text": UNION, "shelf": "press", "day": "2026-03-03"},
    "union-copy": {"text": f"{UNION} More soon.", "shelf": "archive", "day": "2020-03-03"},
    "history": {"text": HISTORY, "shelf": "books", "day": "1990-01-01"},
    "bees": {"text": BEES, "shelf": "books", "day": "2026-03-03"},
}
NEAR = SearchOptions(kinds=("semantic",), min_score=0.05)


@pytest.fixture
def name(index_name: str, client: Any) -> Iterator[str]:
    """Name of the sidecar, which is deleted after the test."""
    yield f"{index_name}-sidecar"
    client.indices.delete(index=f"{index_name}-sidecar", ignore_unavailable=True)


@pytest.fixture
def beside(client: Any, index_name: str, name: str, write: Callable[..., None]) -> SidecarIndex:
    """The documents, enriched in a sidecar."""
    write(index_name, DOCUMENTS)
    list(backfill(client, index_name, sidecar=name, settings=ONE))
    client.indices.refresh(index=name)
    return SidecarIndex(client, name)


@pytest.fixture
def within(client: Any, index_name: str, beside: SidecarIndex) -> Index:
    """The same documents, enriched in place as well."""
    install(client, index_name)
    list(backfill(client, index_name, settings=ONE))
    client.indices.refresh(index=index_name)
    return Index(client, index_name)


def ids(answer: Answer) -> list[str | None]:
    return [each.id for each in answer]


def shelf(*names: str) -> tuple[dict[str, Any], ...]:
    return ({"terms": {"shelf.keyword": list(names)}},)


def test_neighbours_come_with_their_evidence(beside: SidecarIndex, index_name: str) -> None:
    (found,) = [each for each in beside.related(id="strike") if each.id in ("union", "union-copy")]
    assert (found.kind, found.index, found.copies) == ("semantic", index_name, 1)
    assert found.evidence
    assert found.semantics is not None
    assert "Marion Hale" in {each.text for each in found.semantics.shared}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        NEAR,
        SearchOptions(min_score=0.05, collapse=False, fields=("shelf",)),
        SearchOptions(min_score=0.05, filters=shelf("archive", "books")),
        SearchOptions(min_score=0.05, recency=Recency("day", origin=1772500000000.0, weight=0.9)),
        SearchOptions(min_score=0.05, recency=Recency("day", weight=0.9)),
    ],
    ids=["default", "neighbours", "all copies", "filtered", "recent", "since the newest"],
)
def test_the_answer_is_that_of_one_index(
    beside: SidecarIndex, within: Index, options: SearchOptions
) -> None:
    for id in DOCUMENTS:
        assert list(beside.related(id=id, options=options)) == list(
            within.related(id=id, options=options)
        )
    assert beside.explain("strike", "union") == within.explain("strike", "union")


def test_newer_neighbours_come_first(beside: SidecarIndex) -> None:
    recency = Recency("day", origin=1772500000000.0, weight=1.0)
    recent = SearchOptions(kinds=("semantic",), min_score=0.0, collapse=False, recency=recency)
    plain = {
        each.id: each.score
        for each in beside.related(id="strike", options=replace(recent, recency=None))
    }
    scores = {each.id: each.score for each in beside.related(id="strike", options=recent)}
    assert next(iter(scores)) == "union"
    assert scores == plain


def test_a_misspelt_date_field_names_the_nearest_of_the_first_index(beside: SidecarIndex) -> None:
    with pytest.raises(InputError, match=f"No mapping of {beside.source} .* is 'day'. Set recency"):
        beside.related(id="strike", options=SearchOptions(recency=Recency("dya")))


def test_a_copy_that_the_filter_leaves_out_hides_no_other(beside: SidecarIndex) -> None:
    for wanted in (["press"], ["archive"]):
        options = SearchOptions(kinds=("semantic",), filters=shelf(*wanted))
        assert len(beside.related(id="strike", options=options)) == 1


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("few", [1, 5000])
def test_a_filter_is_applied_before_neighbours_are_cut(
    client: Any,
    index_name: str,
    name: str,
    write: Any,
    few: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Filters that leave more documents than can be named are applied to what the sidecar gives.
    monkeypatch.setattr(sidecar_searches, "MAX_IDS", few)
    crowd = {f"c{n}": {"text": f"{UNION} Report {n}.", "shelf": "press"} for n in range(60)}
    books = {f"b{n}": {"text": BEES, "shelf": "books"} for n in range(5)}
    write(index_name, {**crowd, **books, "history": {"text": HISTORY, "shelf": "books"}})
    list(backfill(client, index_name, sidecar=name, settings=ONE))
    client.indices.refresh(index=name)
    options = SearchOptions(kinds=("semantic",), min_score=0.05, limits=Limits(candidates=5))
    beside = SidecarIndex(client, name)
    assert "history" not in ids(beside.related(text=STRIKE, options=options))
    filtered = SearchOptions(
        kinds=("semantic",), min_score=0.05, limits=Limits(candidates=5), filters=shelf("books")
    )
    assert ids(beside.related(text=STRIKE, options=filtered))[0] == "history"


def test_an_answer_that_was_not_cut_is_not_called_so(beside: SidecarIndex) -> None:
    options = SearchOptions(filters=shelf("news"), limits=Limits(candidates=3))
    assert not beside.related(id="strike", options=options).truncated
    options = SearchOptions(limits=Limits(candidates=1))
    assert beside.related(text=f"{STRIKE} {UNION}", options=options).truncated


def test_fingerprints_of_another_scheme_in_the_first_index_do_not_matter(
    client: Any, index_name: str, beside: SidecarIndex
) -> None:
    client.update(index=index_name, id="strike", doc={"simhash": {"scheme": "old"}}, refresh=True)
    assert "revised" in ids(beside.related(id="strike"))


def test_routed_documents_are_found(client: Any, index_name: str, name: str, write: Any) -> None:
    client.indices.create(index=index_name, settings={"number_of_shards": 3})
    write(index_name, {"strike": DOCUMENTS["strike"], "union": DOCUMENTS["union"]}, routing="x")
    list(backfill(client, index_name, sidecar=name, settings=ONE))
    client.indices.refresh(index=name)
    (found,) = SidecarIndex(client, name).related(id="strike", options=NEAR)
    assert (found.id, bool(found.evidence)) == ("union", True)


def test_the_command_line_asks_across_the_two(
    beside: SidecarIndex, name: str, cluster_url: str
) -> None:
    def run(*arguments: str) -> Any:
        done = CliRunner().invoke(cli, [*arguments, "--url", cluster_url, "--format", "json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    news = json.dumps(shelf("news", "archive")[0])
    [answer] = run("related", name, "--id", "strike", "--evidence", "--filter", news)
    found = answer["relations"]
    assert [(each["id"], each["kind"]) for each in found] == [
        ("revised", "version"),
        ("union-copy", "semantic"),
    ]
    assert all(each["evidence"] for each in found)
    pair = run("explain", name, "strike", "union")
    assert pair["kind"] == "semantic"
    assert pair["evidence"]


def test_only_a_sidecar_is_opened_as_one(
    client: Any, index_name: str, name: str, beside: SidecarIndex
) -> None:
    assert isinstance(open_index(client, name), SidecarIndex)
    assert isinstance(open_index(client, index_name), Index)
    with pytest.raises(IndexMissing):
        open_index(client, f"{index_name}-none")
