"""What a run remembers of a document, and reads back."""

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk import run_documents
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.run_documents import (
    ON_CONFLICT,
    Mark,
    RunDocuments,
    Standing,
    key_of,
    mark_of,
    require_on_conflict,
)


def mark(text: str, routing: str | None = None, id: str = "x") -> Mark:
    return mark_of(Document(0, id, text, b"{}", "{}", routing))


def test_all_that_was_kept_is_read_back_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_documents, "_CHUNK", 2)
    marks = [mark(f"text {n}", id=f"{n}") for n in range(9)]
    records = RunDocuments().put([Standing(each, "written") for each in marks])
    again = RunDocuments()
    again.load(records)
    for each, standing in zip(marks, again.standing([each.key for each in marks]), strict=True):
        assert standing is not None
        assert standing.mark.has_text_of(each)
        assert standing.status == "written"


def test_ids_are_known_while_their_documents_stand() -> None:
    run = RunDocuments()
    run.put([Standing(mark("text", id=id), "written") for id in "abc"])
    run.put([], [key_of("b")])
    assert run.known(["d", "c", "b", "a"]) == {"a", "c"}


def test_texts_and_routings_are_told_apart_whatever_the_other_is() -> None:
    texts = [mark(f"text {n}", "one") for n in range(64)]
    for each in texts[1:]:
        assert each.has_routing_of(texts[0])
        assert not each.has_text_of(texts[0])
        assert not each.has_routing_of(mark("text 0"))
    for n in range(64):
        other = mark("text 0", f"routing {n}")
        assert other.has_text_of(texts[0])
        assert not other.has_routing_of(texts[0])


def test_a_routing_is_remembered_by_16_bits_of_its_digest() -> None:
    for n in range(16):
        bits = mark("text", f"routing {n}").value >> 2 & 0xFFFF
        assert bits == key_of(f"routing {n}") >> 48
    assert mark("text").value >> 2 & 0xFFFF == 0


def test_an_unknown_rule_is_an_error() -> None:
    for rule in ON_CONFLICT:
        require_on_conflict(rule)
    with pytest.raises(InputError, match="choose from last, first, fail") as raised:
        require_on_conflict("other")
    assert raised.value.parameter == "on_conflict"
