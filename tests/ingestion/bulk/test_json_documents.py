import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.ingestion.bulk.json_documents import Document, cut, parse_line, splice
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.store.config import IndexConfig
from es_simhash.text.limits import MAX_TEXT_BYTES

CONFIG = IndexConfig()

names = st.text(st.characters(codec="utf-8"), max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


def refusal(line: bytes, config: IndexConfig = CONFIG) -> str:
    refused = parse_line(line, 0, config)
    assert isinstance(refused, Failure)
    return refused.reason


def document(line: bytes, config: IndexConfig = CONFIG) -> Document:
    parsed = parse_line(line, 0, config)
    assert isinstance(parsed, Document), parsed
    return parsed


@given(st.dictionaries(names, values, max_size=5), st.sampled_from([None, 1]))
def test_a_cut_member_leaves_the_others_as_they_were(
    fields: dict[str, object], indent: int
) -> None:
    with_own = {**fields, "_id": "x"}
    left = cut(json.dumps(with_own, indent=indent), {"_id"})
    fields.pop("_id", None)
    assert json.dumps(json.loads(left)) == json.dumps(fields)


@given(st.dictionaries(names, values, max_size=5))
def test_a_spliced_member_comes_first_and_changes_nothing_else(fields: dict[str, object]) -> None:
    source = json.dumps(fields).encode()
    spliced = splice(source, b'"\\u0000own"', b"{}")
    assert json.dumps(json.loads(spliced)) == json.dumps({"\0own": {}, **fields})


def test_numbers_and_escapes_stay_byte_by_byte() -> None:
    rest = (
        b'"big":123456789012345678901234567890,"f":1.00,"e":1E+2,"x":"\\u00e9\\ud800","nan":NaN,'
        b'"text" : "t"'
    )
    assert document(b'{ "_id": "a", ' + rest + b" }").source == b"{" + rest + b"}"
    assert document(b'{"id": "a", ' + rest + b" }").source == b'{"id": "a", ' + rest + b" }"


def test_an_integer_of_thousands_of_digits_stays() -> None:
    line = b'{"_id":"a","n":' + b"9" * 5000 + b',"text":"t"}'
    assert document(line).source == line.replace(b'"_id":"a",', b"")


def test_an_old_object_of_ours_is_taken_out() -> None:
    line = b'{"id":1,"simhash":{"scheme":"old"},"text":"t","simhash":null}'
    assert document(line).source == b'{"id":1,"text":"t"}'


def test_a_byte_order_mark_is_no_part_of_the_document() -> None:
    assert document(b'\xef\xbb\xbf{"id":"a","text":"t"}').source == b'{"id":"a","text":"t"}'


def test_the_id_is_taken_from_the_first_field_that_has_one() -> None:
    assert document(b'{"id":"b","_id":"a","text":""}').id == "a"
    assert document(b'{"id":7,"text":""}').id == "7"
    assert document(b'{"id":7,"key":"k","text":""}', IndexConfig(id_field="key")).id == "k"


def test_without_an_id_the_same_document_has_the_same_id() -> None:
    one, same, other = (document(b'{"text":"%b"}' % text).id for text in (b"a", b"a", b"b"))
    assert one == same != other


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"text": "a', "Malformed JSON"),
        (b'["a"]', "holds a list"),
        (b'{"id":"a","text":"\xff"}', "not UTF-8"),
        (b'{"id":"a"}', "no field 'text'"),
        (b'{"id":"a","text":{"x":1}}', "holds dict"),
        (b'{"id":"a","text":5}', "holds int"),
        (b'{"id":"a","text":null}', "Field 'text' holds null, not text"),
        (b'{"id":"a","text":["a",null]}', "Field 'text' holds a list with null, not text"),
        (b'{"id":"a","text":["a",["b"]]}', "Field 'text' holds a list with list, not text"),
        (b'{"id":[],"text":"a"}', "not an id"),
        (b'{"id":true,"text":"a"}', "not an id"),
        (b'{"id":"","text":"a"}', "an empty string"),
        (b'{"id":"\\ud800","text":"a"}', "not Unicode"),
        (b'{"id":"%b","text":"a"}' % ("é" * 300).encode(), "600 bytes"),
        (b'{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(line: bytes, expected: str) -> None:
    reason = refusal(line)
    assert expected in reason
    assert "\n" not in reason


def test_a_missing_id_field_is_refused() -> None:
    assert "no field 'key'" in refusal(b'{"id":"a","text":"a"}', IndexConfig(id_field="key"))


def test_control_characters_of_an_id_are_escaped() -> None:
    line = json.dumps({"id": "\x1b[31m" + "a" * 600, "text": ""}).encode()
    assert "\\x1b[31m" in refusal(line)
    assert "\x1b" not in refusal(line)


def test_a_text_of_more_than_16_mebibytes_is_refused() -> None:
    fits = json.dumps({"id": 1, "text": "a" * MAX_TEXT_BYTES}).encode()
    assert len(document(fits).text) == MAX_TEXT_BYTES
    assert "17.0 MiB" in refusal(json.dumps({"id": 1, "text": "a" * (17 << 20)}).encode())
    wide = json.dumps({"id": 1, "text": "é" * (9 << 20)}).encode()
    assert "18.0 MiB" in refusal(wide)
