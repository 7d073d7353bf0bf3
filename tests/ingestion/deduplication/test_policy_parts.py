"""The parts that need no engine."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication.audit_log import FORMAT, FileAudit, Record
from es_simhash.ingestion.deduplication.recent_documents import RecentDocuments, ShingleQuery
from es_simhash.ingestion.deduplication.version_decisions import IncomingDocument, Original
from es_simhash.store.codec import shingle_terms, shingles_of


def original(id: str, text: str) -> Original:
    source = json.dumps({"text": text}).encode()
    return IncomingDocument(id, 0, fingerprint(text), source, b"{}").as_original()


@given(st.sets(st.integers(0, (1 << 24) - 1)))
def test_passages_are_read_from_their_terms(numbers: set[int]) -> None:
    shingles = np.array(sorted(numbers), np.uint32)
    assert shingles_of(shingle_terms(shingles)[::-1]).tolist() == sorted(numbers)


@pytest.mark.parametrize("terms", [["abc"], ["ab!c"], ["é123"]])
def test_other_terms_are_refused(terms: list[str]) -> None:
    with pytest.raises(InputError, match="terms"):
        shingles_of(terms)


def test_what_was_written_lately_is_found_by_passages_and_by_the_whole() -> None:
    recent = RecentDocuments()
    text = " ".join(f"word{n}" for n in range(50))
    recent.put("whole", original("whole", text))
    recent.put("short", original("short", "two words"))
    recent.put("other", original("other", " ".join(f"other{n}" for n in range(50))))
    query = ShingleQuery.of(fingerprint(f"{text} and more"))
    assert [each.id for each in recent.search(query)] == ["whole"]
    short = ShingleQuery.of(fingerprint("Two  words"))
    assert [each.id for each in recent.search(short)] == ["short"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 3))))
def test_what_is_forgotten_leaves_nothing_behind(steps: list[tuple[str, bool, int]]) -> None:
    recent = RecentDocuments()
    texts = [" ".join(f"w{seed % 2}{n}" for n in range(20)) for seed in range(4)]
    for id, leads, seed in steps:
        before = recent.get(id)
        recent.put(id, original(id, texts[seed]) if leads else None)
        if seed == 3:
            recent.restore(id, before)
    assert recent.shingles == sum(
        len(entry.original.text.shingles)
        for id in "abc"
        if (entry := recent.get(id)) is not None and entry.original is not None
    )
    remembered = {id for id in "abc" if id in recent}
    assert len(recent) == len(remembered)
    # Searches of before the first refresh may not see it yet.
    recent.refreshed()
    assert {id for id in "abc" if id in recent} == remembered
    recent.refreshed()
    assert (len(recent), recent.shingles) == (0, 0)
    assert not list(recent.search(ShingleQuery.of(fingerprint(texts[0]))))


def test_an_answer_is_outdated_when_what_it_lacks_is_forgotten() -> None:
    recent = RecentDocuments()
    recent.put("a", original("a", "some words of a text"))
    recent.refreshed()
    # A search of before the refresh may not see it, and it is still remembered.
    assert not recent.is_outdated(0)
    assert "a" in recent
    recent.refreshed()
    assert recent.is_outdated(0)
    assert "a" not in recent


# What each decision says, and undo needs.
HEAD = {"run": "r", "index": "i", "id": "d", "other": "o", "action": "skip", "number": 1, "time": 2}


def test_records_of_a_later_version_are_not_passed_over_as_if_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    known = Record({**HEAD, "format": FORMAT}, b"{}")
    # What the first versions wrote names no format; a later one may have other members altogether.
    later = Record({"format": FORMAT + 1, "what": "unknown"})
    path.write_bytes(b"".join(each.line() + b"\n" for each in (Record(HEAD), known, later)))
    records = FileAudit(path).read()
    assert [next(records), next(records)] == [Record(HEAD), known]
    with pytest.raises(InputError, match=f"format {FORMAT + 1}.* reads {FORMAT}.* Use the version"):
        next(records)


@given(
    st.dictionaries(
        st.text(), st.recursive(st.text() | st.floats() | st.none(), st.lists, max_leaves=5)
    ),
    st.none() | st.integers(1, 3),
)
def test_a_record_keeps_each_byte_of_the_document(fields: dict[str, object], indent: int) -> None:
    content = json.dumps({**fields, ',"document":': 1.0}, indent=indent).encode()
    head = {**HEAD, "id": ',"document":{'}
    line = Record(head, content).line()
    assert b"\n" not in line
    again = Record.of_line(line + b"\n")
    assert again.head == head
    assert again.document == content.replace(b"\n", b" ")
    assert Record.of_line(Record(head).line()).document is None


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'{"a": 1}', b"null", b"\xff", b'{"action": "skip", "id": "d"}']
)
def test_what_is_no_record_is_passed_over(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    good = Record(HEAD, b"{}")
    path.write_bytes(line + b"\n" + good.line() + b"\n" + line)
    assert list(FileAudit(path).read()) == [good]
