"""A body has the members of its type and no others; a problem names the nearest right one."""

import gzip
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from es_simhash.service.answer_types import Related
from es_simhash.service.application import application
from es_simhash.service.operations import ApiAnswer, Operation
from es_simhash.service.request_bodies import DraftBody, IdsBody, TextBody, body_of
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import ServiceConfig


def test_a_body_is_decoded() -> None:
    assert body_of(b'{"text": "words"}', TextBody) == TextBody("words")
    assert body_of('{"ids": ["a", "中"]}'.encode(), IdsBody) == IdsBody(("a", "中"))


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "The body is not JSON."),
        (b"\xff", "The body is not JSON."),
        (b"[" * 100_000, "The body is not JSON."),
        (b"null", "The body must be an object with text."),
        (b"{}", 'The body must have the member "text".'),
        (b'{"txt": "a"}', "The body has an unknown member 'txt'. Use text."),
        (b'{"text": "a", "size": 1}', "The body has an unknown member 'size'. Use text."),
        (b'{"text": "a", "": 1}', "The body has an unknown member ''. Use text."),
        (b'{"text": ""}', '"text" must be a string that is not empty.'),
        (b'{"text": 1}', '"text" must be a string that is not empty.'),
        (b'{"text": "\\ud800"}', "The body has half of a surrogate pair."),
    ],
)
def test_a_body_that_is_invalid(body: bytes, detail: str) -> None:
    with pytest.raises(Problem) as caught:
        body_of(body, TextBody)
    assert (caught.value.status, caught.value.detail) == (400, detail)


def test_a_draft_has_values_of_its_own_or_none() -> None:
    assert body_of(b'{"text": "a"}', DraftBody) == DraftBody("a", None)
    assert body_of(b'{"text": "a", "within": null}', DraftBody) == DraftBody("a", None)
    assert body_of(b'{"text": "a", "within": "x"}', DraftBody) == DraftBody("a", "x")
    assert body_of(b'{"text": "a", "within": []}', DraftBody) == DraftBody("a", ())
    assert body_of(b'{"text": "a", "within": ["x", 7]}', DraftBody) == DraftBody("a", ("x", 7))
    with pytest.raises(Problem, match="an object with text and within"):
        body_of(b"[]", DraftBody)
    with pytest.raises(Problem, match='must have the member "text"'):
        body_of(b'{"within": "x"}', DraftBody)


@pytest.mark.parametrize("within", ["true", "1.5", "{}", "[[]]", "[null]", f"{[*range(1001)]}"])
def test_values_of_a_draft_that_are_invalid(within: str) -> None:
    with pytest.raises(
        Problem, match='"within" must be a string, an integer, or a list of at most'
    ):
        body_of(f'{{"text": "a", "within": {within}}}'.encode(), DraftBody)


@pytest.mark.parametrize("ids", ["[]", '"a"', '[""]', "[1]", '["' + "x" * 513 + '"]', "null"])
def test_ids_that_are_invalid(ids: str) -> None:
    with pytest.raises(Problem, match='"ids" must be a list of ids of 1'):
        body_of(f'{{"ids": {ids}}}'.encode(), IdsBody)


def test_a_compressed_body_is_of_no_type_that_is_taken() -> None:
    operation = Operation(
        "/v1/related", "related", "Related", Related,
        lambda question: ApiAnswer(Related(None, (), 0, False, None, False, 0)),
        body=TextBody, is_cached=False,
    )  # fmt: skip
    answers = SimpleNamespace(operations=(operation,), sorts=("score",), date=None)
    http = TestClient(application(cast(Any, answers), ServiceConfig(explorer=False)))
    body, headers = b'{"text": "words"}', {"Content-Type": "application/json"}
    for encoding in ("gzip", "GZIP", "br", "gzip, identity"):
        given = {**headers, "Content-Encoding": encoding}
        answer = http.post("/v1/related", content=gzip.compress(body), headers=given)
        assert answer.status_code == 415, encoding
        assert answer.json()["detail"] == "The body must not be compressed."
        assert answer.headers["Accept-Encoding"] == "identity"
    for encoding in ("identity", ""):
        given = {**headers, "Content-Encoding": encoding}
        assert http.post("/v1/related", content=body, headers=given).status_code == 200
