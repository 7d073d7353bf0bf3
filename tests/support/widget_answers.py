"""Answers for the widget in the form of the service, made by a real engine of real documents."""

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from es_simhash.ingestion.ingest import ingest
from es_simhash.questions.index import Index
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install

Answers = dict[str, dict[str, Any]]
SCRIPT = "<script>window.attacked = true</script>"
IMAGE = '"><img src=x onerror="window.attacked = true">'
ADDRESS = "javascript:window.attacked=true"


def sample() -> Iterator[dict[str, Any]]:
    """Yield the documents of the demo."""
    corpus = files("es_simhash") / "data" / "sample" / "corpus.jsonl"
    yield from map(json.loads, corpus.read_text("utf-8").splitlines())


def attacking() -> Iterator[dict[str, Any]]:
    """Yield versions and a neighbour whose every field would run a script if it were markup."""
    texts = {document["id"]: document["text"] for document in sample()}
    originals = ("en-harbour-v1", "en-harbour-v2", "en-harbour-saltwick")
    for number, original in enumerate(originals):
        yield {
            "id": f"{number}{IMAGE}",
            "title": f"{number} {SCRIPT}{IMAGE}",
            "text": f"{SCRIPT} {IMAGE} {texts[original]} {ADDRESS}",
            "people": [f"{SCRIPT} {IMAGE}"],
            "date": f"2024-02-1{number}",
            "lang": '"><script>',
            "address": ADDRESS,
        }


def answers(
    client: Client,
    index: str,
    documents: Iterable[Mapping[str, Any]],
    *,
    link: str = "/articles/{id}",
    entity_fields: tuple[str, ...] = (),
) -> Answers:
    """Index documents, and return what the service answers for the id of each.

    Args:
        client: Of the engine.
        index: A new index; it stays.
        documents: With `id`, `title`, `text`, `date` and `lang`.
        link: Pattern of their addresses.
        entity_fields: Fields of theirs that hold entities.
    """
    documents = list(documents)
    install(client, index, semantics=SemanticScheme(entity_fields=entity_fields))
    # The passages of the pages are those of the bodies.
    outcomes = ingest(client, index, documents, config=IndexConfig(text_field="text"))
    failed = [outcome.reason for outcome in outcomes if not outcome.ok]
    assert not failed, failed
    Gateway.of(client).refresh(index)
    names = {"title": "title", "date": "date", "language": "lang", "link": link}
    configure(client, index, names)
    found = Index(client, index).related_to_each([document["id"] for document in documents])
    return {
        id: {
            "document": vars(answer.document) if answer.document else None,
            "relations": [relation.to_dict() for relation in answer],
            "total": answer.extent.total,
            "next": answer.extent.next_offset,
            "truncated": answer.truncated,
        }
        for id, answer in found.items()
    }
