"""A body has the members of its type and no others; a problem names the nearest right one."""

import pytest

from es_simhash.service.request_bodies import IdsBody, TextBody, body_of
from es_simhash.service.responses import Problem


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


@pytest.mark.parametrize("ids", ["[]", '"a"', '[""]', "[1]", '["' + "x" * 513 + '"]', "null"])
def test_ids_that_are_invalid(ids: str) -> None:
    with pytest.raises(Problem, match='"ids" must be a list of ids of 1'):
        body_of(f'{{"ids": {ids}}}'.encode(), IdsBody)
