"""The search for what is stored beside an index, and what is read of it."""

from typing import Any

import pytest

from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import MAX_HITS
from es_simhash.store.elasticsearch.index_state_search import IndexStateLookup
from es_simhash.store.state_entries import FamilyRule

LOOKUP = IndexStateLookup("news", IndexConfig(semantics=DEFAULT_SEMANTICS))


def response(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"hits": {"hits": [{"_source": entry} for entry in entries]}}


def test_a_question_asks_for_its_own_dismissals_and_for_all_else_in_one_search() -> None:
    (body,) = LOOKUP.searches([str(number) for number in range(101)])
    kinds, *dismissals = body["query"]["bool"]["should"]
    assert set(kinds["terms"]["kind"]) == {"join", "background", "vectors"}
    groups = [clause["bool"]["filter"][1]["terms"]["ids"] for clause in dismissals]
    assert list(map(len, groups)) == [100, 1]
    assert {"terms": {"field": ["simhash"]}} in body["query"]["bool"]["filter"]
    # Neither the counts of a background nor the words of a table are read.
    assert set(body["_source"]) == {"kind", "field", "ids", "undone", "name", "options"}


def test_all_dismissals_are_asked_for_without_ids_and_nothing_of_a_pattern() -> None:
    (body,) = LOOKUP.searches(None)
    (kinds,) = body["query"]["bool"]["should"]
    assert {"dismissal", "run"} <= set(kinds["terms"]["kind"])
    assert IndexStateLookup("news-*", LOOKUP.config).searches(None) == []
    nothing = LOOKUP.read([])
    assert nothing is not None
    assert not nothing.pairs.dismissed
    assert not nothing.pairs.joined
    assert (nothing.background, nothing.vectors, nothing.family_rule) == (None, None, None)


def test_decisions_that_stand_and_names_are_read() -> None:
    entries: list[dict[str, Any]] = [
        {"kind": "dismissal", "ids": ["a", "b"], "undone": False},
        {"kind": "dismissal", "ids": ["a", "c"], "undone": True},
        {"kind": "join", "ids": ["a", "d"], "undone": False},
        {"kind": "background", "name": "2026-11-23-41b1d11e"},
        {"kind": "vectors", "name": "2026-11-24-da5a5bae"},
    ]
    state = LOOKUP.read([response(*({**entry, "field": "simhash"} for entry in entries))])
    assert state is not None
    assert state.pairs.dismissed.get("a") == {"b"}
    assert state.pairs.joined.others("a") == {"d"}
    assert state.background == "2026-11-23-41b1d11e"
    assert state.vectors == "2026-11-24-da5a5bae"


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (FamilyOptions(), FamilyRule("longest", None)),
        (FamilyOptions("newest", "published at"), FamilyRule("newest", "published at")),
        (FamilyOptions("oldest", "date", within="owner"), FamilyRule("oldest", "date")),
    ],
)
def test_the_rule_of_the_last_run_is_read(options: FamilyOptions, rule: FamilyRule) -> None:
    run = {"kind": "run", "options": options.settings_key(0.6), "field": "simhash"}
    state = LOOKUP.read([response({**run, "field": "other", "options": "x oldest d"}, run)])
    assert state is not None
    assert state.family_rule == rule


def test_what_was_learned_by_an_earlier_semantic_scheme_is_of_another_field() -> None:
    config = IndexConfig(semantics=DEFAULT_SEMANTICS, simhash_field="second", state_of="first")
    lookup = IndexStateLookup("news", config)
    (body,) = lookup.searches(None)
    assert {"terms": {"field": ["first", "second"]}} in body["query"]["bool"]["filter"]
    pair = {"kind": "join", "ids": ["a", "d"], "undone": False, "field": "first"}
    learned = [
        {"kind": kind, "name": f"{kind} of {field}", "field": field}
        for kind in ("background", "vectors")
        for field in ("second", "first")
    ]
    state = lookup.read([response(pair, *learned)])
    assert state is not None
    assert state.pairs.joined.others("a") == {"d"}
    assert (state.background, state.vectors) == ("background of second", "vectors of second")


def test_a_search_that_was_cut_says_so() -> None:
    pair = {"kind": "join", "ids": ["a", "b"], "undone": False}
    assert LOOKUP.read([response(*[pair] * MAX_HITS)]) is None
