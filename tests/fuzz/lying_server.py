"""A server whose answers are those of an engine, but for one that was altered or cut.

    python -m tests.fuzz.lying_server URL

asks an engine, and writes its answers to `answers.json`, by verb and in the order of the requests.
"""

import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from unittest.mock import patch

from elastic_transport import (
    ApiResponseMeta,
    BaseNode,
    HttpHeaders,
    Urllib3HttpNode,
)
from elastic_transport._node import NodeApiResponse
from elasticsearch import Elasticsearch

from es_simhash import Index, IngestSettings
from es_simhash.errors import EsSimhashError
from es_simhash.maintenance.diagnostics.examination import examine
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.families.find_families import stored_families
from es_simhash.store.elasticsearch.retry import Waiter
from tests.fuzz.hostile import altered, damaged, rounds
from tests.support.made_up_texts import make_text, revise

_RECORDED = Path(__file__).parent / "answers.json"
_INDEX = "articles"
_TEXT = make_text(1, 60)
_DOCUMENTS = [
    {"id": "1", "text": _TEXT, "title": "One"},
    {"id": "2", "text": revise(_TEXT, 2, 0.05), "title": "Two"},
    {"id": "3", "text": make_text(3, 60), "title": "Three"},
]
# A request that is answered with nothing of use is sent again, for minutes.
_SOON = patch.object(Waiter, "wait", lambda waiter, seconds: None)
_NEW = [{"id": "4", "text": revise(_TEXT, 4, 0.05)}]

# What is asked of an index: each reads all that it is answered.
VERBS: Mapping[str, Callable[[Any], object]] = MappingProxyType(
    {
        "related": lambda client: Index(client, _INDEX).related(id="1"),
        "related to a text": lambda client: Index(client, _INDEX).related(text=_TEXT),
        "explain": lambda client: Index(client, _INDEX).explain("1", "2"),
        "changes": lambda client: Index(client, _INDEX).changes("1", "2"),
        "blame": lambda client: Index(client, _INDEX).blame("2"),
        "families": lambda client: stored_families(client, _INDEX),
        "decisions": lambda client: Index(client, _INDEX).manual_pairs(),
        "status": lambda client: count_documents(client, _INDEX),
        "doctor": lambda client: examine(client, _INDEX),
        "install": lambda client: Index(client, _INDEX).install(),
        "settings": lambda client: Index(client, _INDEX).settings(),
        "proposal": lambda client: Index(client, _INDEX).propose_settings(),
        "backfill": lambda client: list(Index(client, _INDEX).backfill()),
        "ingest": lambda client: list(Index(client, _INDEX).ingest(_NEW, settings=_settings())),
        "families run": lambda client: Index(client, _INDEX).families(),
        "uninstall": lambda client: Index(client, _INDEX).uninstall(dry_run=True),
    }
)


def _settings() -> IngestSettings:
    return IngestSettings(processes=1)


class _Recorder(Urllib3HttpNode):
    """Sends requests, and keeps what they are answered."""

    kept: ClassVar[list[tuple[str, str, int, str]]] = []

    def perform_request(self, method: str, target: str, *args: Any, **options: Any) -> Any:
        response = super().perform_request(method, target, *args, **options)
        self.kept.append((method, _place(target), response.meta.status, response.body.decode()))
        return response


class _Liar(BaseNode):
    """Answers requests as it was recorded, the one that is chosen otherwise."""

    answers: ClassVar[dict[tuple[str, str], list[tuple[int, bytes]]]] = {}

    def perform_request(
        self, method: str, target: str, *args: Any, **options: Any
    ) -> NodeApiResponse:
        prepared = self.answers.get((method, _place(target)), [(404, b'{"error":{"type":"x"}}')])
        status, body = prepared.pop(0) if len(prepared) > 1 else prepared[0]
        headers = {"x-elastic-product": "Elasticsearch", "content-type": "application/json"}
        meta = ApiResponseMeta(
            node=self.config,
            duration=0.0,
            http_version="1.1",
            status=status,
            headers=HttpHeaders(headers),
        )
        return NodeApiResponse(meta, b"" if method == "HEAD" else body)

    def close(self) -> None:
        """There is no connection."""


def _place(target: str) -> str:
    return target.partition("?")[0]


@cache
def recorded() -> dict[str, list[tuple[str, str, int, str]]]:
    answers: dict[str, list[tuple[str, str, int, str]]] = json.loads(_RECORDED.read_text("utf-8"))
    return answers


def ask_recorded(verb: str, lie: tuple[int, bytes] | None = None) -> None:
    """Ask a server that answers as it was recorded.

    Args:
        verb: What is asked.
        lie: Which of its answers is another one, and that; None for none.
    """
    prepared: dict[tuple[str, str], list[tuple[int, bytes]]] = defaultdict(list)
    for number, (method, path, status, body) in enumerate(recorded()[verb]):
        data = lie[1] if lie is not None and lie[0] == number else body.encode()
        prepared[method, path].append((status, data))
    _Liar.answers = prepared
    with Elasticsearch("http://lies:9200", node_class=_Liar, max_retries=0) as client, _SOON:
        VERBS[verb](client)


def answer_lies(chosen: random.Random) -> int:
    """Ask a server that lies once: what cannot be read is one sentence."""
    count = 0
    for _ in rounds(chosen, 4):
        verb = chosen.choice(list(VERBS))
        number = chosen.randrange(len(recorded()[verb]))
        body = recorded()[verb][number][3]
        with suppress(EsSimhashError):
            ask_recorded(verb, (number, _lie(body, chosen)))
        count += 1
    return count


def _lie(body: str, chosen: random.Random) -> bytes:
    if chosen.random() < 0.2:
        return damaged(body.encode(), chosen)
    value = altered(json.loads(body), chosen) if body else chosen.choice([None, 1, []])
    return json.dumps(value).encode()


def main(url: str) -> None:
    """Record what an engine answers."""
    admin = Elasticsearch(url)
    names = [_INDEX, f"{_INDEX}-simhash"]
    admin.indices.delete(index=names, ignore_unavailable=True)
    index = Index(admin, _INDEX)
    index.install()
    assert all(each.ok for each in index.ingest(_DOCUMENTS))
    admin.indices.refresh(index=_INDEX)
    index.families()
    index.configure({"title": "title"})
    index.dismiss("1", "3")
    admin.indices.refresh(index=_INDEX)
    answers = {}
    for verb, ask in VERBS.items():
        _Recorder.kept.clear()
        if verb == "backfill":
            admin.index(index=_INDEX, id="9", document={"text": _TEXT}, refresh=True)
        with tempfile.TemporaryDirectory(), Elasticsearch(url, node_class=_Recorder) as client:
            ask(client)
        answers[verb] = list(_Recorder.kept)
        print(verb, len(answers[verb]))
    _RECORDED.write_text(json.dumps(answers, indent=0, ensure_ascii=False) + "\n", "utf-8")
    admin.indices.delete(index=names, ignore_unavailable=True)


if __name__ == "__main__":
    main(sys.argv[1])
