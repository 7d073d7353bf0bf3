"""Where the searches of requests are sent, and what becomes of their responses."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_searches import IndexSearches, Searches, divided

REQUIRED = Searches([{"n": 1}, {"n": 2}])
OPTIONAL = Searches([{"n": 3}], optional=True)
ELSEWHERE = Searches([{"n": 4}], optional=True, index="state")


def test_searches_of_one_index_need_it_others_do_not() -> None:
    plans = [OPTIONAL, REQUIRED, ELSEWHERE]
    required, optional = divided(plans, [plan.bodies for plan in plans], "texts")
    assert required == [{"n": 1}, {"n": 2}]
    assert [(each.index, each.body, each.may_be_rejected) for each in optional] == [
        ("texts", {"n": 3}, True),
        ("state", {"n": 4}, False),
    ]


def test_each_request_gets_the_responses_of_its_searches() -> None:
    calls = IndexSearches("i", IndexConfig()).responses([OPTIONAL, REQUIRED, ELSEWHERE])
    call = next(calls)
    sent: Sequence[Mapping[str, Any]] = call.body[1::2]
    assert (call.path, [body["n"] for body in sent]) == ("/i/_msearch", [1, 2, 3, 4])
    try:
        calls.send([{"answer": body["n"]} for body in sent])
    except StopIteration as stop:
        answers = [[response["answer"] for response in some] for some in stop.value]
    assert answers == [[3], [1, 2], [4]]


def test_candidates_are_searched_by_the_conditions_of_their_request() -> None:
    plan = Searches(candidates=lambda where: [{"ids": where.ids}])
    calls = IndexSearches("i", IndexConfig()).bodies([plan, REQUIRED])
    try:
        next(calls)
    except StopIteration as stop:
        bodies = stop.value
    assert bodies == [[{"ids": None}], REQUIRED.bodies]
