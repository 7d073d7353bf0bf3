"""The parameters of a search are its search options, within the bounds of the service."""

import pytest

from es_simhash.described import parameters
from es_simhash.relation.relation import KINDS
from es_simhash.service.request_parameters import (
    path_ids,
    search_options,
    search_parameters,
    text_of_body,
)
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.options import SearchOptions

ALLOWED = search_parameters(ServiceLimits(size=5, offset=20), ("score", "date"))


def test_the_parameters_of_a_search_are_its_search_options() -> None:
    described = parameters(SearchOptions)
    assert list(ALLOWED) == ["size", "from", "sort", "kind", "evidence"]
    assert [ALLOWED[name].help for name in ALLOWED] == [
        described[name].help for name in ("size", "offset", "sort", "kinds", "evidence")
    ]
    assert ALLOWED["size"].json_schema() == {
        "type": "integer", "minimum": 1, "maximum": 5, "default": 5,
    }  # fmt: skip
    assert ALLOWED["kind"].json_schema() == {"type": "array", "items": {"enum": list(KINDS)}}
    assert ALLOWED["evidence"].json_schema() == {"type": "boolean", "default": True}


def test_a_query_chooses_search_options() -> None:
    assert search_options([], ALLOWED) == SearchOptions(size=5)
    given = [("size", "2"), ("from", "20"), ("kind", "semantic"), ("kind", "exact")]
    assert search_options(given, ALLOWED) == SearchOptions(
        size=2, offset=20, kinds=("exact", "semantic")
    )
    assert search_options([("evidence", "false")], ALLOWED) == SearchOptions(size=5, evidence=False)


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ([("size", "6")], "size must be a whole number from 1 to 5."),
        ([("size", "١")], "size must be a whole number from 1 to 5."),
        ([("size", "+1")], "size must be a whole number from 1 to 5."),
        ([("from", "21")], "from must be a whole number from 0 to 20."),
        ([("sort", "-date")], "sort must be one of score, date."),
        ([("kind", "none")], f"kind must be one of {', '.join(KINDS)}."),
        ([("evidence", "0")], "evidence must be true or false."),
        ([("size", "1"), ("size", "1")], "size is given twice."),
        ([("filters", "x")], "Unknown parameter; use size, from, sort, kind and evidence."),
        ([("offset", "1")], "Unknown parameter; use size, from, sort, kind and evidence."),
    ],
)
def test_a_query_that_is_invalid(given: list[tuple[str, str]], detail: str) -> None:
    with pytest.raises(Problem) as caught:
        search_options(given, ALLOWED)
    assert (caught.value.status, caught.value.detail) == (400, detail)


def test_ids_are_read_from_the_escaped_path() -> None:
    assert path_ids(b"/v1/related/a/b%2Fc?size=1", "/v1/related/", 1) == ["a/b/c"]
    assert path_ids(b"/v1/compare/a%2Fb/c", "/v1/compare/", 2) == ["a/b", "c"]
    for path, count in ((b"/v1/compare/a", 2), (b"/v1/compare/a/b/c", 2), (b"/v1/compare/", 1)):
        with pytest.raises(Problem):
            path_ids(path, "/v1/compare/", count)


def test_the_text_of_a_body_is_all_it_has() -> None:
    assert text_of_body(b'{"text": "words"}') == "words"
    with pytest.raises(Problem, match="one member"):
        text_of_body(b'{"text": "words", "size": 1}')
