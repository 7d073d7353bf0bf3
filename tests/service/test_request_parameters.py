"""The parameters of an operation are its options in Python, within the bounds of the service."""

from typing import Any

import pytest

from es_simhash.described import parameters
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.relation.relation import KINDS
from es_simhash.service.operations import ApiAnswer, MemberPage, Operation, Question
from es_simhash.service.request_bodies import TextBody
from es_simhash.service.request_parameters import options_of, path_ids, query_parameters
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.options import Recency, SearchOptions


def nothing(question: Question) -> ApiAnswer:
    return ApiAnswer({})


def allowed(kind: Any, body: Any = None, date: str | None = "date") -> Any:
    operation = Operation("/v1/x", "x", "", dict, nothing, kind, body)
    limits = ServiceLimits(size=5, offset=20)
    return query_parameters(operation, limits, ("score", "date"), date)


ALLOWED = allowed(SearchOptions)
RECENCY = ["recency", "recency_half_life", "recency_weight"]


def test_the_parameters_of_a_search_are_its_search_options() -> None:
    described, of_recency = parameters(SearchOptions), parameters(Recency)
    names = ["size", "from", "sort", "kind", "min_score"]
    names += ["family", "collapse", "distinctive", "evidence"]
    assert list(ALLOWED) == [*names, *RECENCY]
    options = ["size", "offset", "sort", "kinds", *names[4:]]
    assert [ALLOWED[name].help for name in names] == [described[name].help for name in options]
    assert [ALLOWED[name].help for name in RECENCY] == [
        of_recency[name].help for name in ("field", "half_life", "weight")
    ]
    assert ALLOWED["size"].json_schema() == {
        "type": "integer", "minimum": 1, "maximum": 5, "default": 5,
    }  # fmt: skip
    assert ALLOWED["kind"].json_schema() == {"type": "array", "items": {"enum": list(KINDS)}}
    assert ALLOWED["recency"].json_schema() == {"enum": ["date"]}


def test_a_text_has_no_family_and_a_hidden_date_no_recency() -> None:
    assert "family" not in allowed(SearchOptions, TextBody)
    assert not set(RECENCY) & set(allowed(SearchOptions, date=None))
    assert allowed(None) == {}


def test_a_query_chooses_search_options() -> None:
    assert options_of(SearchOptions, [], ALLOWED) == SearchOptions(size=5)
    given = [
        ("size", "2"), ("from", "20"), ("kind", "semantic"), ("kind", "exact"),
        ("min_score", "0.5"), ("family", "other"), ("collapse", "false"), ("distinctive", "true"),
        ("recency", "date"), ("recency_weight", "1e-1"),
    ]  # fmt: skip
    assert options_of(SearchOptions, given, ALLOWED) == SearchOptions(
        size=2, offset=20, kinds=("exact", "semantic"), min_score=0.5, family="other",
        collapse=False, distinctive=True, recency=Recency("date", weight=0.1),
    )  # fmt: skip


def test_other_options_are_read_alike() -> None:
    assert options_of(MemberPage, [("from", "3")], allowed(MemberPage)) == MemberPage(5, 3)
    rules = allowed(OnVersion)
    assert options_of(OnVersion, [], rules) == OnVersion("skip")
    given = [("kind", "contains"), ("lose", "0.2")]
    assert options_of(OnVersion, given, rules) == OnVersion("skip", ("contains",), lose=0.2)


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ([("size", "6")], "size must be a whole number from 1 to 5."),
        ([("size", "١")], "size must be a whole number from 1 to 5."),
        ([("size", "+1")], "size must be a whole number from 1 to 5."),
        ([("from", "21")], "from must be a whole number from 0 to 20."),
        ([("sort", "-date")], "sort must be one of score, date."),
        ([("kind", "none")], f"kind must be one of {', '.join(KINDS)}."),
        ([("size", "1"), ("size", "1")], "size is given twice."),
        ([("collapse", "yes")], "collapse must be true or false."),
        ([("min_score", "nan")], "min_score must be a number from 0 to 1."),
        ([("min_score", "1_0")], "min_score must be a number from 0 to 1."),
        ([("min_score", "1.5")], "min_score must be a number from 0 to 1."),
        ([("recency", "secret")], "recency must be one of date."),
        (
            [("recency", "date"), ("recency_half_life", "0")],
            "recency_half_life must be a number above 0 to 36525.",
        ),
        ([("sise", "1")], "Unknown parameter 'sise'. Use size."),
        (
            [("filters", "x")],
            "Unknown parameter 'filters'. Use size, from, sort, kind, min_score, family, "
            "collapse, distinctive, evidence, recency, recency_half_life and recency_weight.",
        ),
        ([("kind" * 3_000, "1")], f"Unknown parameter '{'kind' * 10}…'. Use "),
    ],
)
def test_a_query_that_is_invalid(given: list[tuple[str, str]], detail: str) -> None:
    with pytest.raises(Problem) as caught:
        options_of(SearchOptions, given, ALLOWED)
    assert caught.value.status == 400
    assert caught.value.detail.startswith(detail)
    assert len(caught.value.detail) < 250


def test_parameters_that_do_not_go_together() -> None:
    with pytest.raises(Problem, match="recency ranks by score and date; it cannot be") as caught:
        options_of(SearchOptions, [("recency", "date"), ("sort", "date")], ALLOWED)
    assert caught.value.status == 422


def test_defaults_that_a_client_sends_change_nothing() -> None:
    given = [
        (name, str(parameter.default).lower())
        for name, parameter in ALLOWED.items()
        if parameter.default is not None and not parameter.is_repeatable
    ]
    assert {"recency_weight", "collapse"} < {name for name, _ in given}
    assert options_of(SearchOptions, given, ALLOWED) == options_of(SearchOptions, [], ALLOWED)


def test_ids_are_read_from_the_escaped_path() -> None:
    assert path_ids(b"/v1/related/a/b%2Fc?size=1", "/v1/related/", 1) == ["a/b/c"]
    assert path_ids(b"/v1/compare/a%2Fb/c", "/v1/compare/", 2) == ["a/b", "c"]
    for path, count in ((b"/v1/compare/a", 2), (b"/v1/compare/a/b/c", 2), (b"/v1/compare/", 1)):
        with pytest.raises(Problem):
            path_ids(path, "/v1/compare/", count)
