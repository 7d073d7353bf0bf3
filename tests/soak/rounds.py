"""Rounds of ingest, backfill, families, copies and questions in one process."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from typing import Any, NamedTuple

from es_simhash import Index
from es_simhash.errors import FileInUse
from es_simhash.heaps import keep_heaps_small
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.elasticsearch.connection import connect
from tests.bench.synthetic import texts
from tests.soak import watched  # noqa: F401 — says how much is in use.

SENTENCES = 12
# Documents that a round ingests, and that it leaves to backfill and sweep, of as many as there are.
_INGESTED, _PLAIN, _QUESTIONS = 40, 20, 10
_FAMILIES_EVERY, _COPIES_EVERY = 3, 10
# Texts are ever new, of so many words: what is known of a word is kept, up to a bound that all
# English words would take hours to reach. Of 2,000, asked twice a second, a worker had met 437 at
# the start of a sentence after seven minutes, where they may be names, and its memory grew by them
# for hours. These are known before growth is measured.
WORDS = 400


class Ends(NamedTuple):
    """Where the process of the rounds sends what it did, and is told that it was enough."""

    out: Connection
    stop: Event


def timed_round(
    client: Any, index: str, number: int, documents: int
) -> Iterator[tuple[str, float]]:
    """Run a round that replaces documents, of which there are always the same number.

    Yields:
        What was done, and how many seconds that took.
    """
    count = _INGESTED + _PLAIN
    new = texts(number, count, SENTENCES, english=True, words=WORDS)
    made = [
        {
            "id": str((number * count + place) % documents),
            "title": f"Document {place}",
            "text": text,
        }
        for place, text in enumerate(new)
    ]
    searched = Index(client, index)
    yield "ingest", _seconds(lambda: _require_written(client, index, made[:_INGESTED]))
    _write_plain(client, index, made[_INGESTED:])
    yield "backfill", _seconds(lambda: list(backfill(client, index)))
    for document in made[:_QUESTIONS]:
        id, text = document["id"], document["text"]
        yield "related", _seconds(lambda id=id: searched.related(id=id))
        yield "related to a text", _seconds(lambda text=text: searched.related(text=text))
    if number % _FAMILIES_EVERY == 0:
        # The sweep may have the whole index at the moment.
        with suppress(FileInUse):
            yield "families", _seconds(lambda: find_families(client, index))
    if number % _COPIES_EVERY == 0:
        yield "copies", _seconds(lambda: find_copies(client, index))


def run_rounds(url: str, index: str, documents: int, ends: Ends) -> None:
    """Run rounds until this process is told to end; what was done is sent out."""
    # As commands that stay do.
    keep_heaps_small()
    with connect(url) as client:
        for number in itertools.count():
            for timed in timed_round(client, index, number, documents):
                ends.out.send(timed)
            if ends.stop.is_set():
                return


def _seconds(do: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def _require_written(client: Any, index: str, documents: list[dict[str, Any]]) -> None:
    failed = [each for each in ingest(client, index, documents) if not each.ok]
    assert not failed, failed[0]
    client.indices.refresh(index=index)


def _write_plain(client: Any, index: str, documents: list[dict[str, Any]]) -> None:
    """Write documents as another program does, which knows nothing of fingerprints."""
    lines: list[Any] = []
    for document in documents:
        fields = {name: value for name, value in document.items() if name != "id"}
        lines += [{"index": {"_id": document["id"]}}, fields]
    answer = client.bulk(index=index, operations=lines, refresh=True)
    assert not answer["errors"], answer
