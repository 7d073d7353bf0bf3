"""Ways to begin a run: documents of a program, lines, and files that are gone on with."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from es_simhash.bulk.batches import Batch, Lines
from es_simhash.bulk.dead_letter import DeadLetter
from es_simhash.bulk.journal import Journal, default_path
from es_simhash.bulk.outcome import Outcome
from es_simhash.bulk.run import DEFAULT_SETTINGS, Run, Settings
from es_simhash.bulk.sources import Limits, Source, of_documents
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.fingerprints.scheme import Scheme, require_same_scheme
from es_simhash.indices.install import installed
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import DEFAULT_FIELD

if TYPE_CHECKING:
    from es_simhash.deduplication.rules import OnVersion


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        done: Bytes that are done.
        failed_before: Documents that failed in the part that an earlier run did.
    """

    done: int = 0
    failed_before: int = 0


def _config(
    client: Client,
    index: str,
    scheme: Scheme | None,
    vocabulary: Path | None,
    names: tuple[str, str, str | None],
) -> IndexConfig:
    """Put the config together: the index knows its schemes, and has the one asked for."""
    text_field, simhash_field, id_field = names
    found = installed(client, index, simhash_field)
    require_same_scheme(found.scheme.name, (scheme or found.scheme).name)
    path = None if vocabulary is None else str(vocabulary)
    if found.semantics is not None:
        # A missing package or vocabulary ends the run before anything is written.
        semantic_profiler(found.semantics, path)
    return IndexConfig(found.scheme, text_field, simhash_field, id_field, found.semantics, path)


@contextmanager
def _opened(
    client: Client,
    index: str,
    config: IndexConfig,
    settings: Settings,
    letters: DeadLetter,
    on_version: "OnVersion | str | None",
) -> Iterator[Run]:
    """Return the run; one that looks for versions has its audit log open meanwhile."""
    if on_version is None or on_version == "off":
        yield Run(client, index, config, settings, letters)
        return
    # Imported late, for it builds on what stands here.
    from es_simhash.deduplication.checked_run import CheckedRun
    from es_simhash.deduplication.policy import VersionPolicy

    with VersionPolicy(client, index, on_version, config=config, retry=settings.retry) as policy:
        yield CheckedRun(client, index, config, settings, letters, policy)


def ingest(
    client: Client,
    index: str,
    documents: Iterable[Mapping[str, Any]],
    *,
    scheme: Scheme | None = None,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    id_field: str | None = None,
    vocabulary: Path | None = None,
    dead_letter: Path | None = None,
    on_version: "OnVersion | str | None" = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Iterator[Outcome]:
    """Write documents with their fingerprints, and yield what became of each, in order.

    Documents that the index has already are not written again. Nothing is kept in memory but a
    few batches. With more than one process, a program needs the guard
    `if __name__ == "__main__":`, as with all of `multiprocessing`.

    Args:
        client: The client.
        index: An index with our fields; see `install`.
        documents: JSON objects. The id is `_id`, else `id`, else a digest of the document.
        scheme: Scheme the index must have; None for whichever it has.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        id_field: Another field for the id.
        vocabulary: File of the vocabulary, where the index weighs one.
        dead_letter: JSONL file for documents that fail; None to leave them to the caller.
        on_version: What to do with versions of documents that are there: skip, flag, link,
            replace, or all rules; None or off to look for none.
        settings: How the run works.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields.
        SchemeMismatch: It has another scheme.
        ClusterError: The cluster takes no documents, or is away for too long.
        InputError: A document cannot be written as JSON at all.
    """
    names = text_field, simhash_field, id_field
    config = _config(client, index, scheme, vocabulary, names)
    batches = of_documents(documents, settings.limits)
    with (
        DeadLetter(dead_letter) as letters,
        _opened(client, index, config, settings, letters, on_version) as run,
    ):
        for _, outcomes in run.finished(batches):
            yield from outcomes


def ingest_lines(
    client: Client,
    index: str,
    batches: Iterable[Lines],
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    vocabulary: Path | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Iterator[Outcome]:
    """Write documents that are lines of JSON already; see `ingest`."""
    config = _config(client, index, None, vocabulary, (text_field, simhash_field, None))
    with DeadLetter(None) as letters:
        for _, outcomes in Run(client, index, config, settings, letters).finished(batches):
            yield from outcomes


def ingest_sources(
    client: Client,
    index: str,
    sources: Sequence[Source],
    *,
    scheme: Scheme | None = None,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    id_field: str | None = None,
    vocabulary: Path | None = None,
    dead_letter: Path | None = None,
    journal: Path | None = None,
    on_version: "OnVersion | str | None" = None,
    settings: Settings = DEFAULT_SETTINGS,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Iterator[Outcome]:
    """Write the documents of files, and yield what became of each, in order.

    A run that was ended, even by a kill, goes on where it was; see `Journal`.

    Args:
        client: The client.
        index: An index with our fields; see `install`.
        sources: What `open_sources` gives.
        scheme: Scheme the index must have; None for whichever it has.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        id_field: Another field for the id.
        vocabulary: File of the vocabulary, where the index weighs one.
        dead_letter: JSONL file for documents that fail.
        journal: File that keeps how far the run has come; by default in the user's cache.
        on_version: What to do with versions of documents that are there: skip, flag, link,
            replace, or all rules; None or off to look for none.
        settings: How the run works.
        report: Told after each batch how many bytes are done.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields.
        SchemeMismatch: It has another scheme.
        ClusterError: The cluster takes no documents, or is away for too long.
        InputError: A file cannot be read.
    """
    names = text_field, simhash_field, id_field
    config = _config(client, index, scheme, vocabulary, names)
    job = _job(client, index, sources, config)
    if on_version is not None and on_version != "off":
        # What was written without looking for versions is looked at in another run.
        job.append(f"on-version {on_version}")
    kept = Journal.open(journal or default_path(job), job)
    progress = Progress(failed_before=kept.failed)
    with (
        DeadLetter(dead_letter) as letters,
        _opened(client, index, config, settings, letters, on_version) as run,
    ):
        for batch, outcomes in run.finished(_batches(sources, settings.limits, kept, progress)):
            if batch.mark is not None:
                kept.keep(batch.mark, sum(not each.ok for each in outcomes))
            progress.done += batch.size
            report(progress)
            yield from outcomes
    kept.remove()


def _batches(
    sources: Iterable[Source], limits: Limits, journal: Journal, progress: Progress
) -> Iterator[Batch]:
    for source in sources:
        batches = source.batches(limits, journal.mark(source.name))
        for number, batch in enumerate(batches):
            if number == 0 and batch.mark is not None and batch.mark.lines:
                # What an earlier run did of this file; nothing when it is read from the start.
                progress.done += batch.mark.done - batch.size
            yield batch


def _job(client: Client, index: str, sources: Sequence[Source], config: IndexConfig) -> list[str]:
    """Name what a journal is for.

    An index that was deleted and made anew has another uuid, and nothing is done for it.
    """
    settings = Gateway.of(client).settings(index, "index.uuid")
    uuids = [entry["index.uuid"] for entry in settings.values()]
    return [
        *sorted(uuids),
        config.scheme.name,
        config.semantics.name if config.semantics else "",
        config.text_field,
        config.simhash_field,
        config.id_field or "",
        *(each.name for each in sources),
    ]
