"""A sidecar: fields in a second index, relations across the two."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from es_simhash.errors import DocumentMissing, InputError, MappingConflict
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import Index, SidecarIndex
from es_simhash.relation.answer import Answer
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.install import install
from es_simhash.store.options import Limits, SearchOptions

pytestmark = pytest.mark.cluster

RETRY = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.5)
ONE = BackfillSettings(processes=1, retry=RETRY)
SMALL = BackfillSettings(processes=1, slices=2, page=5, retry=RETRY)

TEXT = (
    "The harbour was quiet that morning, and nobody had seen the ferry leave the pier. "
    "Two fishermen mended their nets beside the old lighthouse and talked about the storm. "
    "Later in the day the wind turned, and the boats that had stayed out came back one by one."
)
REVISED = TEXT.replace("quiet", "silent").replace("Two fishermen", "Three fishermen")
OTHER = (
    "An entirely different report tells how the committee chose a new site for the museum. "
    "The architects had asked for more light, and the neighbours for fewer visitors on Sundays."
)


# Of the documents of `plain`, one has no text.
WRITTEN = {"written": 4, "without_text": 1}


def statuses(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)


def facts(answer: Answer) -> list[tuple[Any, ...]]:
    """What must be the same, wherever the fingerprints lie."""
    return [
        (each.id, each.kind, each.score, each.coverage, each.semantics, each.evidence, each.source)
        for each in answer
    ]


@pytest.fixture
def plain(client: Any, index_name: str, write: Callable[..., None]) -> str:
    """An index that nobody installed anything in."""
    write(index_name, {
        "a": {"text": TEXT, "lang": "en"},
        "b": {"text": REVISED, "lang": "en"},
        "c": {"text": f"{TEXT} {OTHER}", "lang": "de"},
        "d": {"text": OTHER, "lang": "en"},
        "none": {"lang": "en"},
    })  # fmt: skip
    return index_name


@pytest.fixture
def sidecar(client: Any, index_name: str) -> Iterator[str]:
    """Name of the sidecar, which the test deletes."""
    name = f"{index_name}-sidecar"
    yield name
    client.indices.delete(index=name, ignore_unavailable=True)


def test_the_first_index_is_not_touched(
    client: Any, plain: str, sidecar: str, stored: Any, expected: Any
) -> None:
    mapping, before = client.indices.get_mapping(index=plain).body, stored(plain)
    outcomes = list(backfill(client, plain, sidecar=sidecar, settings=SMALL))
    assert statuses(outcomes) == {"written": 4, "without_text": 1}
    assert client.indices.get_mapping(index=plain).body == mapping
    assert stored(plain) == before
    found = stored(sidecar)
    assert set(found) == {"a", "b", "c", "d"}
    assert found["a"]["ours"] == expected(TEXT)
    assert found["a"]["source"]["source"]["index"] == plain
    assert "text" not in found["a"]["source"]


@pytest.mark.long
def test_a_second_run_writes_only_what_changed(
    client: Any, plain: str, sidecar: str, stored: Any, expected: Any
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    before = stored(sidecar)
    again = backfill(client, plain, sidecar=sidecar, settings=ONE)
    assert statuses(again) == {"unchanged": 4, "without_text": 1}
    assert stored(sidecar) == before
    client.update(index=plain, id="a", doc={"text": OTHER})
    client.update(index=plain, id="b", doc={"text": None})
    client.update(index=plain, id="c", doc={"lang": "fr"})
    outcomes = {
        each.id: each.status for each in backfill(client, plain, sidecar=sidecar, settings=ONE)
    }
    assert {id for id, status in outcomes.items() if status == "written"} == {"a", "b"}
    found = stored(sidecar)
    assert found["a"]["ours"] == expected(OTHER)
    members = {"scheme", "content_hash", "status", "semantic_scheme", "vector_table"}
    assert set(found["b"]["ours"]) == members
    last = statuses(backfill(client, plain, sidecar=sidecar, settings=ONE))
    assert last == {"unchanged": 4, "without_text": 1}


@pytest.mark.long
def test_an_older_state_never_replaces_a_newer_one(
    client: Any, plain: str, sidecar: str, proxy: Any, stored: Any, expected: Any
) -> None:
    overtaken = False

    def overtake(path: str, body: bytes) -> None:
        nonlocal overtaken
        # Between the read of the snapshot and the write, the text changes and another run has it.
        if "_bulk" in path and not overtaken:
            overtaken = True
            client.index(index=plain, id="a", document={"text": OTHER})
            list(backfill(client, plain, sidecar=sidecar, settings=ONE))

    proxy.hook = overtake
    with connect(proxy.url) as through:
        list(backfill(through, plain, sidecar=sidecar, settings=ONE))
    assert overtaken
    assert stored(sidecar)["a"]["ours"] == expected(OTHER)


@pytest.mark.long
def test_relations_are_those_of_one_index(
    client: Any, plain: str, sidecar: str, write: Any, stored: Any
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    client.indices.refresh(index=sidecar)
    beside = SidecarIndex(client, sidecar)
    assert beside.source == plain
    from_sidecar = {id: facts(beside.related(id=id)) for id in "abcd"}
    by_text = facts(beside.related(text=REVISED))
    install(client, plain)
    list(backfill(client, plain, settings=ONE))
    client.indices.refresh(index=plain)
    within = Index(client, plain)
    assert from_sidecar == {id: facts(within.related(id=id)) for id in "abcd"}
    assert by_text == facts(within.related(text=REVISED))
    assert {each[0] for each in from_sidecar["a"]} == {"b", "c"}
    assert all(each.index == plain for each in beside.related(id="a"))
    each = beside.related_to_each(["a", "d"])
    assert {id: facts(answer) for id, answer in each.items()} == {
        id: from_sidecar[id] for id in "ad"
    }


def test_filters_and_fields_are_those_of_the_first_index(
    client: Any, plain: str, sidecar: str
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    client.indices.refresh(index=sidecar)
    beside = SidecarIndex(client, sidecar)
    german = SearchOptions(filters=({"term": {"lang.keyword": "de"}},), fields=("lang",))
    (found,) = beside.related(id="a", options=german)
    assert (found.id, found.source) == ("c", {"lang": "de"})
    assert found.evidence
    bare = SearchOptions(evidence=False, size=1)
    assert len(beside.related(id="a", options=bare)) == 1


def test_a_filter_is_applied_before_any_cut(
    client: Any, index_name: str, sidecar: str, write: Any
) -> None:
    copies = {f"copy-{n}": {"text": TEXT, "lang": "en"} for n in range(40)}
    write(index_name, {**copies, "wanted": {"text": f"{TEXT} {OTHER}", "lang": "de"}})
    list(backfill(client, index_name, sidecar=sidecar, settings=ONE))
    client.indices.refresh(index=sidecar)
    options = SearchOptions(
        size=3, filters=({"term": {"lang.keyword": "de"}},), limits=Limits(candidates=5)
    )
    beside = SidecarIndex(client, sidecar)
    assert [each.id for each in beside.related(text=TEXT, options=options)] == ["wanted"]


def test_what_was_deleted_is_related_to_nothing(client: Any, plain: str, sidecar: str) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    client.delete(index=plain, id="b", refresh=True)
    client.indices.refresh(index=sidecar)
    beside = SidecarIndex(client, sidecar)
    assert [each.id for each in beside.related(id="a")] == ["c"]
    with pytest.raises(DocumentMissing):
        beside.related(id="b")
    with pytest.raises(InputError, match="no text"):
        beside.related(id="none")
    with pytest.raises(InputError, match="either"):
        beside.related()


def test_one_id_in_two_indices_cannot_share_a_sidecar(
    client: Any, plain: str, sidecar: str, write: Any, stored: Any, expected: Any
) -> None:
    second = f"{plain}-second"
    try:
        write(second, {"a": {"text": OTHER}, "z": {"text": OTHER}})
        outcomes = list(backfill(client, f"{plain},{second}", sidecar=sidecar, settings=ONE))
        assert statuses(outcomes) == {"written": 5, "failed": 1, "without_text": 1}
        (failed,) = [each for each in outcomes if not each.ok]
        assert failed.id == "a"
        assert "sidecar of its own" in (failed.reason or "")
    finally:
        client.indices.delete(index=second, ignore_unavailable=True)


def test_documents_that_moved_to_another_index_take_their_sidecar_along(
    client: Any, plain: str, sidecar: str, write: Any, stored: Any
) -> None:
    alias, second = f"{plain}-alias", f"{plain}-second"
    try:
        client.indices.put_alias(index=plain, name=alias)
        list(backfill(client, alias, sidecar=sidecar, settings=ONE))
        write(second, {"a": {"text": TEXT}, "b": {"text": REVISED}})
        client.indices.update_aliases(actions=[
            {"remove": {"index": plain, "alias": alias}},
            {"add": {"index": second, "alias": alias}},
        ])  # fmt: skip
        client.indices.refresh(index=sidecar)
        (found,) = SidecarIndex(client, sidecar).related(id="a")
        assert (found.id, found.index) == ("b", second)
        assert statuses(backfill(client, alias, sidecar=sidecar, settings=ONE)) == {"unchanged": 2}
    finally:
        client.indices.delete(index=second, ignore_unavailable=True)


def test_an_index_of_the_user_is_no_sidecar(
    client: Any, plain: str, sidecar: str, write: Any, stored: Any
) -> None:
    with pytest.raises(InputError, match="own sidecar"):
        list(backfill(client, plain, sidecar=plain))
    write(sidecar, {"z": {"title": "Of the user."}})
    for _ in range(2):
        with pytest.raises(MappingConflict, match="has 1 document of its own"):
            list(backfill(client, plain, sidecar=sidecar, settings=ONE))
        with pytest.raises(MappingConflict, match="has 1 document of its own"):
            estimate(client, plain, sidecar=sidecar, settings=ONE)
        # Fingerprint fields do not make it a sidecar.
        install(client, sidecar)
    with pytest.raises(MappingConflict, match="is not a sidecar"):
        SidecarIndex(client, sidecar).related(text=TEXT)
    assert {id: each["source"] for id, each in stored(sidecar).items()} == {
        "z": {"title": "Of the user."}
    }


def test_an_empty_installed_index_becomes_the_sidecar(
    client: Any, plain: str, sidecar: str
) -> None:
    client.indices.create(index=sidecar, settings={"number_of_shards": 2})
    install(client, sidecar)
    assert statuses(backfill(client, plain, sidecar=sidecar, settings=ONE)) == WRITTEN
    assert (
        client.indices.get(index=sidecar)[sidecar]["settings"]["index"]["number_of_shards"] == "2"
    )


def test_a_document_of_the_user_in_a_sidecar_is_kept(
    client: Any, plain: str, sidecar: str, write: Any, stored: Any
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    write(sidecar, {"a": {"title": "Of the user."}})
    outcomes = {each.id: each for each in backfill(client, plain, sidecar=sidecar, settings=ONE)}
    assert "no backfill wrote" in (outcomes["a"].reason or "")
    assert stored(sidecar)["a"]["source"] == {"title": "Of the user."}


def test_a_sidecar_is_not_backfilled_itself(client: Any, plain: str, sidecar: str) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    for refused in (backfill, estimate):
        with pytest.raises(MappingConflict, match=f"is the sidecar of '{plain}'"):
            list(refused(client, sidecar, settings=ONE))


def test_nothing_is_ingested_into_a_sidecar(
    client: Any, plain: str, sidecar: str, stored: Any
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    before = stored(sidecar)
    with pytest.raises(MappingConflict, match=f"is the sidecar of '{plain}'"):
        list(ingest(client, sidecar, [{"_id": "z", "text": TEXT}]))
    assert stored(sidecar) == before


def test_a_dry_run_makes_no_sidecar(client: Any, plain: str, sidecar: str) -> None:
    found = estimate(client, plain, sidecar=sidecar, settings=ONE)
    assert (found.documents, found.bytes_held) == (5, 0)
    assert not client.indices.exists(index=sidecar)


def test_families_of_a_sidecar_are_refused_with_the_way_out(
    client: Any, plain: str, sidecar: str
) -> None:
    list(backfill(client, plain, sidecar=sidecar, settings=ONE))
    with pytest.raises(MappingConflict, match=f"Run `es-simhash install {plain}`"):
        find_families(client, sidecar)
    install(client, plain)
    assert statuses(backfill(client, plain, settings=ONE)) == WRITTEN
    client.indices.refresh(index=plain)
    assert find_families(client, plain).documents == 4
