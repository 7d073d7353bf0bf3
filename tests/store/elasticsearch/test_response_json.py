"""Responses are read as the client's own reader reads them, and by a quicker one where it can."""

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.response_json import serializers

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(values)
def test_values_are_what_they_were(value: Any) -> None:
    body = json.dumps(value).encode()
    for reader in serializers().values():
        assert reader.loads(body) == value


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"half": "\\ud83d"}', {"half": "\ud83d"}),
        (b'{"half": "\xed\xa0\xbd"}', {"half": "\ud83d"}),
        (b"[1e999]", [math.inf]),
        (b"[123456789012345678901234567890]", [123456789012345678901234567890]),
        (b"", None),
    ],
)
def test_documents_may_hold_what_is_no_standard(body: bytes, value: Any) -> None:
    for reader in serializers().values():
        assert reader.loads(body) == value


def test_a_client_reads_both_kinds_of_responses_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    decode = msgspec.json.decode
    monkeypatch.setattr(msgspec.json, "decode", lambda data: read.append(data) or decode(data))
    with connect("http://localhost:9") as client:
        for kind in ("application/json", "application/vnd.elasticsearch+json;compatible-with=8"):
            assert client.transport.serializers.loads(b"[1]", kind) == [1]
    assert read == [b"[1]", b"[1]"]
