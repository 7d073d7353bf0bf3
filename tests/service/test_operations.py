"""An operation is described once: its address, parameters, answer and OpenAPI entry follow."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from es_simhash.errors import DocumentMissing
from es_simhash.service.answer_types import Status
from es_simhash.service.application import application
from es_simhash.service.freshness import StatesRequest
from es_simhash.service.operations import ApiAnswer, Operation, Question
from es_simhash.service.request_bodies import TextBody
from es_simhash.service.service_config import ApiKey, ServiceConfig, key_digest
from es_simhash.store.options import SearchOptions
from tests.support.service import running_app


def nothing(question: Question) -> ApiAnswer:
    return ApiAnswer({})


@pytest.mark.parametrize(
    ("path", "prefix", "ids", "route"),
    [
        ("/v1/related", "/v1/related", [], "/v1/related"),
        ("/v1/related/{id}", "/v1/related/", ["id"], "/v1/related/{id}"),
        ("/v1/compare/{a}/{b}", "/v1/compare/", ["a", "b"], "/v1/compare/{ids}"),
    ],
)
def test_the_parts_of_an_address(path: str, prefix: str, ids: list[str], route: str) -> None:
    operation = Operation(path, "", "", Status, nothing)
    assert (operation.prefix, operation.ids, operation.route) == (prefix, ids, route)


def test_everything_that_an_answer_depends_on_is_in_its_key() -> None:
    operation = Operation("/shout/{id}", "", "", Status, nothing)
    questions = [
        Question((), ("a",)),
        Question((), ("b",)),
        Question(({"term": {"tenant": "a"}},), ("a",)),
        Question((), ("a",), SearchOptions(size=3)),
        Question((), ("a",), SearchOptions(kinds=("version",))),
    ]
    keys = {operation.key(question) for question in questions}
    assert len(keys - {None}) == len(questions)
    elsewhere = Operation("/whisper/{id}", "", "", Status, nothing)
    assert elsewhere.key(questions[0]) not in keys
    uncached = Operation("/v1/related", "", "", Status, nothing, is_cached=False)
    assert uncached.key(questions[0]) is None


class Shouting:
    """An index that answers in capitals."""

    sorts, date = ("score",), None

    @property
    def operations(self) -> list[Operation]:
        return [
            Operation("/shout/{a}/{b}", "shout", "Both ids in capitals", Status, self.shout),
            Operation("/search", "search", "A text", Status, self.search, SearchOptions, TextBody),
        ]

    def shout(self, question: Question) -> ApiAnswer:
        if "missing" in question.ids:
            raise DocumentMissing("There is none.")
        return ApiAnswer(Status(" ".join(question.ids).upper()), frozenset(question.ids))

    def search(self, question: Question) -> ApiAnswer:
        return ApiAnswer(Status(f"{question.text} {question.search.size}"))

    def states(self, requests: Sequence[StatesRequest]) -> list[dict[tuple[str, str], Any]]:
        return [{("index", id): (1, 1) for id in ids} for ids, _ in requests]

    def require_ready(self) -> None:
        """The index can always be searched."""


@pytest.mark.parametrize(("seconds", "times"), [(0, 0), (60, 1)])
def test_states_of_documents_are_read_only_of_answers_that_are_kept(
    seconds: int, times: int
) -> None:
    asked: list[Sequence[StatesRequest]] = []

    class Watched(Shouting):
        def states(self, requests: Sequence[StatesRequest]) -> list[dict[tuple[str, str], Any]]:
            asked.append(requests)
            return super().states(requests)

    config = ServiceConfig(cache_seconds=seconds)
    with (
        running_app(lambda: application(Watched(), config), config) as address,
        httpx.Client(base_url=address, verify=False) as http,
    ):
        assert http.get("/shout/a/b").json() == {"status": "A B"}
    assert len(asked) == times


def test_an_operation_is_served_and_described_by_its_line_alone() -> None:
    key = "a key of some length"
    config = ServiceConfig(keys=(ApiKey("site", key_digest(key)),))
    with (
        running_app(lambda: application(Shouting(), config), config) as address,
        httpx.Client(base_url=address, verify=False) as http,
    ):
        headers = {"X-Api-Key": key}
        for _ in range(2):
            answer = http.get("/shout/a%2Fb/c", headers=headers)
            assert answer.json() == {"status": "A/B C"}
        tag = {"If-None-Match": answer.headers["etag"], **headers}
        assert http.get("/shout/a%2Fb/c", headers=tag).status_code == 304
        assert http.get("/shout/a/missing", headers=headers).status_code == 404
        assert http.get("/shout/a", headers=headers).status_code == 404
        assert http.get("/shout/a/b?size=1", headers=headers).status_code == 400
        assert http.get("/shout/a/b").status_code == 401
        text = {"text": "some words"}
        posted = http.post("/search?size=3", json=text, headers=headers)
        assert posted.json() == {"status": "some words 3"}
        assert http.post("/search?sort=date", json=text, headers=headers).status_code == 400
        paths = http.get("/v1/openapi.json").json()["paths"]
    assert set(paths) == {"/shout/{a}/{b}", "/search", "/healthz", "/readyz"}
    described = paths["/shout/{a}/{b}"]["get"]
    assert [parameter["name"] for parameter in described["parameters"]] == ["a", "b"]
    assert described["security"]
    named = {each["name"]: each["schema"] for each in paths["/search"]["post"]["parameters"]}
    assert set(named) == {
        *("size", "from", "sort", "kind", "min_score", "collapse", "distinctive"),
        "evidence",
    }
    assert named["sort"] == {"enum": ["score"], "default": "score"}
