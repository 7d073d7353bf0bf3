"""The stored form of learned word vectors: a head and parts, read as they were written or not."""

import json
from typing import Any

import pytest

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.store import vector_table_entries
from es_simhash.store.vector_table_entries import head_of, parts_of, table_of
from tests.semantics.test_learned_vectors import TABLE

REPAIR = "Run `es-simhash background news --vectors` and `es-simhash backfill news`."


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The table in more than one part, as they are stored."""
    monkeypatch.setattr(vector_table_entries, "_PART_BYTES", 3_000)
    parts: list[dict[str, Any]] = json.loads(json.dumps(parts_of(TABLE)))
    assert len(parts) > 2
    return parts


def test_they_are_read_in_any_order_among_those_of_others(parts: list[dict[str, Any]]) -> None:
    head = json.loads(json.dumps(head_of(TABLE)))
    others = [{**part, "table": "2025-01-01-00000000", "content": "AAAA"} for part in parts]
    assert table_of(head, [*others, *parts[::-1]], "news", "scheme") == TABLE
    assert (head["texts"], head["words"], head["languages"]) == (500, 6, ["de", "en"])


@pytest.mark.parametrize("change", ["lost", "cut", "no base64", "no head", "no name"])
def test_damaged_ones_are_one_sentence_with_a_way_out(
    parts: list[dict[str, Any]], change: str
) -> None:
    head: dict[str, Any] = head_of(TABLE)
    if change == "lost":
        parts.pop()
    elif change == "cut":
        parts[0]["content"] = parts[0]["content"][:-4]
    elif change == "no base64":
        parts[0]["content"] = "?"
    elif change == "no head":
        del head["parts"]
    else:
        head["name"] = None
    with pytest.raises(InputError) as failure:
        table_of(head, parts, "news", "scheme")
    assert str(failure.value).endswith(f"of index 'news' are damaged. {REPAIR}")


def test_those_of_another_scheme_or_form_are_rejected(parts: list[dict[str, Any]]) -> None:
    with pytest.raises(SchemeMismatch, match="semantic scheme 'scheme', but the index has 'other'"):
        table_of(head_of(TABLE), parts, "news", "other")
    with pytest.raises(SchemeMismatch, match="have form 2, but this version reads form 3"):
        table_of({**head_of(TABLE), "schema": 2}, parts, "news", "scheme")
