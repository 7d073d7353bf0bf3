"""`es-simhash background`, and what other commands say of it."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.company_news import notices

pytestmark = pytest.mark.cluster
News = tuple[Any, str]


@pytest.mark.long
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
    assert " of 300 texts (en 300). There are texts enough for vectors of its own" in done.out
    background = done.out.split()[1]
    assert f"{background}, counted in 300 texts at 20" in run("status", name, *at).out
    explained = run("explain", name, "n0101", "n0102", *at).out
    assert f"background {background}" in " ".join(explained.split())
    counted = json.loads(run("background", name, *at, "--format", "json").out)
    assert (counted["name"], counted["documents"], counted["problem"]) == (background, 300, None)


@pytest.mark.long
def test_status_says_what_an_index_of_two_languages_lacks(
    index_name: str, write: Any, cluster_url: str, run: Run
) -> None:
    at = ("--url", cluster_url)
    german = "Die Gemeinde hat am Hafen {} Boote gezählt, und {} davon waren für den Winter bereit."
    texts = [*notices(150).values(), *(german.format(n + 200, n) for n in range(100))]
    write(index_name, {str(number): {"text": text} for number, text in enumerate(texts)})
    run("install", index_name, *at)
    needed = "200 different texts of one language"
    lines = [line for line in run("status", index_name, *at).out.splitlines() if needed in line]
    assert [line.split()[0] for line in lines] == ["background", "vectors"]
    assert "and 200 of one language are needed" in run("background", index_name, *at).out


@pytest.mark.long
def test_status_of_a_sidecar_advises_what_its_index_takes(
    client: Any, index_name: str, write: Any, cluster_url: str, run: Run
) -> None:
    at, sidecar = ("--url", cluster_url), f"{index_name}-sidecar"
    write(index_name, {id: {"text": text} for id, text in notices(210).items()})
    try:
        assert run("backfill", index_name, "--sidecar", sidecar, *at).status == 0
        client.indices.refresh(index=sidecar)
        shown = " ".join(run("status", sidecar, *at).out.split())
        assert f"{sidecar}, 210 documents, the sidecar of {index_name}" in shown
        assert "families none: a sidecar has no families" in shown
        backfill = f"`es-simhash backfill {index_name} --sidecar {sidecar}`"
        assert f"run `es-simhash background {sidecar}`" in shown
        assert f"run `es-simhash background {sidecar} --vectors`" in shown
        assert backfill in shown
        assert backfill in run("background", sidecar, *at).out
        shown = " ".join(run("status", sidecar, *at).out.split())
        assert f"210 do not; run {backfill}" in shown
        assert run("backfill", index_name, "--sidecar", sidecar, *at).status == 0
        client.indices.refresh(index=sidecar)
        assert backfill not in run("status", sidecar, *at).out
        counts = json.loads(run("status", sidecar, *at, "--format", "json").out)
        assert counts["source"] == index_name
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


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


@pytest.mark.long
def test_vectors_of_the_index_are_learned_given_and_named(
    client: Any, index_name: str, write: Any, cluster_url: str, run: Run
) -> None:
    at = ("--url", cluster_url)
    near = ("--min-score", "0", "--candidates", "300")
    write(index_name, {id: {"text": text} for id, text in notices().items()})
    installed = run("install", index_name, *at)
    assert f"were learned. Run `es-simhash backfill {index_name}` to give" in installed.out
    table = installed.out.split("Vectors ")[1].split()[0]
    status = run("status", index_name, *at).out
    assert f"{table} of " in status
    assert f"0 documents have them, 300 do not; run `es-simhash backfill {index_name}`" in status
    assert run("backfill", index_name, "--processes", "1", *at).status == 0
    client.indices.refresh(index=index_name)
    assert "; 300 documents have them\n" in run("status", index_name, *at).out
    found = run("related", index_name, "--id", "n0101", *near, *at)
    assert (found.status, found.err) == (0, "")
    again = run("background", index_name, *at).out
    assert "Vectors" not in again
    client.delete(index=index_name, id="n0299", refresh=True)
    anew = run("background", index_name, "--vectors", *at).out
    assert "were learned" in anew
    assert table not in anew
    found = run("related", index_name, "--id", "n0101", *near, *at)
    assert "of the nearest documents lack those that the index has learned" in found.err
    assert f"{table}" not in run("status", index_name, *at).out.split("vectors", 1)[1]


def test_vectors_that_are_not_learned_cannot_be_learned_anew(
    index_name: str, cluster_url: str, run: Run
) -> None:
    at = ("--url", cluster_url)
    shipped = "words256-minilm-l6-v1"
    assert run("install", index_name, "--vectors", shipped, *at).status == 0
    sentence = run("background", index_name, "--vectors", *at).refusal()
    assert f"has vectors '{shipped}', which are not learned from it" in sentence
    # An index keeps the vectors that it was installed with.
    assert "nothing to do" in run("install", index_name, *at).out


def test_a_new_index_starts_with_the_shipped_vectors_and_may_learn_its_own(
    client: Any, index_name: str, cluster_url: str, run: Run
) -> None:
    at = ("--url", cluster_url)
    assert "Installed" in run("install", index_name, *at).out
    assert "nothing to do" in run("install", index_name, "--vectors", "index", *at).out
    other = run("install", index_name, "--vectors", "words256-minilm-l6-v1", *at).refusal()
    assert "has semantic scheme" in other
    wrong = run("install", f"{index_name}-x", "--vectors", "index", "--dims", "64", *at).refusal()
    assert "The vectors index have 96 dimensions, not 64; leave the number out." in wrong
    status = run("status", index_name, *at).out
    assert "none learned: those of English that are shipped count\n" in status
