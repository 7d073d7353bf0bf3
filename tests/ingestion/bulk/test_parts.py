import json
import threading
from pathlib import Path

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.bulk.batch_preparation import prepare
from es_simhash.ingestion.bulk.document_batches import DeadLetter, Lines
from es_simhash.ingestion.bulk.lookup import Lookup
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.ingestion.bulk.write_policy import Sequencer
from es_simhash.ingestion.enrichment import fingerprint_documents
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.retry import Stopped
from es_simhash.text import limits
from es_simhash.text.escaping import printable

CONFIG = IndexConfig()


def lines(*documents: object) -> Lines:
    return Lines("file", 1, b"\n".join(json.dumps(each).encode() for each in documents))


def stored(document: dict[str, object]) -> dict[str, object]:
    return next(fingerprint_documents([document]))


def unchanged(prepared: Prepared) -> list[str]:
    return [id for _, id in prepared.unchanged]


def test_a_batch_becomes_the_body_of_a_bulk_request() -> None:
    prepared = prepare(
        lines({"id": "a", "text": "One."}, {"id": "b", "text": ""}), CONFIG, Lookup()
    )
    actions = [json.loads(each) for each in prepared.body.splitlines()]
    assert actions[0] == {"index": {"_id": "a"}}
    assert actions[1] == {"id": "a", "text": "One.", "simhash": simhash_object(fingerprint("One."))}
    assert actions[3]["simhash"] == simhash_object(fingerprint(""))
    assert prepared.ids == ["a", "b"]
    assert prepared.body[: prepared.ends[0]].count(b"\n") == 2


def test_of_documents_with_one_id_the_last_is_written() -> None:
    repeated = ({"id": 1, "text": "old"}, {"id": 1, "text": "new"})
    prepared = prepare(lines(*repeated), CONFIG, Lookup())
    assert prepared.positions == [1]
    assert (prepared.unchanged, prepared.repeats) == ([], [(0, "1")])
    first = prepare(lines(*repeated), CONFIG, Lookup(), "first")
    assert (first.positions, first.repeats) == ([0], [(1, "1")])


def test_a_document_that_the_index_has_is_left_out() -> None:
    document = {"id": "a", "text": "One.", "n": 1, "f": 1.0, "deep": {"b": [None, {}]}}
    found = Lookup({"a": stored(document)})
    assert unchanged(prepare(lines(document), CONFIG, found)) == ["a"]
    assert unchanged(prepare(lines({"_id": "a", **document}), CONFIG, found)) == ["a"]


@pytest.mark.parametrize(
    "change", [{"text": "Two."}, {"n": 2}, {"n": 1.0}, {"n": True}, {"more": 1}, {"text": "one."}]
)
def test_a_document_with_any_change_is_written(change: dict[str, object]) -> None:
    document = {"id": "a", "text": "One.", "n": 1}
    assert prepare(lines({**document, **change}), CONFIG, Lookup({"a": stored(document)})).ids == [
        "a"
    ]


def test_a_number_beyond_double_precision_is_never_taken_for_the_same() -> None:
    line = b'{"id":"a","text":"t","n":0.12345678901234567890123}'
    found = Lookup({"a": stored(json.loads(line))})
    assert prepare(Lines("file", 1, line), CONFIG, found).ids == ["a"]
    long = b'{"id":"a","text":"t","n":-122.41941550000001}'
    assert not prepare(Lines("file", 1, long), CONFIG, Lookup({"a": stored(json.loads(long))})).ids


def test_stale_or_missing_fingerprints_are_written_again() -> None:
    document = {"id": "a", "text": "One."}
    stale = {**document, "simhash": stored({"text": "Another."})["simhash"]}
    for found in (stale, document, {**document, "simhash": {"scheme": "older"}}):
        assert prepare(lines(document), CONFIG, Lookup({"a": found})).ids == ["a"]


def test_a_text_of_too_many_chunks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"id": "long", "text": "Eight words are what one chunk needs here. " * 30_000}
    prepared = prepare(lines(long, {"id": "b", "text": "Short."}), CONFIG, Lookup())
    assert prepared.ids == ["b"]
    assert "chunks, and at most 20000" in prepared.failures[0].reason
    monkeypatch.setattr(limits, "MAX_CHUNKS", 2)
    middle = {"id": "middle", "text": long["text"][:1000]}
    assert prepare(lines(middle, {"id": "b", "text": ""}), CONFIG, Lookup()).ids == ["b"]


@pytest.mark.long
def test_fingerprints_are_added_to_documents_of_a_program() -> None:
    documents = [{"body": {"text": f"Text {number}. " * 5000}} for number in range(5)]
    config = IndexConfig(text_field="body.text", simhash_field="fp", semantics=DEFAULT_SEMANTICS)
    added = list(fingerprint_documents(documents, config=config))
    for document, result in zip(documents, added, strict=True):
        expected = simhash_object(fingerprint(document["body"]["text"]))
        assert {**expected, **result["fp"]} == result["fp"]
        assert result["fp"]["semantic_scheme"] == DEFAULT_SEMANTICS.name
        assert {**result, "fp": ""} == {**document, "fp": ""}
    [alone] = fingerprint_documents([{"text": "One."}], config=IndexConfig())
    assert alone == {"text": "One.", "simhash": simhash_object(fingerprint("One."))}
    with pytest.raises(InputError, match="Document 2: There is no field"):
        list(fingerprint_documents([{"text": ""}, {}]))


def test_a_dead_letter_keeps_the_document_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "dead"
    batch = Lines("f", 5, b'{"n":1.00}\r\n{"broken\n\xff\n{"deep":' + b"[" * 99_999)
    for _ in range(2):
        with DeadLetter(path) as letters:
            assert not letters.count
            for place in range(4):
                letters.add(batch, Failure(place, None, "reason"))
    records = [json.loads(each) for each in path.read_bytes().splitlines()]
    assert len(records) == 8
    assert records[0] == {"id": None, "reason": "reason", "file": "f", "line": 5,
                          "document": {"n": 1.0}}  # fmt: skip
    assert b'"document": {"n":1.00}}' in path.read_bytes()
    assert records[1]["raw"] == '{"broken'
    assert records[2]["raw"].encode("utf-8", "surrogateescape") == b"\xff"


def test_no_dead_letter_no_file(tmp_path: Path) -> None:
    with DeadLetter(tmp_path / "dead"):
        pass
    with DeadLetter(None) as none:
        none.add(lines({}), Failure(0, None, "reason"))
    assert not list(tmp_path.iterdir())


def test_a_dead_letter_that_cannot_be_written_names_the_way_out(tmp_path: Path) -> None:
    with DeadLetter(tmp_path) as letters, pytest.raises(InputError, match="Name") as raised:
        letters.add(lines({}), Failure(0, None, "reason"))
    assert raised.value.parameter == "dead_letter"


class Watched(threading.Condition):
    """A condition that says when a thread waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.set()
        return super().wait(timeout)


def test_a_batch_waits_for_the_one_with_the_same_id(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    monkeypatch.setattr(threading, "Condition", lambda: watched)
    sequencer = Sequencer(4)
    monkeypatch.undo()
    order: list[str] = []
    sequencer.wait_for(0)
    sequencer.start(0, ["a"])

    def second() -> None:
        sequencer.wait_for(1)
        sequencer.start(1, ["a", "b"])
        order.append("second goes")
        sequencer.finish(1)

    thread = threading.Thread(target=second)
    thread.start()
    # Its turn has come, and it waits: for nothing but the first to leave.
    assert watched.waits.wait(60)
    assert sequencer.written_recently({"a"})
    order.append("first leaves")
    sequencer.finish(0)
    thread.join()
    assert order == ["first leaves", "second goes"]
    assert sequencer.written_recently({"b"})
    assert not sequencer.written_recently({"c"})


def test_turns_that_never_come_end_with_the_run() -> None:
    sequencer = Sequencer(2)
    sequencer.stop()
    with pytest.raises(Stopped):
        sequencer.wait_for(5)


def test_control_characters_are_shown_escaped() -> None:
    assert printable("a\x1b[2Jé\ud800\u202e") == "a\\x1b[2Jé\\ud800\\u202e"
