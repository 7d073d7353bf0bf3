"""`es-simhash doctor` on indices that are well, and on some that are not."""

import shlex
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import IndexMissing, InputError, MappingConflict
from es_simhash.fingerprints.blocks import block_terms
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.index import Index
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.diagnostics.examination import Examination, examine
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.store import fields
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from es_simhash.store.paths import nested_path

pytestmark = pytest.mark.cluster

ONE = BackfillSettings(processes=1)


def problems(found: Examination) -> list[str]:
    return [f"{each.message} {each.advice}" for each in found.findings if each.level == "problem"]


def hints(found: Examination) -> list[str]:
    return [f"{each.message} {each.advice}" for each in found.findings if each.level == "hint"]


def revised(text: str) -> str:
    """One word of many replaced: a few bits of the document fingerprint differ."""
    return text.replace(text.split()[30], "kernel", 1)


@pytest.fixture
def healthy(put: Callable[..., str], make_text: Callable[..., str]) -> str:
    """A hundred texts, ten of them twice, with a word replaced."""
    texts = {str(n): make_text(n, 200) for n in range(100)}
    versions = {f"{n}-v": revised(texts[str(n)]) for n in range(10)}
    return put(texts | versions, semantics=True)


def test_a_healthy_index_needs_nothing(client: Any, healthy: str) -> None:
    found = examine(client, healthy)
    assert found.findings == []
    assert found.healthy
    assert len(found.in_order) == 6
    assert (found.sampled, found.fingerprinted) == (110, {"fresh": 110})
    assert (found.bits.different, found.bits.dead) == (110, ())
    assert sum(each.documents for each in found.nearest) == 110
    # All versions lie nearer to each other than any strangers.
    assert sum(each.documents for each in found.nearest if each.most < 24) == 20
    assert found.suggested.k == 7


def test_recall_counts_what_an_exact_scan_finds(client: Any, put: Any, make_text: Any) -> None:
    texts = {str(n): make_text(n, 1000) for n in range(30)}
    found = examine(client, put(texts | {f"{n}-v": revised(texts[str(n)]) for n in range(10)}))
    # Each is within k of itself, and the versions of each other.
    assert (found.recall.queries, found.recall.share) == (40, 1.0)
    assert found.recall.within > 40
    assert found.recall.with_others == found.recall.within - 40
    assert found.recall.found == found.recall.within


def test_nothing_is_written(client: Any, healthy: str) -> None:
    before = client.search(index=healthy, size=200, version=True)["hits"]["hits"]
    mapping = client.indices.get_mapping(index=healthy).body
    examine(client, healthy)
    assert client.search(index=healthy, size=200, version=True)["hits"]["hits"] == before
    assert client.indices.get_mapping(index=healthy).body == mapping


def test_documents_of_other_schemes_must_be_done_again(
    client: Any, healthy: str, bulk: Any, make_text: Any
) -> None:
    bulk({
        "old": {"text": make_text(1), "simhash": {"scheme": "one-before", "content_hash": "0"}},
        "bare": {"text": make_text(2)},
        "notext": {"n": 1},
        "number": {"text": 5},
    })  # fmt: skip
    client.update(index=healthy, id="3", refresh=True, doc={"simhash": {"semantic_scheme": None}})
    client.update(index=healthy, id="4", refresh=True, doc={"simhash": {"semantic_scheme": "old"}})
    found = examine(client, healthy)
    messages = problems(found)
    begins = (
        "1 document has fingerprints of another scheme",
        "1 document has semantic profiles of another scheme",
        "1 document has fingerprints, but no semantic profile",
        "1 sampled document has a text, but no",
    )
    for begin in begins:
        assert any(message.startswith(begin) for message in messages)
    assert all(f"es-simhash backfill {healthy}" in message for message in messages)
    shares = [each.share for each in found.findings if each.level == "problem"]
    assert shares == sorted(shares, reverse=True)
    levels = [each.level for each in found.findings]
    assert levels == sorted(levels, reverse=True)
    unreadable = "1 sampled document has something else than text"
    assert any(unreadable in message for message in hints(found))
    # What it advises helps.
    list(backfill(client, healthy, settings=ONE))
    client.indices.refresh(index=healthy)
    assert problems(examine(client, healthy)) == []


def test_half_empty_texts_are_a_fault_and_a_few_are_not(
    client: Any, put: Any, make_text: Any
) -> None:
    index = put({str(n): make_text(n) for n in range(50)} | {"e": "?!"})
    few = examine(client, index)
    assert any(each.startswith("1 text (2%) has no word") for each in hints(few))
    assert few.healthy
    put({f"e{n}": "" for n in range(49)})
    many = examine(client, index)
    (problem,) = problems(many)
    assert problem.startswith("50 texts (50%) have no word")
    assert "--text-field" in problem
    # They have no fingerprint, so that they count nowhere else.
    assert many.bits.different == 50
    assert sum(each.documents for each in many.nearest) == 50


def test_nearly_all_texts_without_words_are_not_all(client: Any, put: Any, make_text: Any) -> None:
    index = put({"a": make_text(1)} | {f"e{n}": "" for n in range(300)})
    assert any(each.startswith("300 texts (99%) have") for each in problems(examine(client, index)))


def test_stale_texts_are_found_and_backfill_heals_them(
    client: Any, healthy: str, make_text: Any
) -> None:
    client.update(index=healthy, id="5", doc={"text": make_text(900)})
    client.update(index=healthy, id="6", doc={"text": None})
    client.update(index=healthy, id="7", doc={"other": 1}, refresh=True)
    found = examine(client, healthy)
    assert found.fingerprinted == {"fresh": 108, "stale": 1, "missing": 1}
    (problem,) = problems(found)
    assert problem.startswith("2 of 110 sampled documents have another text")
    assert f"es-simhash backfill {healthy} --check" in problem
    list(backfill(client, healthy, selection=Selection(check=True), settings=ONE))
    client.indices.refresh(index=healthy)
    assert examine(client, healthy).fingerprinted == {"fresh": 110}


def test_damaged_fingerprints_are_named_and_backfill_heals_them(client: Any, healthy: str) -> None:
    index = Index(client, healthy)
    expected = index.related(id="1-v")
    for id, damage in (
        ("1", {"chunks": "AAAA"}),
        ("2", {"sketch": "AAAA"}),
        ("3", {"shingles": ["no term"]}),
    ):
        client.update(index=healthy, id=id, doc={"simhash": damage}, refresh=True)
    assert index.related(id="1-v") == expected
    found = examine(client, healthy)
    assert found.fingerprinted == {"fresh": 107, "damaged": 3}
    (problem,) = problems(found)
    assert problem.startswith("3 sampled documents have damaged fingerprints")
    assert f"es-simhash backfill {healthy} --check" in problem
    outcomes = list(backfill(client, healthy, selection=Selection(check=True), settings=ONE))
    assert {each.id for each in outcomes if each.status == "written"} == {"1", "2", "3"}
    client.indices.refresh(index=healthy)
    assert examine(client, healthy).findings == []
    assert index.related(id="1-v") == expected


@pytest.mark.parametrize("check", [False, True])
def test_a_document_that_was_read_and_written_back_is_found_and_backfill_heals_it(
    client: Any, healthy: str, check: bool
) -> None:
    index = Index(client, healthy)
    expected = index.related(id="1-v")
    source = {**client.get(index=healthy, id="1")["_source"], "edited": True}
    # As it is read from Elasticsearch 9.2 on.
    for vector in ("fingerprint", "vector", "vector_fingerprint", "index_vector", "concepts"):
        source["simhash"].pop(vector, None)
    client.index(index=healthy, id="1", document=source, refresh=True)
    found = examine(client, healthy)
    assert found.fingerprinted == {"fresh": 109, "damaged": 1}
    fingerprints = count_documents(client, healthy).fingerprints
    assert (fingerprints.current, fingerprints.none) == (109, 1)
    outcomes = list(backfill(client, healthy, selection=Selection(check=check), settings=ONE))
    assert [each.id for each in outcomes if each.status == "written"] == ["1"]
    client.indices.refresh(index=healthy)
    assert examine(client, healthy).findings == []
    assert index.related(id="1-v") == expected


def test_another_field_of_the_text_is_reported(client: Any, healthy: str) -> None:
    with pytest.raises(InputError, match=r"field 'txt'; the nearest .* is 'text'\. Set text_field"):
        examine(client, healthy, config=IndexConfig(text_field="txt"))
    client.indices.put_mapping(index=healthy, properties={"body": {"type": "text"}})
    found = examine(client, healthy, config=IndexConfig(text_field="body"))
    assert found.fingerprinted == {"missing": 110}
    (problem,) = problems(found)
    assert "in another field, 'text'." in problem
    assert "--text-field text" in problem


@pytest.mark.parametrize("field", ["body", "page.body", "the body"])
def test_the_field_that_was_fingerprinted_is_found(
    client: Any, index_name: str, command: Any, make_text: Any, bulk: Any, field: str
) -> None:
    install(client, index_name)
    config = IndexConfig(text_field=field)
    texts = [make_text(n) for n in range(5)]
    # A field with another text comes first, and one that no text is in.
    documents = (
        {"id": str(n), "about": make_text(100 + n), "tags": [n], **nested_path(field, text)}
        for n, text in enumerate(texts)
    )
    assert all(each.ok for each in ingest(client, index_name, documents, config=config))
    client.indices.refresh(index=index_name)
    status, found = command("doctor", index_name)
    assert (status, found["fingerprinted"], found["text_field"]) == (0, {"fresh": 5}, field)
    assert command("doctor", index_name, "--text-field", field)[0] == 0
    # What is advised for a text that changed since names the field.
    client.update(index=index_name, id="0", doc=nested_path(field, make_text(50)), refresh=True)
    status, found = command("doctor", index_name)
    assert (status, found["fingerprinted"]) == (1, {"fresh": 4, "stale": 1})
    advice = found["findings"][0]["advice"]
    assert f"backfill {index_name} --text-field {shlex.quote(field)} --check" in advice
    # A field that was given is not replaced, but the right one is named.
    status, found = command("doctor", index_name, "--text-field", "about")
    assert (status, found["fingerprinted"]) == (1, {"stale": 5})
    assert found["other_field"] == field
    assert f"--text-field {shlex.quote(field)}," in found["findings"][0]["advice"]


def test_a_headline_and_a_body_that_were_fingerprinted_together_are_found(
    client: Any, index_name: str, command: Any, make_text: Any
) -> None:
    install(client, index_name)
    config = IndexConfig(text_field="headline,body")
    documents = (
        {"id": str(n), "headline": f"灯塔 {n}", "note": "नोट", "body": make_text(n)}
        for n in range(5)
    )
    assert all(each.ok for each in ingest(client, index_name, documents, config=config))
    client.indices.refresh(index=index_name)
    status, found = command("doctor", index_name)
    assert (status, found["fingerprinted"]) == (0, {"fresh": 5})
    assert found["text_field"] == "headline,body"
    found = command("doctor", index_name, "--text-field", "body")[1]
    assert found["other_field"] == "headline,body"
    assert "--text-field headline,body," in found["findings"][0]["advice"]


def test_texts_that_are_in_no_field_any_more_are_stale(
    client: Any, put: Any, command: Any, make_text: Any
) -> None:
    index = put({"a": make_text(1)})
    client.update(index=index, id="a", doc={"text": make_text(2), "body": 5}, refresh=True)
    status, found = command("doctor", index)
    assert (status, found["fingerprinted"]) == (1, {"stale": 1})
    assert (found["text_field"], found["other_field"]) == ("text", None)
    assert "have another text" in found["findings"][0]["message"]


def test_a_template_makes_hot_blocks(client: Any, put: Any, make_text: Any) -> None:
    template = make_text(7, 400)
    texts = {f"t{n}": f"{template} {make_text(n, 6)}" for n in range(40)}
    index = put(texts | {str(n): make_text(1000 + n, 100) for n in range(60)})
    found = examine(client, index)
    hot = found.hottest[0]
    terms = {"term": {"simhash.blocks": hot.term}}
    assert hot.documents == client.count(index=index, query=terms)["count"] >= 20
    assert hot.expected == pytest.approx(100 / 2**16)
    assert hot.texts > 1
    # What they share gives them more than one block in common, and is one hint.
    assert sum(each.documents >= 20 for each in found.hottest) > 1
    (hint,) = (each for each in hints(found) if "documents (" in each)
    assert hint.startswith(f"{hot.documents} documents ({hot.documents}%) have much of their text")
    assert f"in the sample they are {hot.texts} different texts" in hint
    assert "leave a template" in hint
    # The searches of those documents look at all others of the template, the rest at nothing.
    assert found.cost.median >= 1
    assert 20 <= found.cost.p90 <= found.cost.max <= 100
    assert found.healthy


def test_copies_of_one_text_are_distinguished_from_a_template(
    client: Any, put: Any, make_text: Any
) -> None:
    copies = {f"c{n}": make_text(5, 100) for n in range(30)}
    found = examine(client, put(copies | {str(n): make_text(100 + n, 100) for n in range(30)}))
    assert {(each.documents, each.texts) for each in found.hottest} == {(30, 1)}
    (hint,) = (each for each in hints(found) if "documents (" in each)
    assert hint.startswith("30 documents (50%) have the same text")
    assert found.recall.within == 30 * 30 + 30


def test_blocks_that_do_not_fit_their_fingerprints_lower_the_recall(
    client: Any, put: Any, make_text: Any, bulk: Any
) -> None:
    index = put({str(n): make_text(n, 100) for n in range(20)})
    other = fingerprint(make_text(500, 100)).document
    assert other is not None
    wrong = simhash_object(fingerprint(make_text(600, 100)))
    wrong[fields.BLOCKS] = block_terms(other[None], 8)[0]
    bulk({"wrong": {"text": make_text(600, 100), "simhash": wrong}})
    found = examine(client, index)
    assert (found.recall.within, found.recall.found) == (21, 20)
    assert found.recall.missed == ("wrong",)
    assert any("miss 1 of 21" in each and "wrong" in each for each in problems(found))
    assert not any("find all" in each for each in found.in_order)


def test_blocks_that_are_none_of_the_scheme_lower_the_recall(
    client: Any, put: Any, make_text: Any, bulk: Any
) -> None:
    index = put({str(n): make_text(n, 100) for n in range(20)})
    for number in (600, 601):
        wrong = simhash_object(fingerprint(make_text(number, 100)))
        wrong[fields.BLOCKS] = ["9:abcd", "no block"]
        bulk({f"wrong{number}": {"text": make_text(number, 100), "simhash": wrong}})
    found = examine(client, index)
    assert found.recall.missed == ("wrong600", "wrong601")
    assert found.hottest == ()


def test_dead_bits_are_a_fault(client: Any, put: Any, make_text: Any, bulk: Any) -> None:
    index = put({})
    documents = {}
    for n in range(80):
        ours = simhash_object(fingerprint(make_text(n, 100)))
        print_ = bytes.fromhex(ours["fingerprint"])[:15] + b"\x00"
        ours["fingerprint"] = print_.hex()
        documents[str(n)] = {"text": make_text(n, 100), "simhash": ours}
    bulk(documents)
    found = examine(client, index)
    assert found.bits.dead == tuple(range(120, 128))
    assert any(each.startswith("8 bits are the same in 80") for each in problems(found))


def test_what_the_pipeline_could_not_take_is_reported(client: Any, healthy: str, bulk: Any) -> None:
    failed = {"status": "failed", "error": "There is no text in field 'text'."}
    bulk({"f": {"n": 1, "simhash": failed}})
    (problem,) = problems(examine(client, healthy))
    assert "could not fingerprint 1 document" in problem


def test_a_mapping_of_an_older_version_is_to_be_installed_again(client: Any, healthy: str) -> None:
    mapping = client.indices.get_mapping(index=healthy)[healthy]["mappings"]
    meta = mapping["_meta"]
    meta["es_simhash"]["simhash"]["version"] = 0
    client.indices.put_mapping(index=healthy, meta=meta)
    (problem,) = problems(examine(client, healthy))
    assert f"mapping of {healthy} lacks" in problem
    assert f"es-simhash install {healthy}" in problem


def test_a_field_that_cannot_serve_is_reported(client: Any, index_name: str, put: Any) -> None:
    from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
    from es_simhash.store import resources

    body = resources.mapping(DEFAULT)
    body["properties"]["simhash"]["properties"]["shingles"] = {"type": "text"}
    client.indices.create(index=index_name, mappings=body)
    (problem,) = problems(examine(client, index_name))
    assert "'simhash.shingles'" in problem
    assert "'text'" in problem


def test_an_index_that_is_never_refreshed_is_hinted_at(client: Any, healthy: str) -> None:
    client.indices.put_settings(index=healthy, settings={"refresh_interval": "-1"})
    found = examine(client, healthy)
    assert found.healthy
    assert any(each.startswith(f"{healthy} is never refreshed") for each in hints(found))


def test_an_empty_index_and_one_that_finds_versions_alone_are_healthy(
    client: Any, put: Any
) -> None:
    found = examine(client, put({}))
    assert found.healthy
    assert (found.sampled, found.nearest, found.hottest) == (0, (), ())
    assert any("versions alone" in each for each in hints(found))


def test_a_sidecar_is_examined_with_the_texts_of_the_first_index(
    client: Any, index_name: str, make_text: Any, bulk: Any
) -> None:
    sidecar = f"{index_name}-sidecar"
    client.indices.create(index=index_name, settings={"number_of_shards": 2})
    bulk({str(n): {"text": make_text(n)} for n in range(10)}, routing="r")
    try:
        list(backfill(client, index_name, sidecar=sidecar, settings=ONE))
        client.indices.refresh(index=sidecar)
        assert examine(client, sidecar).fingerprinted == {"fresh": 10}
        client.update(index=index_name, id="1", routing="r", doc={"text": make_text(50)})
        client.delete(index=index_name, id="2", routing="r", refresh=True)
        found = examine(client, sidecar)
        assert found.fingerprinted == {"fresh": 8, "stale": 1, "gone": 1}
        (problem,) = problems(found)
        assert f"es-simhash backfill {index_name} --sidecar {sidecar} --check" in problem
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


def test_the_sample_is_bounded_and_the_same_each_time(client: Any, healthy: str) -> None:
    one, other = examine(client, healthy, sample_size=30), examine(client, healthy, sample_size=30)
    assert one.sampled == 30
    assert one == other


def test_fields_in_an_object_of_the_user_are_examined(
    client: Any, index_name: str, make_text: Any
) -> None:
    install(client, index_name, simhash_field="own.fp", semantics=None)
    documents = ({"id": str(n), "body": {"text": make_text(n)}} for n in range(5))
    config = IndexConfig(text_field="body.text", simhash_field="own.fp")
    list(ingest(client, index_name, documents, config=config))
    client.indices.refresh(index=index_name)
    found = examine(client, index_name, config=config)
    assert (found.fingerprinted, found.recall.within) == ({"fresh": 5}, 5)


def test_what_is_no_index_of_ours_is_refused_in_one_sentence(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing, match="does not exist"):
        examine(client, index_name)
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match=f"es-simhash install {index_name}"):
        examine(client, index_name)
