"""A run: batches are read, prepared in processes, sent by threads, and accounted for in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import elasticsearch

from es_simhash.cluster import plain_errors
from es_simhash.concepts.reading import meaning_reader
from es_simhash.document import DEFAULT_FIELD
from es_simhash.errors import EsSimhashError
from es_simhash.ingesting.batches import Batch, Lines
from es_simhash.ingesting.dead_letter import DeadLetter
from es_simhash.ingesting.journal import Journal, default_path
from es_simhash.ingesting.lines import Recipe
from es_simhash.ingesting.ordering import Stopped, Turns
from es_simhash.ingesting.outcome import Outcome
from es_simhash.ingesting.reading import Limits, Source, of_documents
from es_simhash.ingesting.sending import Patience, Sender
from es_simhash.ingesting.workers import (
    Prepare,
    Prepared,
    default_processes,
    identify,
    make_pool,
    prepare,
)
from es_simhash.installing import installed
from es_simhash.scheme import Scheme, require_same

if TYPE_CHECKING:
    from es_simhash.deduplicating.rules import OnVersion


@dataclass(frozen=True)
class Settings:
    """How a run works; none of it changes what is written.

    Attributes:
        processes: Processes that fingerprint; None for the number of processors.
        limits: How large a batch becomes.
        ahead: Batches under way for each process; bounds the memory.
        rewrite: Write documents too that the index has already.
        patience: How long a busy cluster is asked again.
        prepare: What a process does with a batch.
    """

    processes: int | None = None
    limits: Limits = field(default_factory=Limits)
    ahead: int = 3
    rewrite: bool = False
    patience: Patience = field(default_factory=Patience)
    prepare: Prepare = prepare


DEFAULT_SETTINGS = Settings()


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        done: Bytes that are done.
        failed_before: Documents that failed in the part that an earlier run did.
    """

    done: int = 0
    failed_before: int = 0


class Run:
    """One run on one index.

    Args:
        client: The client.
        index: The index, with our fields.
        recipe: How documents become actions.
        settings: How the run works.
        dead_letter: Where documents go that fail.
    """

    def __init__(
        self,
        client: elasticsearch.Elasticsearch,
        index: str,
        recipe: Recipe,
        settings: Settings,
        dead_letter: DeadLetter,
    ) -> None:
        self._recipe = recipe
        self._settings = settings
        self._dead_letter = dead_letter
        self._sender = Sender(client, index, recipe.simhash_field, settings.patience)
        self._error: BaseException | None = None
        self._looks_up = not settings.rewrite and not _is_empty(client, index)
        self._processes = settings.processes or default_processes()

    def finished(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, list[Outcome]]]:
        """Yield each batch, in order, when all its documents are written or have failed.

        Raises:
            ClusterError: The cluster takes no documents.
            EsSimhashError: A process was killed.
        """
        batches = iter(batches)
        first = list(islice(batches, 2))
        # Starting processes takes longer than fingerprinting one batch.
        processes = self._processes if len(first) > 1 else 1
        most = max(2, processes * self._settings.ahead)
        self._turns = Turns(most)
        self._pool = make_pool(processes)
        threads = ThreadPoolExecutor(most, thread_name_prefix="ingest")
        try:
            yield from self._through(threads, chain(first, batches), most)
        finally:
            self._sender.stop()
            self._turns.stop()
            threads.shutdown(cancel_futures=True)
            self._pool.shutdown(cancel_futures=True)

    def _through(
        self, threads: ThreadPoolExecutor, batches: Iterator[Batch], most: int
    ) -> Iterator[tuple[Batch, list[Outcome]]]:
        under_way: deque[tuple[Batch, Future[Account]]] = deque()
        for number, batch in enumerate(batches):
            under_way.append((batch, threads.submit(self._handle, number, batch)))
            while under_way and (len(under_way) >= most or under_way[0][1].done()):
                yield self._settle(*under_way.popleft())
        while under_way:
            yield self._settle(*under_way.popleft())

    def _settle(self, batch: Batch, future: "Future[Account]") -> tuple[Batch, list[Outcome]]:
        try:
            account = future.result()
        except Stopped:
            # A later batch ended the run; what it met with is the reason to show.
            raise self._error or EsSimhashError("The run was ended.") from None
        for place, id, reason in account.failed:
            self._dead_letter.add(batch, place, id, reason)
        return batch, account.outcomes

    def _handle(self, number: int, batch: Batch) -> "Account":
        """Take one batch all the way; runs in a thread."""
        try:
            return self._sent(number, batch)
        except Stopped:
            raise
        except BrokenProcessPool as error:
            self._end(
                EsSimhashError(
                    "A process that fingerprints was ended, perhaps for want of memory; "
                    "run the same again with fewer --processes to go on."
                )
            )
            raise Stopped from error
        except BaseException as error:
            self._end(error)
            raise

    def _end(self, error: BaseException) -> None:
        """End the run: no later batch shall wait for its turn."""
        self._error = self._error or error
        self._sender.stop()
        self._turns.stop()

    def _sent(self, number: int, batch: Batch) -> "Account":
        prepared = self._prepared(batch, self._found(batch))
        self._turns.wait_for(number)
        same = {id for _, id, reason in prepared.unchanged if reason is None}
        if self._turns.written_lately(same):
            prepared = self._prepared(batch, None)
        self._turns.go(number, prepared.ids)
        try:
            failures = self._sender.send(prepared)
        finally:
            self._turns.leave(number)
        return Account.of(batch, prepared, failures)

    def _found(self, batch: Batch) -> Mapping[str, Mapping[str, Any]] | None:
        if not self._looks_up:
            return None
        return self._sender.look_up(self._pool.submit(identify, batch, self._recipe).result())

    def _prepared(self, batch: Batch, found: Mapping[str, Mapping[str, Any]] | None) -> Prepared:
        return self._pool.submit(self._settings.prepare, batch, self._recipe, found).result()


@dataclass(frozen=True)
class Account:
    """What became of the documents of one batch, in their order.

    Attributes:
        outcomes: For the caller.
        failed: Place, id and reason of those that failed.
    """

    outcomes: list[Outcome]
    failed: list[tuple[int, str | None, str]]

    @classmethod
    def of(cls, batch: Batch, prepared: Prepared, failures: Mapping[int, str]) -> "Account":
        """Put it together from what was prepared, and the reasons of what was refused."""
        placed = [(place, Outcome(id, "unchanged", why)) for place, id, why in prepared.unchanged]
        failed: list[tuple[int, str | None, str]] = [*prepared.refused]
        for number, (place, id) in enumerate(zip(prepared.places, prepared.ids, strict=True)):
            if number in failures:
                failed.append((place, id, failures[number]))
            else:
                placed.append((place, Outcome(id, "written")))
        for place, failed_id, reason in failed:
            placed.append((place, Outcome(failed_id, "failed", reason, spot(batch, place))))
        placed.sort(key=itemgetter(0))
        return cls([outcome for _, outcome in placed], failed)


def spot(batch: Batch, place: int) -> str:
    """Give where a document was read."""
    file, line = batch.where(place)
    return file if line is None else f"{file}:{line}"


def _is_empty(client: elasticsearch.Elasticsearch, index: str) -> bool:
    """True when no document can be there already; a user who may not ask gets False."""
    try:
        client.indices.refresh(index=index)
        return bool(client.count(index=index)["count"] == 0)
    except elasticsearch.AuthorizationException:
        return False


def _recipe(
    client: elasticsearch.Elasticsearch,
    index: str,
    scheme: Scheme | None,
    vocabulary: Path | None,
    names: tuple[str, str, str | None],
) -> Recipe:
    """Put the recipe together: the index knows its schemes, and has the one asked for."""
    text_field, simhash_field, id_field = names
    found = installed(client, index, simhash_field)
    require_same(found.scheme.name, (scheme or found.scheme).name)
    path = None if vocabulary is None else str(vocabulary)
    if found.meaning is not None:
        # A missing package or vocabulary ends the run before anything is written.
        meaning_reader(found.meaning, path)
    return Recipe(found.scheme, text_field, simhash_field, id_field, found.meaning, path)


@contextmanager
def _opened(
    client: elasticsearch.Elasticsearch,
    index: str,
    recipe: Recipe,
    settings: Settings,
    letters: DeadLetter,
    on_version: "OnVersion | str | None",
) -> Iterator[Run]:
    """Give the run; one that looks for versions has its audit log open meanwhile."""
    if on_version is None or on_version == "off":
        yield Run(client, index, recipe, settings, letters)
        return
    # Imported late, for it builds on what stands here.
    from es_simhash.deduplicating.checked_run import CheckedRun
    from es_simhash.deduplicating.policy import VersionPolicy

    with VersionPolicy(
        client,
        index,
        on_version,
        text_field=recipe.text_field,
        simhash_field=recipe.simhash_field,
        patience=settings.patience,
    ) as policy:
        yield CheckedRun(client, index, recipe, settings, letters, policy)


def ingest(
    client: elasticsearch.Elasticsearch,
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
    recipe = _recipe(client, index, scheme, vocabulary, names)
    batches = of_documents(documents, settings.limits)
    with (
        DeadLetter(dead_letter) as letters,
        _opened(client, index, recipe, settings, letters, on_version) as run,
    ):
        for _, outcomes in run.finished(batches):
            yield from outcomes


def ingest_lines(
    client: elasticsearch.Elasticsearch,
    index: str,
    batches: Iterable[Lines],
    *,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    vocabulary: Path | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Iterator[Outcome]:
    """Write documents that are lines of JSON already; see `ingest`."""
    recipe = _recipe(client, index, None, vocabulary, (text_field, simhash_field, None))
    with DeadLetter(None) as letters:
        for _, outcomes in Run(client, index, recipe, settings, letters).finished(batches):
            yield from outcomes


def ingest_sources(
    client: elasticsearch.Elasticsearch,
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
    recipe = _recipe(client, index, scheme, vocabulary, names)
    job = _job(client, index, sources, recipe)
    if on_version is not None and on_version != "off":
        # What was written without looking for versions is looked at in another run.
        job.append(f"on-version {on_version}")
    kept = Journal.open(journal or default_path(job), job)
    progress = Progress(failed_before=kept.failed)
    with (
        DeadLetter(dead_letter) as letters,
        _opened(client, index, recipe, settings, letters, on_version) as run,
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


def _job(
    client: elasticsearch.Elasticsearch, index: str, sources: Sequence[Source], recipe: Recipe
) -> list[str]:
    """Name what a journal is for.

    An index that was deleted and made anew has another uuid, and nothing is done for it.
    """
    with plain_errors(client):
        settings = client.indices.get_settings(index=index, name="index.uuid", flat_settings=True)
    uuids = [each["settings"]["index.uuid"] for each in settings.body.values()]
    return [
        *sorted(uuids),
        recipe.scheme.name,
        recipe.meaning.name if recipe.meaning else "",
        recipe.text_field,
        recipe.simhash_field,
        recipe.id_field or "",
        *(each.name for each in sources),
    ]
