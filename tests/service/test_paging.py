"""The address of the next page has what this one was asked for."""

from urllib.parse import parse_qsl

import pytest

from es_simhash.service.operations import ApiAnswer, FamilyPage, MemberPage, Operation, Question
from es_simhash.service.paging import (
    next_families,
    next_members,
    next_related,
)
from es_simhash.service.request_parameters import options_of, query_parameters
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.options import Recency, SearchOptions


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(size=3, kinds=("exact", "version"), sort="-date", collapse=False),
        SearchOptions(min_score=0.5, family="same", recency=Recency("my date", half_life=3.5)),
    ],
)
def test_the_next_page_has_the_same_options(options: SearchOptions) -> None:
    def nothing(question: Question) -> ApiAnswer:
        return ApiAnswer({})

    operation = Operation("/v1/x", "x", "", dict, nothing, SearchOptions)
    sorts = ("score", "date", "-date")
    allowed = query_parameters(operation, ServiceLimits(), sorts, "my date")
    address = next_related(options, 20)
    assert address.startswith("?size=")
    following = options_of(SearchOptions, parse_qsl(address[1:]), allowed)
    assert vars(following) == {**vars(options), "offset": 20}


def test_pages_of_members_and_of_families_follow() -> None:
    assert next_members(MemberPage(5, 10)) == "?size=5&from=15"
    assert next_families(FamilyPage(5), "a b") == "?size=5&after=a+b"
