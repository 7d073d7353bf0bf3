"""Fingerprints of methods in an index, from the command line: install to related."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.lab.methods.method_scores import method_schemes
from tests.support.five_languages import texts

pytestmark = pytest.mark.cluster

TEXTS = {id: text for id, text in texts().items() if id[:2] in ("en", "hi")}
SCHEME = method_schemes()["token-simhash"]
Call = Callable[..., Any]


@pytest.fixture
def filled(call: Call, index_name: str) -> str:
    """An index with three methods, and documents that ingest wrote."""
    lines = [json.dumps({"_id": id, "text": text}) for id, text in TEXTS.items()]
    Path("texts.jsonl").write_text("\n".join(lines), "utf-8")
    schemes = ("token-simhash", "weighted-simhash", method_schemes()["simhash-bigrams-32"])
    options = [option for scheme in schemes for option in ("--scheme", scheme)]
    done = call("install", index_name, *options, "--no-semantics")
    assert (done.status, done.err) == (0, "")
    done = call("ingest", index_name, "texts.jsonl", "--processes", "1")
    assert done.status == 0, done
    assert "languages" not in done.err
    return index_name


def test_related_by_a_method_names_scheme_and_distance(
    client: Any, call: Call, filled: str
) -> None:
    client.indices.refresh(index=filled)
    done = call("related", filled, "--id", "en", "--method", "token-simhash", "--format", "json")
    assert (done.status, done.err) == (0, "")
    (answer,) = json.loads(done.out)
    assert (answer["query"], answer["next"], answer["truncated"]) == ("en", None, False)
    assert answer["total"] == len(answer["relations"])
    (copy,) = (relation for relation in answer["relations"] if relation["id"] == "en-copy")
    assert copy["evidence"] == {"scheme": SCHEME, "distance": 0, "units": 64, "unit": "bits"}
    assert (copy["kind"], copy["score"], copy["method"]) == ("version", 1, "token-simhash")
    table = call("related", filled, "--id", "en", "--method", "simhash-bigrams-32").out
    assert "en-copy" in table
    assert "0 of 5 sentences" in table or "0 of 4 sentences" in table
    text = call("related", filled, "--text", TEXTS["hi"], "--method", SCHEME).out
    assert {"hi", "hi-copy"} <= set(text.replace("│", " ").split())
    (body,) = json.loads(
        call("related", filled, "--id", "en", "--method", "token-simhash", "--explain-query").out
    )
    words = ("related", filled, "--method", "token-simhash", "--explain-query", "-o", "q.json")
    assert call(*words, "--id", "en").out == ""
    assert json.loads(Path("q.json").read_text("utf-8")) == [body]
    assert "give one --id" in call(*words, "--id", "en", "--id", "hi").wrong_usage()
    assert len(body["query"]["bool"]["should"]) == 16
    assert {"term": {"simhash.schemes.token-simhash.scheme": SCHEME}} in (
        body["query"]["bool"]["filter"]
    )


def test_what_a_method_cannot_do_is_one_sentence_and_the_rest_goes_on(
    client: Any, call: Call, filled: str
) -> None:
    client.indices.refresh(index=filled)
    options = ("--method", "weighted-simhash", "--format", "json")
    assert "it is in language 'hi'" in call("related", filled, "--id", "hi", *options).refusal()
    several = call("related", filled, "--id", "hi", "--id", "en", "--id", "none", *options)
    assert several.status == 1
    (answer,) = json.loads(several.out)
    assert "en-copy" in {relation["id"] for relation in answer["relations"]}
    assert [line[:6] for line in several.err.splitlines()] == ["Error:", "Error:"]
    assert "cannot read document 'hi'" in several.err
    assert "'none'" in several.err
    refused = {
        ("--method", "lcs"): "'lcs' is no method whose fingerprints",
        ("--method", "simhash-4grams"): f"install {filled} --scheme simhash-4grams",
        ("--method", "token-simhash", "--k", "3"): "--k has no effect",
        ("--method", "token-simhash", "--kind", "version"): "--kind has no effect",
    }
    for arguments, sentence in refused.items():
        assert sentence in call("related", filled, "--id", "en", *arguments).refusal()
    usage = call("related", filled, "--id", "en", "--method", SCHEME, "--evidence").wrong_usage()
    assert "--evidence" in usage


def test_status_and_doctor_count_what_is_missing_and_backfill_completes_it(
    client: Any, call: Call, filled: str
) -> None:
    client.index(index=filled, id="plain", document={"text": "A text of another program."})
    ours = client.get(index=filled, id="en", source_exclude_vectors=False).body["_source"]
    del ours["simhash"]["schemes"]
    client.index(index=filled, id="piped", document=ours, refresh=True)

    def counts() -> dict[str, tuple[int, int, int]]:
        report = json.loads(call("status", filled, "--format", "json", "--no-size").out)
        return {
            one["method"]: (one["current"], one["none"], one["unreadable"])
            for one in report["methods"]
        }

    all_texts = len(TEXTS)
    assert counts()["token-simhash"] == (all_texts, 2, 0)
    assert counts()["weighted-simhash"] == (all_texts, 2, all_texts // 2)
    shown = call("status", filled).out
    assert f"{all_texts} with scheme {SCHEME}, 0 with another, 2 with none" in shown
    assert f"{all_texts // 2} in languages that it does not read" in shown
    assert "schemes.token-simhash.blocks" in shown
    assert "1 document has fingerprints, but none of token-simhash." in (call("doctor", filled).out)
    assert call("backfill", filled, "--quiet", "--processes", "1").status == 0
    client.indices.refresh(index=filled)
    assert counts()["token-simhash"] == (all_texts + 2, 0, 0)
    report = call("doctor", filled).out
    assert "but none of" not in report
    assert f"{all_texts // 2} documents are in languages that weighted-simhash" in report
    again = call("ingest", filled, "texts.jsonl", "--processes", "1", "--fresh")
    assert "unchanged" in again.err + again.out


def test_schemes_are_added_to_an_index_and_stay(call: Call, client: Any, index_name: str) -> None:
    assert call("install", index_name, "--no-semantics").status == 0
    assert call("install", index_name, "--no-semantics", "--scheme", "token-simhash").status == 0
    again = call("install", index_name, "--no-semantics")
    assert "nothing to do" in again.out
    mapping = client.indices.get_mapping(index=index_name).body[index_name]["mappings"]
    entry = mapping["_meta"]["es_simhash"]["simhash"]
    assert entry["schemes"] == {"token-simhash": SCHEME}
    object_ = mapping["properties"]["simhash"]["properties"]["schemes"]["properties"]
    assert set(object_["token-simhash"]["properties"]) == {
        "scheme", "status", "fingerprint", "blocks",
    }  # fmt: skip


def test_a_scheme_that_no_index_can_hold_is_one_sentence(call: Call, index_name: str) -> None:
    for name in ("lcs", "jaccard-words-3", "weighted-simhash-corpus", "minhash", "es-simhash"):
        sentence = call("install", index_name, "--scheme", name).refusal()
        assert repr(name) in sentence
        assert "token-simhash" in sentence
        assert f"Choose {Scheme().name}, or one of" in sentence
    both = ("--scheme", Scheme().name, "--scheme", Scheme(64, 4).name)
    assert "one scheme of its own" in call("install", index_name, *both).refusal()
    assert "'doc7'" in call("install", index_name, "--scheme", "doc7").refusal()
