"""Errors of the package as answers of the service, which tell nothing of their messages."""

import pytest

from es_simhash.errors import (
    ClusterError,
    DocumentMissing,
    EsSimhashError,
    InputError,
    MissingExtra,
)
from es_simhash.service.responses import problem_of
from es_simhash.service.separate_process import ProcessEnded


@pytest.mark.parametrize(
    ("error", "status", "part"),
    [
        (DocumentMissing("secret"), 404, ""),
        (ClusterError("secret"), 503, "does not answer"),
        (InputError("secret", parameter="family"), 422, "no version family"),
        (InputError("secret"), 422, "no text that can be compared"),
        (ProcessEnded("secret"), 503, "The comparison ended early; try again."),
        (MissingExtra("secret"), 422, "a language that this service cannot read"),
    ],
)
def test_an_error_is_an_answer_without_its_message(
    error: EsSimhashError, status: int, part: str
) -> None:
    problem = problem_of(error)
    assert problem.status == status
    assert part in problem.detail
    assert "secret" not in problem.detail
