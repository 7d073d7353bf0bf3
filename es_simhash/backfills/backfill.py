"""Adding our fields to documents that are there already: which ones, and what became of each."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from es_simhash.backfills.documents import Task
from es_simhash.backfills.failures import Failures
from es_simhash.backfills.preconditions import (
    install_sidecar,
    is_mapped,
    open_task,
    require_some_text,
)
from es_simhash.backfills.report import Outcome, Report
from es_simhash.backfills.run import DEFAULT_SETTINGS, Run, Settings
from es_simhash.backfills.store import Part, Store
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.query.options import Query
from es_simhash.storage.fields import DEFAULT_FIELD, SCHEME, SEMANTIC_SCHEME, field_path

_SAMPLED = 100


def selection(task: Task, where: Query | None, *, check: bool) -> dict[str, Any]:
    """Return the query for the documents to look at.

    What a sidecar has is not known to the first index, so that all are looked at.
    """
    chosen: dict[str, Any] = {"filter": [where]} if where else {}
    if not check and task.sidecar is None:
        chosen["must_not"] = [_current(task)]
    return {"bool": chosen} if chosen else {"match_all": {}}


def _current(task: Task) -> dict[str, Any]:
    """Return the query for documents that have all that the task makes."""
    made = {field_path(task.simhash_field, SCHEME): task.scheme.name}
    if task.semantics is not None:
        made[field_path(task.simhash_field, SEMANTIC_SCHEME)] = task.semantics.name
    return {"bool": {"filter": [{"term": {path: name}} for path, name in made.items()]}}


def backfill(
    client: Client,
    index: str,
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    where: Query | None = None,
    check: bool = False,
    sidecar: str | None = None,
    vocabulary: str | None = None,
    failures: Path | None = None,
    settings: Settings = DEFAULT_SETTINGS,
    report: Callable[[Report], None] = lambda report: None,
) -> Iterator[Outcome]:
    """Add our fields to documents that are there already, and yield what became of each.

    Documents without fields of the schemes of the index are looked at, so that a run that was
    ended, even by a kill, goes on where it was, and a second one writes nothing. A write never
    falls on a newer state of a document: it is read again and fingerprinted as it is then. When
    the cluster loses the snapshot that is read, documents may be yielded again, none is written
    twice.

    Args:
        client: The client.
        index: An index, alias or data stream with our fields; see `install`.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        where: Elasticsearch query that the documents must match.
        check: Look at documents with fingerprints too, and renew those whose text was changed.
        sidecar: Index to write the fields to, under the same ids; made when there is none. All
            documents are looked at, and those written whose state is another than the sidecar's.
        vocabulary: File of the vocabulary, where the index was installed with one.
        failures: JSONL file for ids of documents that fail; None to leave them to the caller.
        settings: How the run works.
        report: Told after each page how far the run is.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or its documents could not be kept whole.
        ClusterError: The cluster takes no documents, or is away for too long.
        InputError: No document has such a text field, it lies in nested documents, or the index
            weighs another vocabulary.
        MissingExtra: The index needs a package that is not installed.
    """
    task = open_task(
        client,
        index,
        text_field=text_field,
        simhash_field=simhash_field,
        sidecar=sidecar,
        vocabulary=vocabulary,
    )
    query = selection(task, where, check=check)
    store = open_store(client, index, task, query, settings)
    if sidecar is not None:
        install_sidecar(client, index, task)
    yield from enrich(store, task, [Part(index, query)], failures, settings, report)


def open_store(client: Client, index: str, task: Task, query: Query, settings: Settings) -> Store:
    """Return what reads and writes the documents of a query.

    Raises:
        InputError: Neither the mapping nor a sample of them has the field of the text.
    """
    store = Store(Gateway.of(client, settings.retry), index, task)
    if not is_mapped(client, task):
        require_some_text(store.sample(query, _SAMPLED), task)
    return store


def enrich(
    store: Store,
    task: Task,
    parts: Sequence[Part],
    failures: Path | None,
    settings: Settings = DEFAULT_SETTINGS,
    report: Callable[[Report], None] = lambda report: None,
) -> Iterator[Outcome]:
    """Do a task on parts of an index, one after the other; see `backfill`.

    Raises:
        ClusterError: The cluster takes no documents, or is away for too long.
    """
    now = Report()
    with Failures(failures, now.run) as letters:
        report(now)
        for outcomes in Run(store, task, parts, settings, now).outcomes():
            now.counts.update(each.status for each in outcomes)
            for each in outcomes:
                if not each.ok:
                    letters.add(each)
            report(now)
            yield from outcomes
