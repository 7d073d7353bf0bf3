"""docs/operations.md: its messages are those of the code, its removal leaves no field behind."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import Index
from scripts.build_site import ROOT
from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise
from tests.support.page_blocks import blocks
from tests.support.page_shell import PageShell

PAGE = "docs/operations.md"
GAP = "…"


def messages() -> list[str]:
    """Return the messages of the first table of troubleshooting."""
    section = (ROOT / PAGE).read_text("utf-8").partition("## Troubleshooting")[2]
    table = section.partition("Results that surprise")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


def templates() -> Iterator[str]:
    """Yield every string of the package, with a gap in place of each value."""
    for path in (ROOT / "es_simhash").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    str(part.value) if isinstance(part, ast.Constant) else GAP
                    for part in node.values
                )
                yield "".join(parts).replace("`", "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.replace("`", "")


def test_every_message_is_one_of_the_code() -> None:
    shown = messages()
    assert len(shown) >= 20
    known = [re.sub(rf"['\"]?{GAP}['\"]?", GAP, each) for each in templates()]
    missing = []
    for message in shown:
        # A gap may stand for several values, and for what follows of a message.
        pattern = ".*".join(re.escape(part.rstrip(".")) for part in message.split(GAP) if part)
        if not any(re.search(pattern, each) for each in known):
            missing.append(message)
    assert missing == []


@pytest.mark.long
@pytest.mark.cluster
def test_the_removal_leaves_no_field_of_ours_in_a_document(
    cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = make_text(1, 200)
    documents = [
        {"id": "1", "text": article, "title": "One"},
        {"id": "2", "text": revise(article, 2, 0.05), "title": "Two"},
        {"id": "3", "text": make_text(3, 80), "title": "Three"},
    ]
    with filled_index(cluster_url, documents) as (client, name):
        index = Index(client, name)
        index.families()
        index.dismiss("1", "3")
        monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
        (block,) = (one for one in blocks(PAGE) if "uninstall" in one.body)
        PageShell(client, cluster_url, {"articles": name}).run(block)
        found: Any = client.search(index=name, query={"exists": {"field": "simhash"}})
        assert found["hits"]["total"]["value"] == 0
        kept = client.search(index=name)["hits"]["hits"]
        assert [hit["_source"] for hit in sorted(kept, key=lambda hit: str(hit["_id"]))] == [
            {"text": each["text"], "title": each["title"], "simhash": None}
            | ({"id": each["id"]} if "id" in kept[0]["_source"] else {})
            for each in documents
        ]
        assert not client.indices.exists(index=f"{name}-simhash", expand_wildcards="all")
        # It can be put back.
        assert index.install()
        assert {outcome.status for outcome in index.backfill()} == {"written"}
