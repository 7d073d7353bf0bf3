"""What becomes of versions, by each action, on an engine."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def dated(desk: Any) -> Any:
    """The index, with a field of dates."""
    desk.client.indices.put_mapping(index=desk.name, properties={"date": {"type": "date"}})
    return desk


@pytest.fixture
def documents(make_text: Make, revise: Make) -> list[dict[str, Any]]:
    """A text, a version of it, a copy of it, and a stranger."""
    first = make_text(1)
    return [
        {"id": "first", "text": first, "date": "2020-01-01"},
        {"id": "version", "text": revise(first, 2), "date": "2021-01-01"},
        {"id": "copy", "text": f"  {first.upper()} ", "date": "2019-01-01"},
        {"id": "stranger", "text": make_text(3), "date": "2020-01-01"},
    ]


def test_skip_writes_nothing_but_a_line_of_the_log(desk: Any, documents: Any) -> None:
    statuses = desk.write(documents, "skip")
    assert statuses == {
        "first": "written",
        "version": "skipped",
        "copy": "skipped",
        "stranger": "written",
    }
    assert set(desk.documents()) == {"first", "stranger"}
    records = desk.records()
    assert [(each["id"], each["other"], each["kind"]) for each in records] == [
        ("version", "first", "version"),
        ("copy", "first", "exact"),
    ]
    assert records[0]["score"] >= 0.6
    assert records[0]["evidence"][0] in documents[1]["text"]


def test_flag_writes_with_the_id_of_the_other_and_the_score(desk: Any, documents: Any) -> None:
    assert set(desk.write(documents, "flag").values()) == {"written"}
    marks = desk.marks()
    assert marks["first"] == marks["stranger"] == {}
    assert marks["copy"] == {"duplicate_of": "first", "duplicate_score": 1.0}
    assert marks["version"]["duplicate_of"] == "first"
    found = desk.client.search(
        index=desk.name, query={"range": {"simhash.duplicate_score": {"gte": 0.6}}}
    )
    assert {hit["_id"] for hit in found["hits"]["hits"]} == {"version", "copy"}


@pytest.mark.parametrize("batch", [1, 1000])
def test_link_gives_both_the_same_family(desk: Any, documents: Any, batch: int) -> None:
    desk.write(documents, "link", batch=batch)
    marks = desk.marks()
    assert marks["stranger"] == {}
    family = marks["first"]["family"]
    assert marks["version"]["family"] == marks["copy"]["family"] == family
    assert "duplicate_of" not in marks["first"]
    hits = desk.client.search(
        index=desk.name, query={"match_all": {}}, collapse={"field": "simhash.family"}
    )["hits"]["hits"]
    assert len(hits) == 2


def test_link_joins_the_family_the_earlier_document_has(desk: Any, documents: Any) -> None:
    desk.put(documents[:1])
    desk.client.update(
        index=desk.name, id="first", doc={"simhash": {"family": "mine"}}, refresh=True
    )
    desk.write(documents[1:], "link")
    marks = desk.marks()
    assert {id: marks[id].get("family") for id in marks} == {
        "first": "mine",
        "version": "mine",
        "copy": "mine",
        "stranger": None,
    }


@pytest.mark.variants
@pytest.mark.parametrize("batch", [1, 1000])
@pytest.mark.parametrize(
    ("keep", "left"), [("newest", "version"), ("existing", "first"), ("longest", "first")]
)
def test_replace_keeps_one_of_them_by_rule(
    dated: Any, documents: Any, keep: str, left: str, batch: int
) -> None:
    desk = dated
    documents[1]["text"] = " ".join(documents[1]["text"].split()[:-2])
    desk.write(documents, "replace", keep=keep, date_field="date", batch=batch)
    assert set(desk.documents()) == {left, "stranger"}
    assert desk.marks()[left] == {}


def test_what_is_replaced_is_in_the_log_in_full(dated: Any, documents: Any) -> None:
    from es_simhash.ingestion.deduplication.audit_log import audit_of

    desk = dated
    desk.put(documents[:1])
    desk.write(documents[1:2], "replace", keep="newest", date_field="date")
    assert set(desk.documents()) == {"version"}
    (record,) = audit_of(desk.audit, desk.client).read()
    assert (record.head["action"], record.head["keep"]) == ("replace", "newest")
    assert b'"text"' in (record.document or b"")
    assert documents[0]["text"].encode() in (record.document or b"")


def test_a_stored_document_is_found_as_one_of_the_same_batch_is(desk: Any, documents: Any) -> None:
    desk.put(documents[:1])
    desk.write(documents[1:], "flag")
    assert {id for id, marks in desk.marks().items() if marks} == {"version", "copy"}


def test_neither_an_excerpt_nor_its_whole_counts_unless_requested(
    desk: Any, make_text: Make
) -> None:
    whole = make_text(1, 400)
    documents = [
        {"id": "whole", "text": whole},
        {"id": "excerpt", "text": " ".join(whole.split()[:100])},
    ]
    assert set(desk.write(documents, "skip").values()) == {"written"}
    kinds = ("exact", "version", "excerpt_of")
    again = [{**each, "id": f"{each['id']}-2"} for each in documents]
    assert desk.write(again[1:], "skip", kinds=kinds) == {"excerpt-2": "skipped"}


def test_the_least_score_counts(desk: Any, documents: Any) -> None:
    statuses = desk.write(documents, "skip", min_score=1.0)
    assert statuses["version"] == "written"
    assert statuses["copy"] == "skipped"


def test_a_new_text_of_a_document_that_is_there_is_written(desk: Any, documents: Any) -> None:
    desk.put([documents[0], documents[3]])
    changed = {**documents[3], "text": documents[1]["text"]}
    assert desk.write([changed], "skip") == {"stranger": "written"}
    assert desk.documents()["stranger"]["text"] == documents[1]["text"]
    assert [each["action"] for each in desk.records()] == ["write"]


def test_documents_the_index_has_are_decided_only_once(desk: Any, documents: Any) -> None:
    desk.write(documents, "flag")
    assert set(desk.write(documents, "flag").values()) == {"unchanged"}
    assert len(desk.records()) == 2


def test_texts_without_words_are_versions_of_nothing(desk: Any) -> None:
    documents = [{"id": str(n), "text": each} for n, each in enumerate(["", "", "!!", "…"])]
    assert set(desk.write(documents, "skip").values()) == {"written"}


@pytest.mark.parametrize(
    "words",
    ["这部法律自公布之日起施行" * 9, "नमस्ते दुनिया " * 30, "שלום עולם " * 30, "🙂 🙃 a b " * 20],
)
def test_copies_are_found_in_every_script(desk: Any, words: str) -> None:
    statuses = desk.write([{"id": "1", "text": words}, {"id": "2", "text": words}], "skip")
    assert statuses == {"1": "written", "2": "skipped"}


def test_a_program_writes_with_a_bulk_of_its_own(desk: Any, documents: Any) -> None:
    with VersionPolicy(desk.client, desk.name, OnVersion("flag", audit=desk.audit)) as policy:
        for batch in (documents[:2], documents[2:]):
            decisions = policy.decide(batch)
            lines: list[Any] = []
            for each in decisions:
                if each.writes:
                    lines += [{"index": {"_id": each.id}}, each.to_write()]
            assert not desk.client.bulk(index=desk.name, operations=lines)["errors"]
            policy.confirm(decisions)
    assert {id for id, marks in desk.marks().items() if marks} == {"version", "copy"}
    assert desk.documents() == {each["id"]: each for each in documents}


def test_a_document_without_text_is_named(desk: Any) -> None:
    rules = OnVersion("flag", audit=desk.audit)
    named = pytest.raises(InputError, match=r"Document 2: .*'text'")
    with VersionPolicy(desk.client, desk.name, rules) as policy, named:
        policy.decide([{"id": "1", "text": "a b c"}, {"id": "2"}])


def test_an_index_without_our_fields_is_refused(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict), VersionPolicy(client, index_name):
        pass


def test_a_log_that_cannot_be_written_is_refused_before_anything_is(
    desk: Any, documents: Any, tmp_path: Any
) -> None:
    with pytest.raises(InputError, match="cannot be written") as refused:
        desk.write(documents, "skip", audit=tmp_path / "missing" / "audit.jsonl")
    assert refused.value.parameter == "audit"
    assert desk.documents() == {}


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"action": "drop"}, "drop"),
        ({"keep": "best"}, "best"),
        ({"kinds": ("semantic",)}, "semantic"),
        ({"min_score": 2}, "2"),
        ({"lose": 1.5}, r"lose must be between 0 and 1, got 1\.5"),
        ({"lose": -0.1}, r"lose must be between 0 and 1, got -0\.1"),
        ({"lose": float("nan")}, "lose must be between 0 and 1, got nan"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: Any, named: str) -> None:
    with pytest.raises(InputError, match=named):
        OnVersion(**rules)


def test_the_newest_cannot_be_kept_without_a_date(desk: Any, documents: Any) -> None:
    with pytest.raises(InputError, match="date_field") as refused:
        desk.write(documents, "replace", keep="newest")
    assert refused.value.parameter == "date_field"
    assert desk.documents() == {}


def test_undo_leaves_no_document_to_be_represented_by_another(
    desk: Any, make_text: Make, revise: Make
) -> None:
    from es_simhash.maintenance.families.find_families import find_families

    first = make_text(1)
    desk.put([{"_id": "a", "text": first}])
    desk.write([{"_id": "b", "text": revise(first, 3)}], "link")
    find_families(desk.client, desk.name)
    stored = {id: source["simhash"] for id, source in desk.sources().items()}
    assert {stored[id]["representative"] for id in "ab"} == {True, False}
    desk.undo()
    for source in desk.sources().values():
        simhash = source["simhash"]
        assert simhash.get("family") is not None or simhash.get("representative") is None
    current = {"bool": {"must_not": {"term": {"simhash.representative": False}}}}
    hits = desk.client.search(index=desk.name, query=current)["hits"]["hits"]
    assert "b" in {hit["_id"] for hit in hits}
