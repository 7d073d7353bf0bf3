"""Synonyms sets of the cluster: read in pages, in one order, and what is wrong with them."""

from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.store.elasticsearch.synonyms_sets import synonyms_set


def answered(*responses: dict[str, Any]) -> tuple[list[tuple[str, Any]], list[str]]:
    """Return the paths and parameters that are asked for, and the rules."""
    steps = synonyms_set("a b/c")
    call, asked = next(steps), []
    try:
        for response in responses:
            asked.append((call.path, call.params))
            call = steps.send(response)
    except StopIteration as stop:
        return asked, stop.value
    raise AssertionError("it asks for more")


def page(count: int, *rules: str) -> dict[str, Any]:
    rows = [{"id": f"id of {rule}", "synonyms": rule} for rule in rules]
    return {"count": count, "synonyms_set": rows}


def test_the_rules_are_in_one_order_whatever_their_ids() -> None:
    asked, rules = answered(page(2, "hello, hi", "bye, goodbye"))
    assert asked == [("/_synonyms/a%20b%2Fc", {"size": 10_000})]
    assert rules == ["bye, goodbye", "hello, hi"]


def test_a_large_set_is_read_in_pages() -> None:
    asked, rules = answered(page(3, "a, b", "c, d"), page(3, "e => f"))
    assert asked[1][1] == {"size": 10_000, "search_after": "id of c, d"}
    assert rules == ["a, b", "c, d", "e => f"]


def test_a_set_that_becomes_smaller_meanwhile_ends() -> None:
    assert answered(page(3, "a, b"), page(1))[1] == ["a, b"]


def test_an_empty_set_is_no_vocabulary() -> None:
    with pytest.raises(InputError, match="'a b/c' has no rules"):
        answered(page(0))
