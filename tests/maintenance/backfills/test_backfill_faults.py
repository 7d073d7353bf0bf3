"""`backfill` when the cluster pushes back, and on indices that are not as one would wish."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import ClusterError, IndexMissing, InputError, MappingConflict
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.questions.index import Index
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

RETRY = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.5)
ONE = BackfillSettings(processes=1, retry=RETRY)
SMALL = BackfillSettings(processes=1, slices=2, page=5, retry=RETRY)
REJECTED = {"type": "es_rejected_execution_exception", "reason": "busy"}


def statuses(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)


def versions(found: dict[str, dict[str, Any]]) -> set[int]:
    return {each["version"] for each in found.values()}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("refused", ["_bulk", "_search", "_pit", "_count"])
@pytest.mark.parametrize("status", [429, 502, 503])
def test_a_busy_cluster_is_retried(
    index: str, proxy: Any, write: Any, stored: Any, documents: Any, refused: str, status: int
) -> None:
    write(index, documents(30))
    requests = 0

    def busy(path: str, body: bytes) -> tuple[int, bytes] | None:
        nonlocal requests
        requests += refused in path
        return (status, b"{}") if refused in path and requests < 4 else None

    proxy.hook = busy
    with connect(proxy.url) as through:
        assert statuses(backfill(through, index, settings=SMALL)) == {"written": 30}
    assert requests >= 4
    assert versions(stored(index)) == {2}


def test_only_documents_that_were_rejected_are_sent_again(
    client: Any, index: str, proxy: Any, write: Any, stored: Any, documents: Any
) -> None:
    write(index, documents(4))
    sent: list[bytes] = []

    def half(path: str, body: bytes) -> tuple[int, bytes] | None:
        if "_bulk" not in path:
            return None
        sent.append(body)
        if len(sent) > 1:
            return None
        lines = body.splitlines()
        operations = [json.loads(line) for line in lines[:4]]
        assert not client.bulk(operations=operations)["errors"]
        items = [{"update": {"status": 200}}] * 2
        items += [{"update": {"status": 429, "error": REJECTED}}] * 2
        return 200, json.dumps({"errors": True, "items": items}).encode()

    proxy.hook = half
    with connect(proxy.url) as through:
        assert statuses(backfill(through, index, settings=ONE)) == {"written": 4}
    assert sent[1] == b"\n".join(sent[0].splitlines()[4:]) + b"\n"
    assert versions(stored(index)) == {2}


@pytest.mark.long
@pytest.mark.parametrize("applied", [True, False])
def test_a_connection_that_is_cut_loses_and_doubles_nothing(
    client: Any, index: str, proxy: Any, write: Any, stored: Any, documents: Any, applied: bool
) -> None:
    write(index, documents(20))
    cuts = 0

    def cut(path: str, body: bytes) -> None:
        nonlocal cuts
        if "_bulk" in path and cuts < 2:
            cuts += 1
            if applied:
                client.bulk(operations=[json.loads(line) for line in body.splitlines()])
            raise ConnectionError("cut")

    proxy.hook = cut
    with connect(proxy.url) as through:
        outcomes = list(backfill(through, index, settings=SMALL))
    assert cuts == 2
    # What conflicts with itself, as no answer came, counts as written by this run.
    assert statuses(outcomes) == {"written": 20}
    found = stored(index)
    assert versions(found) == {2}
    assert all(each["ours"]["scheme"] for each in found.values())


@pytest.mark.long
def test_a_point_in_time_that_expires_is_opened_again(
    client: Any, index: str, proxy: Any, write: Any, stored: Any, documents: Any
) -> None:
    write(index, documents(60))
    searches = 0

    def lose(path: str, body: bytes) -> None:
        nonlocal searches
        if path.startswith("/_search"):
            searches += 1
            if searches in (4, 9):
                client.close_point_in_time(id=json.loads(body)["pit"]["id"])

    proxy.hook = lose
    with connect(proxy.url) as through:
        outcomes = list(backfill(through, index, settings=SMALL))
    assert searches > 9
    found = stored(index)
    assert {each.id for each in outcomes} == set(found)
    assert versions(found) == {2}


@pytest.mark.long
def test_an_expired_point_in_time_of_several_shards_skips_no_document(
    client: Any, index_name: str, proxy: Any, write: Any, stored: Any, documents: Any
) -> None:
    client.indices.create(index=index_name, settings={"number_of_shards": 3})
    install(client, index_name)
    write(index_name, documents(60))
    lost = False

    def lose(path: str, body: bytes) -> None:
        nonlocal lost
        if path.startswith("/_search") and b"search_after" in body and not lost:
            lost = True
            client.close_point_in_time(id=json.loads(body)["pit"]["id"])

    proxy.hook = lose
    settings = BackfillSettings(processes=1, slices=1, page=20, retry=RETRY)
    with connect(proxy.url) as through:
        list(backfill(through, index_name, settings=settings))
    assert lost
    assert all(each["ours"] for each in stored(index_name).values())


@pytest.mark.long
def test_points_in_time_that_always_expire_end_the_run(
    index: str, proxy: Any, write: Any, documents: Any
) -> None:
    write(index, documents(5))
    answer = {"error": {"type": "search_phase_execution_exception", "root_cause": [
        {"type": "search_context_missing_exception", "reason": "No search context found for id"}
    ]}, "status": 404}  # fmt: skip
    content = json.dumps(answer).encode()
    proxy.hook = lambda path, body: (404, content) if path.startswith("/_search") else None
    with connect(proxy.url) as through, pytest.raises(ClusterError, match="again later to resume"):
        list(backfill(through, index, settings=ONE))


@pytest.mark.long
def test_a_cluster_that_stays_busy_ends_the_run_and_the_next_goes_on(
    index: str, proxy: Any, write: Any, stored: Any, documents: Any
) -> None:
    write(index, documents(40))
    bulks = 0

    def busy(path: str, body: bytes) -> tuple[int, bytes] | None:
        nonlocal bulks
        bulks += "_bulk" in path
        return (429, b"{}") if "_bulk" in path and bulks > 3 else None

    proxy.hook = busy
    with connect(proxy.url) as through, pytest.raises(ClusterError, match="again later to resume"):
        list(backfill(through, index, settings=SMALL))
    done = {id for id, each in stored(index).items() if each["ours"]}
    assert 0 < len(done) < 40
    proxy.hook = lambda path, body: None
    with connect(proxy.url) as through:
        rest = {each.id for each in backfill(through, index, settings=SMALL)}
    found = stored(index)
    assert rest == set(found) - done
    assert versions(found) == {2}


def test_a_read_only_index_is_one_sentence(
    client: Any, index: str, write: Any, documents: Any
) -> None:
    write(index, documents(3))
    client.indices.put_settings(index=index, settings={"index.blocks.write": True})
    with pytest.raises(ClusterError, match="remove the block"):
        list(backfill(client, index, settings=ONE))
    client.indices.put_settings(index=index, settings={"index.blocks.write": False})
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 3}


def test_an_index_must_exist_and_have_our_fields(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing):
        list(backfill(client, index_name))
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match="es-simhash install"):
        list(backfill(client, index_name))


@pytest.mark.long
def test_an_alias_over_several_indices_is_enriched_in_each(
    client: Any, index_name: str, write: Any, stored: Any, documents: Any
) -> None:
    names = [f"{index_name}-{n}" for n in range(2)]
    try:
        for name in names:
            install(client, name)
            client.indices.put_alias(index=name, name=index_name)
            write(name, documents(12))
        outcomes = list(backfill(client, index_name, settings=SMALL))
        assert Counter(each.index for each in outcomes) == dict.fromkeys(names, 12)
        for name in names:
            assert all(each["ours"] for each in stored(name).values())
        pattern = f"{index_name}-*"
        assert statuses(
            backfill(client, pattern, selection=Selection(check=True), settings=SMALL)
        ) == {"unchanged": 24}
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def test_an_index_without_the_text_field_is_refused(
    client: Any, index_name: str, write: Any, stored: Any
) -> None:
    index = index_name
    install(client, index)
    write(index, {"a": {"body": "A text."}})
    with pytest.raises(InputError, match="has a field 'text'"):
        list(backfill(client, index, settings=ONE))
    assert versions(stored(index)) == {1}


@pytest.mark.variants
@pytest.mark.parametrize(
    ("name", "nearest"), [("txt", "text"), ("chain", "title"), ("title.raw", "title")]
)
def test_a_misspelt_text_field_names_the_nearest_though_nothing_is_left_to_do(
    client: Any, index: str, write: Any, stored: Any, name: str, nearest: str
) -> None:
    client.indices.put_mapping(
        index=index,
        properties={
            "text": {"type": "text"},
            "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "change": {"type": "date"},
        },
    )
    write(index, {"a": {"text": "A text.", "title": "A title."}})
    wrong = IndexConfig(text_field=name)
    sentence = (
        f"Neither the mapping nor a document of {index} has a field {name!r}; the nearest field "
        f"of the mapping is {nearest!r}. Set text_field."
    )
    if "." in name:
        sentence = (
            f"No document has a field {name!r}: the mapping makes it of {nearest!r}, which has the "
            "text. Set text_field."
        )
    for _ in range(2):
        with pytest.raises(InputError) as refused:
            list(backfill(client, index, config=wrong, settings=ONE))
        assert str(refused.value) == sentence
        assert refused.value.parameter == "text_field"
        with pytest.raises(InputError) as refused:
            estimate(client, index, config=wrong, settings=ONE)
        assert str(refused.value) == sentence
        # The second time all documents have fingerprints of their text.
        list(backfill(client, index, settings=ONE))
    assert versions(stored(index)) == {2}


@pytest.mark.variants
@pytest.mark.parametrize("name", ["text", "meta.text"])
@pytest.mark.parametrize(
    "mapping",
    [{"dynamic": False}, {"properties": {"meta": {"type": "object", "enabled": False}}}],
    ids=["not dynamic", "not enabled"],
)
def test_a_text_that_is_stored_but_not_mapped_is_enriched(
    client: Any, index_name: str, write: Any, mapping: dict[str, Any], name: str
) -> None:
    client.indices.create(index=index_name, mappings=mapping)
    install(client, index_name)
    text = "A text that no query of the user searches."
    write(index_name, {"a": {"text": text, "meta": {"text": text}}, "b": {"n": 1}})
    config = IndexConfig(text_field=name)
    outcomes = {
        each.id: each.status for each in backfill(client, index_name, config=config, settings=ONE)
    }
    assert outcomes == {"a": "written", "b": "without_text"}
    client.indices.refresh(index=index_name)
    (found,) = Index(client, index_name, config).related(text=text)
    assert (found.id, found.kind, len(found.evidence)) == ("a", "exact", 1)


def test_texts_in_nested_documents_are_refused(client: Any, index_name: str) -> None:
    nested = {"type": "nested", "properties": {"text": {"type": "text"}}}
    client.indices.create(index=index_name, mappings={"properties": {"parts": nested}})
    install(client, index_name)
    with pytest.raises(InputError, match="nested"):
        list(backfill(client, index_name, config=IndexConfig(text_field="parts.text")))


def test_arrays_of_text_work_and_objects_in_a_list_fail_alone(
    client: Any, index: str, write: Any, stored: Any, expected: Any
) -> None:
    client.indices.put_mapping(
        index=index, properties={"o": {"properties": {"text": {"type": "text"}}}}
    )
    write(index, {
        "array": {"o": {"text": ["One text.", "And another."]}},
        "objects": {"o": [{"text": "One text."}, {"text": "And another."}]},
        "number": {"o": {"text": 5}},
        "empty": {"o": []},
        "none": {"o": {"text": None}},
    })  # fmt: skip
    outcomes = {
        each.id: each
        for each in backfill(client, index, config=IndexConfig(text_field="o.text"), settings=ONE)
    }
    assert {id: each.status for id, each in outcomes.items()} == {
        "array": "written", "objects": "failed", "number": "failed", "empty": "without_text",
        "none": "without_text",
    }  # fmt: skip
    assert "list of objects" in (outcomes["objects"].reason or "")
    assert stored(index)["array"]["ours"] == expected("One text.\n\nAnd another.")


def test_an_index_that_keeps_no_source_is_refused(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings={"_source": {"enabled": False}})
    install(client, index_name)
    for sidecar in (None, f"{index_name}-sidecar"):
        with pytest.raises(MappingConflict, match="_source"):
            list(backfill(client, index_name, sidecar=sidecar))


def test_an_index_that_an_update_would_damage_is_refused(
    client: Any, index_name: str, write: Any, stored: Any
) -> None:
    client.indices.create(index=index_name, mappings={"_source": {"excludes": ["secret"]}})
    install(client, index_name)
    write(index_name, {"a": {"text": "A text.", "secret": "only indexed"}})
    with pytest.raises(MappingConflict, match="to a sidecar") as raised:
        list(backfill(client, index_name))
    assert raised.value.parameter == "sidecar"
    assert versions(stored(index_name)) == {1}


def test_a_document_too_large_fails_alone(client: Any, index: str, write: Any, stored: Any) -> None:
    chunks = "a b c d e f g h. " * 21_000
    write(index, {"large": {"text": chunks}, "small": {"text": "A text."}})
    outcomes = {each.id: each for each in backfill(client, index, settings=ONE)}
    assert outcomes["small"].ok
    assert "20000 are possible" in (outcomes["large"].reason or "")
    assert stored(index)["large"]["ours"] == {}


def test_a_document_that_its_mapping_refuses_by_now_fails_with_the_reason(
    client: Any, index_name: str, write: Any, stored: Any, tmp_path: Path
) -> None:
    client.indices.create(index=index_name, mappings={"dynamic": False})
    install(client, index_name)
    client.indices.put_mapping(index=index_name, properties={"text": {"type": "text"}})
    write(index_name, {"a": {"text": "A text.", "unknown": 1}, "b": {"text": "A text."}})
    client.indices.put_mapping(index=index_name, dynamic="strict")
    path = tmp_path / "failures.jsonl"
    for _ in range(2):
        outcomes = list(backfill(client, index_name, settings=replace(ONE, failures=path)))
    assert [(each.id, each.ok) for each in outcomes] == [("a", False)]
    first, second = map(json.loads, path.read_text("ascii").splitlines())
    assert first["run"] != second["run"]
    assert {**first, "run": ""} == {**second, "run": ""}
    assert (first["id"], first["index"]) == ("a", index_name)
    assert "strict" in first["reason"]
    assert versions({"a": stored(index_name)["a"]}) == {1}


@pytest.mark.variants
@pytest.mark.parametrize(
    "text",
    [
        "这是一个测试文本。它有两个句子。",
        "هذا نص قصير. وهذه جملة أخرى.",
        "यह एक छोटा पाठ है।",
        "นี่คือข้อความสั้น ๆ",
        "これは短い文章です。",
        "🎈🎉",
        "word",
        '"quoted" \\ and \u0000 control \u2028 characters',
    ],
)
def test_texts_of_every_kind_are_enriched(
    client: Any, index: str, write: Any, stored: Any, expected: Any, text: str
) -> None:
    write(index, {"a": {"text": text}})
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 1}
    found = stored(index)["a"]
    assert found["source"] == {"text": text}
    assert found["ours"] == expected(text)
