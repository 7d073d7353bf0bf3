"""The pipeline in an engine: every vector, every fixture, and real writes."""

import json
import random
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_texts
from es_simhash.store import conformance, pipeline
from es_simhash.store.codec import simhash_object
from es_simhash.text.limits import MAX_CHUNKS
from tests.bench import pipeline as bench
from tests.support.opensearch import request
from tests.support.page_blocks import ROOT, blocks

pytestmark = pytest.mark.cluster

FIXTURES = Path(__file__).parents[2] / "ingest" / "fixtures"
CASES = sorted(path for path in FIXTURES.glob("*.json") if ".expected" not in path.name)
Simulate = Callable[..., list[Any]]


def simhash_of(text: str) -> dict[str, Any]:
    return simhash_object(fingerprint(text))


@pytest.mark.parametrize("case", CASES, ids=[path.stem for path in CASES])
def test_each_fixture_becomes_what_is_expected(case: Path, simulate: Simulate) -> None:
    given = json.loads(case.read_text("utf-8"))
    names = given.get("pipeline", {})
    body = pipeline.pipeline_body(Scheme.parse(names.pop("scheme", DEFAULT.name)), **names)
    body["processors"][0]["script"]["params"] |= given.get("params", {})
    (found,) = simulate(body, given["document"])
    assert found == json.loads(case.with_suffix(".expected.json").read_text("utf-8"))


def test_a_script_that_fails_is_said_in_the_document(simulate: Simulate) -> None:
    body = pipeline.pipeline_body()
    body["processors"][0]["script"]["params"]["pages"] = ""
    (found,) = simulate(body, {"text": "A text.", "simhash": simhash_of("Its old text.")})
    assert found["text"] == "A text."
    assert found["simhash"].keys() == {"status", "error"}
    assert found["simhash"]["status"] == "failed"
    assert found["simhash"]["error"].startswith("The script failed: ")


def test_every_vector_gives_the_published_object(simulate: Simulate) -> None:
    vectors = sorted(conformance.vectors(), key=lambda vector: vector["scheme"])
    for scheme, group in groupby(vectors, key=lambda vector: vector["scheme"]):
        members = list(group)
        body = pipeline.pipeline_body(Scheme.parse(scheme))
        found = simulate(body, *({"text": vector["text"]} for vector in members))
        assert [each["simhash"] for each in found] == [vector["simhash"] for vector in members]


@pytest.mark.parametrize(
    "scheme",
    [
        DEFAULT.name,
        "doc64-word2-b2.chunk128-char4-t1-1.shingle24-word4-w1.v2",
        "doc128-word2-b64.chunk128-char4-t2-3.shingle24-word4-w64.v2",
    ],
)
def test_random_texts_give_what_python_gives(scheme: str, simulate: Simulate) -> None:
    texts = list(random_texts(random.Random(scheme), 300))
    found = simulate(
        pipeline.pipeline_body(Scheme.parse(scheme)), *({"text": text} for text in texts)
    )
    expected = map(simhash_object, fingerprint_texts(texts, Scheme.parse(scheme)))
    assert [each["simhash"] for each in found] == list(expected)


def random_texts(chance: random.Random, count: int) -> Iterator[str]:
    """Yield texts of few, telling characters: marks, stops, ignored, unassigned, surrogates."""
    alphabet = (
        "aAß.!?。…\"' \n\r\t\u2028\u1680_9٣ñn\u0303\u0331か\u3099한각ㄱ第ー\u00ad\u200d\ufe0f"
    )
    alphabet += "\U0001f600\u0378\U0001df25\ud800\udc00\U00010400\U0001e900ﬁΣς\u0345ำ\u0e48।"
    for _ in range(count):
        text = "".join(chance.choices(alphabet, k=chance.randrange(1, 400)))
        yield json.loads(json.dumps(text))  # joins surrogates that came to stand together


def test_real_texts_in_many_languages_differ_in_no_bit(painless_url: str, data_dir: Path) -> None:
    texts = [text[:4000] for text in bench.real_texts()][::8]
    assert bench.compare(painless_url, texts) == (0, [])


def megabyte(unit: str) -> str:
    text = "".join(unit.replace("{}", str(number)) for number in range(1_000_000 // len(unit)))
    return text[:1_000_000]


def written(url: str, text: str) -> Any:
    """Write a text through the pipeline; give its object."""
    with bench.installed(url) as name, bench.empty_index(url) as index:
        bench.write(url, index, [text], name)
        (found,) = bench.read(url, index, 1)
    return found


@pytest.mark.parametrize("unit", ["word {} ", "a", "again. ", "\u0378a"])
def test_a_text_of_a_megabyte_has_its_fingerprints(painless_url: str, unit: str) -> None:
    assert written(painless_url, megabyte(unit)) == simhash_of(megabyte(unit))


def test_a_text_of_too_many_chunks_says_how_many_it_has(painless_url: str) -> None:
    found = written(painless_url, megabyte("第{}条。"))
    assert found["status"] == "failed"
    most = f"at most {MAX_CHUNKS} are possible; split it."
    assert found["error"] == f"The text has 41153 chunks, and {most}"


def test_update_by_query_fingerprints_what_is_already_there(painless_url: str) -> None:
    texts = [f"The text of document number {number}." for number in range(30)]
    with bench.installed(painless_url) as name, bench.empty_index(painless_url) as index:
        bench.write(painless_url, index, texts)
        path = f"{painless_url}/{index}/_update_by_query?pipeline={name}&refresh=true"
        request(f"{painless_url}/{index}/_refresh", "POST")
        assert request(path, "POST")["updated"] == 30
        assert list(bench.read(painless_url, index, 30)) == [simhash_of(text) for text in texts]


def test_a_partial_update_of_another_field_leaves_the_fingerprints(painless_url: str) -> None:
    with bench.installed(painless_url) as name, bench.empty_index(painless_url) as index:
        document = f"{painless_url}/{index}/_doc/0"
        request(f"{painless_url}/{index}/_settings", "PUT", {"index.default_pipeline": name})
        request(document, "PUT", {"text": "A text that is read often."})
        request(f"{painless_url}/{index}/_update/0", "POST", {"doc": {"read": 7}})
        stored = request(document)["_source"]
    assert stored["read"] == 7
    assert stored["simhash"] == simhash_of("A text that is read often.")


def test_bulk_updates_of_another_field_leave_the_fingerprints(painless_url: str) -> None:
    update = json.dumps({"update": {"_id": "0"}})
    changes = [{"doc": {"read": 7}}, {"doc": {"read": 8}, "doc_as_upsert": True}]
    lines = [line for change in changes for line in (update, json.dumps(change))]
    with (
        bench.installed(painless_url, ignore_missing=True) as name,
        bench.empty_index(painless_url) as index,
    ):
        request(f"{painless_url}/{index}/_settings", "PUT", {"index.default_pipeline": name})
        bench.write(painless_url, index, ["A text that is read often."])
        bulk = "\n".join([*lines, ""]).encode()
        assert not request(f"{painless_url}/{index}/_bulk", "POST", bulk)["errors"]
        stored = request(f"{painless_url}/{index}/_doc/0")["_source"]
    assert stored["read"] == 8
    assert stored["simhash"] == simhash_of("A text that is read often.")


def test_a_document_written_again_gets_the_fingerprints_of_its_new_text(painless_url: str) -> None:
    with bench.installed(painless_url) as name, bench.empty_index(painless_url) as index:
        bench.write(painless_url, index, ["The text before, which was another."], name)
        bench.write(painless_url, index, ["The text after."], name)
        assert list(bench.read(painless_url, index, 1)) == [simhash_of("The text after.")]


def test_several_fields_are_one_text_as_in_python(simulate: Simulate) -> None:
    whole = "It opens at six in the morning, and closes at ten."
    parts = ["Boats wait outside until the light is green.", "The pilot comes on board."]
    body = pipeline.pipeline_body(text_field="headline, body")
    found = simulate(
        body,
        {"headline": "The harbour", "body": whole},
        {"body": parts},
        {"headline": "A headline alone is a text as well.", "body": None},
    )
    texts = [f"The harbour\n\n{whole}", "\n\n".join(parts), "A headline alone is a text as well."]
    assert [each["simhash"] for each in found] == [simhash_of(text) for text in texts]
    rejected, missing = simulate(body, {"headline": {"de": "x"}, "body": "Text."}, {"title": "x"})
    assert "holds no text" in rejected["simhash"]["error"]
    assert "There is no text" in missing["simhash"]["error"]


def test_the_requests_of_the_page_fingerprint_old_and_new_documents(painless_url: str) -> None:
    page = [block for block in blocks("docs/pipeline.md") if block.is_run]
    (curl,) = (block.commands[0] for block in page if block.body.startswith("curl"))
    settings, update = (block.request for block in page if block.request)
    with bench.empty_index(painless_url) as index:
        write = f"{painless_url}/{index}/_doc"
        request(f"{write}/old?refresh=true", "PUT", {"text": "A text that was there before."})
        done = subprocess.run(
            ["bash", "-c", curl],
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "ELASTICSEARCH_URL": painless_url},
            capture_output=True,
            text=True,
        )
        assert json.loads(done.stdout) == {"acknowledged": True}, done
        for method, path, body in filter(None, (settings, update)):
            target = re.sub(r"\barticles\b", index, path)
            assert "error" not in request(f"{painless_url}/{target}", method, json.loads(body))
        request(f"{write}/new", "PUT", {"text": "A text that came after."})
        deadline = time.monotonic() + 60
        found = {}
        while set(found) != {"old", "new"} and time.monotonic() < deadline:
            request(f"{painless_url}/{index}/_refresh", "POST")
            hits = request(f"{painless_url}/{index}/_search")["hits"]["hits"]
            sources = {hit["_id"]: hit["_source"] for hit in hits}
            found = {id: each["simhash"] for id, each in sources.items() if "simhash" in each}
        request(f"{painless_url}/_ingest/pipeline/simhash@pipeline", "DELETE")
    assert found["old"] == simhash_of("A text that was there before.")
    assert found["new"] == simhash_of("A text that came after.")
