"""`--vocabulary synonyms:NAME`: a synonyms set of the cluster names the concepts.

The node of the tests answers questions about sets, but lacks the modules that store one: the
contents come from a stand-in, which answers as the reference of the API says.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import engine_tests
from tests.support.proxy import Answer, Proxy

pytestmark = pytest.mark.cluster

TEXTS = {
    "1": "The central bank raised its bank rate, and lenders in the harbour towns complained.",
    "2": "Lenders in the harbour towns complained when the interest rate went up again in May.",
}
RULES = {
    "count": 2,
    "synonyms_set": [
        {"id": "test-2", "synonyms": "interest rate, bank rate"},
        {"id": "test-1", "synonyms": "harbour towns => ports"},
    ],
}


@pytest.fixture
def banks(proxy: Proxy) -> Proxy:
    """A cluster that has the set `banks`."""

    def hook(path: str, body: bytes) -> Answer | None:
        if path.startswith("/_synonyms/banks?"):
            return 200, json.dumps(RULES).encode()
        return None

    proxy.hook = hook
    return proxy


@pytest.fixture
def at(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return lambda proxy, *arguments: run(*arguments, "--url", proxy.url)


@pytest.mark.long
def test_a_set_names_what_texts_share(
    at: Any, banks: Proxy, index_name: str, client: Any, tmp_path: Path
) -> None:
    lines = [json.dumps({"id": id, "text": text}) for id, text in TEXTS.items()]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), "utf-8")
    vocabulary = ("--vocabulary", "synonyms:banks")
    assert at(banks, "install", index_name, *vocabulary, "--create").status == 0
    # Worker processes read it too.
    ingested = at(banks, "ingest", index_name, "texts.jsonl", *vocabulary)
    assert ingested.status == 0, ingested
    client.indices.refresh(index=index_name)
    explained = at(banks, "explain", index_name, "1", "2", *vocabulary)
    assert "shared concept: interest rate" in explained.out


def test_other_rules_are_another_vocabulary(
    at: Any, banks: Proxy, index_name: str, tmp_path: Path
) -> None:
    vocabulary = ("--vocabulary", "synonyms:banks")
    assert at(banks, "install", index_name, *vocabulary, "--create").status == 0
    (tmp_path / "texts.jsonl").write_text('{"id": "1", "text": "One."}', "utf-8")
    banks.hook = lambda path, body: (
        (200, json.dumps({"count": 1, "synonyms_set": [{"id": "1", "synonyms": "a, b"}]}).encode())
        if path.startswith("/_synonyms/")
        else None
    )
    refusal = at(banks, "ingest", index_name, "texts.jsonl", *vocabulary).refusal()
    assert "weighs the vocabulary with digest" in refusal
    assert "/banks-" in refusal


def test_a_set_that_does_not_exist_is_named(at: Any, proxy: Proxy) -> None:
    refusal = at(proxy, "related", "any", "--id", "1", "--vocabulary", "synonyms:banks").refusal()
    if engine_tests.tested_product() == "elasticsearch":
        assert "Synonyms set 'banks' does not exist." in refusal
    else:
        assert "The cluster has no synonyms sets" in refusal
    assert refusal.endswith("Set --vocabulary.\n")


@pytest.mark.parametrize(
    ("status", "kind", "sentence"),
    [
        (400, "no handler found for uri", "The cluster has no synonyms sets, so that 'banks'"),
        (403, "security_exception", "Grant manage_search_synonyms, "),
        (200, "", "Synonyms set 'banks' has no rules."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    at: Any,
    proxy: Proxy,
    status: int,
    kind: str,
    sentence: str,
) -> None:
    body: dict[str, Any] = {"error": {"type": kind, "reason": kind}, "status": status}
    if status == 200:
        body = {"count": 0, "synonyms_set": []}
    proxy.hook = lambda path, _: (
        (status, json.dumps(body).encode()) if path.startswith("/_synonyms/") else None
    )
    related = ("related", "any", "--id", "1", "--vocabulary", "synonyms:banks")
    assert sentence in at(proxy, *related).refusal()


def test_a_command_without_a_cluster_takes_files_alone(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXTS["1"], "utf-8")
    done = run("files", "compare", path, path, "--vocabulary", "synonyms:banks")
    assert "this command reads files alone" in done.wrong_usage()
