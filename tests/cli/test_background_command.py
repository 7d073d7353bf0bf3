"""`es-simhash background`, and what other commands say of it."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.cluster
News = tuple[Any, str]


def test_it_counts_and_status_and_explain_name_it(
    news_index: News, cluster_url: str, run: Run
) -> None:
    _, name = news_index
    at = ("--url", cluster_url)
    before = run("status", name, *at).out
    assert f"none: general word frequencies count; run `es-simhash background {name}`" in before
    done = run("background", name, *at)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Background 20")
    assert done.out.endswith(" of 300 texts (en 300).\n")
    background = done.out.split()[1]
    assert f"{background}, counted in 300 texts at 20" in run("status", name, *at).out
    assert f"background {background}" in run("explain", name, "n0101", "n0102", *at).out
    counted = json.loads(run("background", name, *at, "--format", "json").out)
    assert (counted["name"], counted["documents"], counted["problem"]) == (background, 300, None)


def test_install_on_an_index_with_documents_counts_it(
    client: Any, index_name: str, news_index: News, cluster_url: str, run: Run
) -> None:
    first = run("install", index_name, "--url", cluster_url)
    assert "Background 20" in first.out
    assert "Background" not in run("install", index_name, "--url", cluster_url).out


def test_an_index_of_versions_alone_is_told_what_to_do(
    client: Any, index_name: str, cluster_url: str, run: Run
) -> None:
    assert run("install", index_name, "--no-semantics", "--url", cluster_url).status == 0
    sentence = run("background", index_name, "--url", cluster_url).refusal()
    assert "finds versions alone" in sentence
