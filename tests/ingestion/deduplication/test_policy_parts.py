"""The parts that need no engine."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.audit_log import FORMAT, FileAudit, Record
from es_simhash.store.codec import shingle_terms, shingles_of


@given(st.sets(st.integers(0, (1 << 24) - 1)))
def test_passages_are_read_from_their_terms(numbers: set[int]) -> None:
    shingles = np.array(sorted(numbers), np.uint32)
    assert shingles_of(shingle_terms(shingles)[::-1]).tolist() == sorted(numbers)


@pytest.mark.parametrize("terms", [["abc"], ["ab!c"], ["é123"], [5, "abcd"]])
def test_other_terms_are_refused(terms: list[Any]) -> None:
    with pytest.raises(InputError, match="terms"):
        shingles_of(terms)


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
