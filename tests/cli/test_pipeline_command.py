"""The command that prints or installs the pipeline."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli import install_command
from es_simhash.errors import ClusterError, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.store import pipeline
from tests.cli.conftest import Fake

OTHER = "doc64-word2-b5.chunk128-char4-t3-20.shingle24-word4-w64.v2"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(install_command.pipeline, arguments)


def test_it_prints_the_body_of_the_request() -> None:
    result = run("--scheme", OTHER, "--text-field", "body.text", "--simhash-field", "copy")
    expected = pipeline.pipeline_body(
        Scheme.parse(OTHER), text_field="body.text", simhash_field="copy"
    )
    assert json.loads(result.stdout) == expected


def test_an_unknown_scheme_is_refused() -> None:
    assert isinstance(run("--scheme", "no-such").exception, SchemeError)


def test_it_puts_the_body_under_the_name(fake: Fake) -> None:
    fake.body = b'{"acknowledged": true}'
    assert "'mine'" in run("--install", "--name", "mine", "--url", fake.url).stdout
    [request] = fake.requests
    assert (request.method, request.path) == ("PUT", "/_ingest/pipeline/mine")
    assert json.loads(request.body) == pipeline.pipeline_body()


@pytest.mark.cluster
def test_a_cluster_without_scripts_is_answered_in_one_sentence(cluster_url: str) -> None:
    from tests.support.opensearch import runs_painless

    if runs_painless(cluster_url):
        pytest.skip("this engine has Painless")
    error = run("--install", "--url", cluster_url).exception
    assert isinstance(error, ClusterError)
    assert "script" in str(error)
