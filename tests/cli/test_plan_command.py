"""`es-simhash plan` as a user calls it, and the commands of its page."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.page_blocks import blocks

pytestmark = pytest.mark.cluster
PAGE = "docs/plan.md"


def corpus_file(corpus: dict[str, Any]) -> None:
    """Write the corpus into the folder of the test."""
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in corpus.values()]
    Path("articles.jsonl").write_text("".join(lines), "utf-8")


def test_the_commands_of_the_page_run(call: Run, corpus: dict[str, Any], sample: str) -> None:
    corpus_file(corpus)
    typed = [line for block in blocks(PAGE) if block.is_run for line in block.commands]
    assert len(typed) == 4
    for line in typed:
        words = [sample if word == "articles" else word for word in shlex.split(line)[1:]]
        done = call(*words)
        assert done.status == 0, done.err
        if "json" not in words:
            assert "disk, one copy" in done.out
            assert "families on " in done.out
        else:
            plan = json.loads(done.out)
            assert plan["costs"]["versions"]["disk"] < plan["costs"]["everything"]["disk"]
            assert plan["constants"]["shard_bytes"]["source"]


def test_the_texts_of_a_sample_are_in_any_field(call: Run, corpus: dict[str, Any]) -> None:
    lines = [json.dumps({"inhalt": each["text"]}) + "\n" for each in corpus.values()]
    Path("artikel.jsonl").write_text("".join(lines), "utf-8")
    named = ("plan", "--documents", "1000", "--sample", "artikel.jsonl")
    done = call(*named, "--text-field", "inhalt")
    assert (done.status, done.err) == (0, "")
    assert f"those of file 'artikel.jsonl': {len(lines)} sampled" in done.out
    assert "no field 'text'" in call(*named).refusal()


@pytest.mark.parametrize("documents", ["0", "-5", "many"])
def test_a_number_of_documents_that_is_none_is_wrong_usage(call: Run, documents: str) -> None:
    assert "'--documents'" in call("plan", "--documents", documents).wrong_usage()


def test_the_number_of_documents_is_required(call: Run) -> None:
    assert "'--documents'" in call("plan").wrong_usage()


def test_a_sample_that_is_none_is_refused_in_one_sentence(
    call: Run, corpus: dict[str, Any], sample: str
) -> None:
    corpus_file(corpus)
    Path("empty.jsonl").touch()
    Path("table.jsonl").write_text("id,text\n1,one\n")
    refused = {
        "empty.jsonl": "Sample 'empty.jsonl' is empty. Set --sample.",
        "table.jsonl": "table.jsonl:1: Malformed JSON",
        "artcles.jsonl": "Did you mean 'articles.jsonl'? Set --sample.",
        sample[:-1]: f"is neither a file nor an index. Did you mean {sample!r}? Set --sample.",
    }
    for name, sentence in refused.items():
        assert sentence in call("plan", "--documents", 10, "--sample", name).refusal()


def test_an_index_on_a_cluster_that_is_away_is_refused(run: Run) -> None:
    away = ("--url", "http://127.0.0.1:9")
    sentence = run("plan", "--documents", 10, "--sample", "articles", *away).refusal()
    assert "No cluster answers at http://127.0.0.1:9" in sentence
