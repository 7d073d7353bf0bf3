"""Ingest: write documents with their fingerprints, from a program or from files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import require_same_scheme
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, DeadLetter, Source
from es_simhash.ingestion.bulk.journal import Journal, open_journal
from es_simhash.ingestion.bulk.journal_file import INDEX, SOURCES, UUIDS, Job, default_path
from es_simhash.ingestion.bulk.outcomes import IngestReport, Outcome
from es_simhash.ingestion.bulk.run_documents import RunDocuments, key_of
from es_simhash.ingestion.bulk.splitter import split_documents
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.bulk.text_choice import TextChoice, lacks_ids, with_first_batch
from es_simhash.ingestion.bulk.write_policy import BatchReport, WritePolicy
from es_simhash.ingestion.bulk.write_run import WriteAll, WriteRun
from es_simhash.ingestion.deduplication.version_policy import DryRunPolicy, VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.deduplication.write_decided import WriteDecided
from es_simhash.ingestion.ingest_settings import (
    DEFAULT_INGEST_SETTINGS,
    IngestProgress,
    IngestSettings,
)
from es_simhash.store.added_schemes import schemes_meta
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.planned_store import PlannedStore
from es_simhash.store.elasticsearch.store import ElasticsearchStore, installed_store
from es_simhash.store.installation.install import complete_fields
from es_simhash.store.mapping_meta import require_no_sidecar, schemes_of


def ingest(
    client: Client,
    index: str,
    documents: Iterable[Mapping[str, Any]],
    *,
    config: IndexConfig | None = None,
    on_version: OnVersion | str | None = None,
    settings: IngestSettings = DEFAULT_INGEST_SETTINGS,
) -> Iterator[Outcome]:
    """Write documents with their fingerprints, and yield the outcome of each; see `Index.ingest`.

    Args:
        client: Client of the cluster.
        index: An index with fingerprint fields.
        documents: JSON objects.
        config: Names of the fields, and the vocabulary; the schemes are those of the index.
        on_version: What to do with versions of stored documents.
        settings: How the run works.
    """
    run = _Run.open(client, index, config, on_version, settings)
    batches = split_documents(documents, settings.limits)
    if run.choice.is_open():
        first = list(islice(batches, 1))
        run, _ = run.with_text_of(first[0] if first else None)
        batches = chain(first, batches)
    for _, report in run.reports(batches):
        yield from report.outcomes


def ingest_sources(
    client: Client,
    index: str,
    sources: Sequence[Source],
    *,
    config: IndexConfig | None = None,
    on_version: OnVersion | str | None = None,
    settings: IngestSettings = DEFAULT_INGEST_SETTINGS,
) -> Iterator[Outcome]:
    """Write the documents of files, and yield the outcome of each, in order, as `ingest` does.

    A run that was ended, even by a kill, resumes from its last checkpoint; see `Journal`. A file
    that has grown since is resumed as well, as long as what was read of it is unchanged.

    Args:
        client: Client of the cluster.
        index: An index with fingerprint fields.
        sources: Files and folders; see `open_sources`.
        config: As in `ingest`.
        on_version: As in `ingest`.
        settings: As in `ingest`.

    Raises:
        InputError: A file cannot be read, the journal is of another run or another input, or the
            requested processes cannot be started.
        FileInUse: Another command has the journal or the audit log.
    """
    run = _Run.open(client, index, config, on_version, settings)
    chosen, first = None, None
    if run.choice.is_open() or run.given.id_field is None:
        sources, first = with_first_batch(sources, settings.limits)
    if run.choice.is_open():
        run, chosen = run.with_text_of(first)
    with _journal(sources, run.job(sources), settings) as journal:
        for records in journal.records():
            run.documents.load(records)
        progress = IngestProgress(
            before=IngestReport.of_dict(journal.report),
            text_fields=chosen,
            has_hashes=run.given.id_field is None and lacks_ids(first),
        )
        batches = _resumed(sources, settings.limits, journal, progress)
        on_progress = settings.on_progress or (lambda progress: None)
        on_progress(progress)
        for batch, report in run.reports(batches, progress.before):
            if batch.checkpoint is not None:
                counts = IngestReport.of(report.outcomes).to_dict()
                journal.save(batch.checkpoint, counts, report.records)
            progress.done += batch.size
            on_progress(progress)
            yield from report.outcomes
        if journal.checkpoints:
            journal.remove()


@contextmanager
def _journal(sources: Sequence[Source], job: Job, settings: IngestSettings) -> Iterator[Journal]:
    """Yield the journal of a run, whose sources are as it has them.

    Raises:
        FileInUse: Another command has it.
        InputError: It is of another job, or what was read of a source has changed.
    """
    path = settings.journal or default_path(job)
    if settings.dry_run or not any(source.can_resume for source in sources):
        # Of standard input nothing is saved, and two commands may read from two pipes.
        yield Journal()
        return
    with open_journal(path, job, fresh=settings.fresh) as journal:
        for source in sources:
            checkpoint = journal.checkpoint(source.name)
            if checkpoint is not None and not source.is_unchanged(checkpoint):
                raise InputError(
                    f"Input '{source.name}' has changed in the part that an earlier run read, as "
                    f"journal '{path}' has it. Restore the input, or begin at the start. "
                    "Set fresh.",
                    parameter="fresh",
                )
        yield journal


def _resumed(
    sources: Iterable[Source], limits: BatchLimits, journal: Journal, progress: IngestProgress
) -> Iterator[Batch]:
    """Yield the batches after the checkpoints of the journal."""
    for source in sources:
        batches = source.batches(limits, journal.checkpoint(source.name))
        for number, batch in enumerate(batches):
            checkpoint = batch.checkpoint
            if number == 0 and checkpoint is not None and checkpoint.lines:
                # What an earlier run did of this file; nothing when it is read from the start.
                progress.done += checkpoint.done - batch.size
            yield batch


@dataclass(frozen=True)
class _Run:
    """One run of ingest.

    Attributes:
        client: Client of the cluster.
        given: Names of the fields, as the caller gave them.
        target: The index.
        on_version: What to do with versions; None to look for none.
        settings: How the run works.
        documents: The documents of the run so far.
        choice: Chooses the fields of the text, where the index names none.
    """

    client: Client
    given: IndexConfig
    target: TargetIndex
    on_version: OnVersion | str | None
    settings: IngestSettings
    documents: RunDocuments
    choice: TextChoice

    @classmethod
    def open(
        cls,
        client: Client,
        index: str,
        config: IndexConfig | None,
        on_version: OnVersion | str | None,
        settings: IngestSettings,
    ) -> "_Run":
        """Return a run on an index that documents can be written to."""
        given = config or IndexConfig()
        kind = PlannedStore if settings.dry_run else ElasticsearchStore
        # Batches are held back while the cluster is busy, not the requests of one that is at work.
        free = Gateway.of(client).unbounded()
        # Read once: each ingest begins with it.
        mapped = free.mappings(index) if settings.dry_run else complete_fields(free, index, given)
        store = installed_store(free, index, given, settings.retry, kind, mapped)
        target = TargetIndex(store)
        target.require_profiler()
        require_no_sidecar(mapped)
        if settings.require_scheme is not None:
            require_same_scheme(target.config.scheme.name, settings.require_scheme.name)
        rules = None if on_version == "off" else on_version
        if rules is not None and target.config.is_stream:
            raise InputError(
                f"Versions are not decided while documents are written to data stream {index!r}. "
                f"Ingest without on_version, then run `es-simhash sweep {index} --on-version` with "
                "the action.",
                parameter="on_version",
            )
        documents = RunDocuments(settings.on_conflict)
        text = schemes_of(index, mapped, given.simhash_field).documents.text
        choice = TextChoice(store, given, text)
        return cls(client, given, target, rules, settings, documents, choice)

    def with_text_of(self, batch: Batch | None) -> tuple["_Run", str | None]:
        """Return the run for the fields of the text that its first documents have.

        Returns:
            The run, and the fields; None when the text stays in the field `text`.
        """
        given, is_dry = self.given, self.settings.dry_run
        names = self.choice.proposed(batch) if is_dry else self.choice.choose(batch)
        if names is None:
            return self, None
        if is_dry:
            # The others read it from the mapping.
            given = replace(given, text_field=names)
        name, settings = self.target.name, self.settings
        return self.open(self.client, name, given, self.on_version, settings), names

    def reports(
        self, batches: Iterable[Batch], before: IngestReport | None = None
    ) -> Iterator[tuple[Batch, BatchReport]]:
        """Yield each batch, in order, when all its documents are written or have failed.

        Args:
            batches: What is to be written.
            before: What an interrupted run did, which is completed.
        """
        settings = self.settings
        with DeadLetter(settings.dead_letter) as dead_letter, self._policy(before) as policy:
            yield from WriteRun(
                policy,
                processes=settings.processes,
                ahead=settings.ahead,
                dead_letter=dead_letter,
                hold=Gateway.of(self.client).hold,
            ).finished(batches)

    @contextmanager
    def _policy(self, before: IngestReport | None) -> Iterator[WritePolicy[Any]]:
        """Yield what decides on the writes; the audit log of a version policy is open meanwhile."""
        settings, target = self.settings, self.target
        if self.on_version is None:
            rewrite, prepare = settings.rewrite, settings.prepare
            yield WriteAll(target, self.documents, rewrite=rewrite, prepare=prepare)
            return
        policy = DryRunPolicy if settings.dry_run else VersionPolicy
        with policy(
            Gateway.of(self.client).unbounded(),
            target.name,
            self.on_version,
            config=target.config,
            retry=settings.retry,
            run=settings.run,
        ) as versions:
            if before is not None and before.documents:
                self._count_replaced(versions, before)
            yield WriteDecided(versions, self.documents, rewrite=settings.rewrite)

    def _count_replaced(self, versions: VersionPolicy, before: IngestReport) -> None:
        """Count what an interrupted run deleted after its last checkpoint as replaced.

        It had counted that as written, and what replaced it is found unchanged now.
        """
        for id in versions.replaced(lambda id: self.documents.standing([key_of(id)]) != [None]):
            (standing,) = self.documents.standing([key_of(id)])
            if standing is not None:
                before.counts[standing.status] -= 1
                before.counts["replaced"] += 1
                self.documents.put([], [key_of(id)])

    def job(self, sources: Sequence[Source]) -> Job:
        """Return what a journal is for.

        An index that was deleted and created again has another UUID, and nothing is done for it.
        """
        config, settings = self.target.config, self.settings
        uuids = Gateway.of(self.client).settings(self.target.name, "index.uuid").values()
        return {
            INDEX: self.target.name,
            UUIDS: sorted(entry["index.uuid"] for entry in uuids),
            SOURCES: [source.name for source in sources],
            "scheme": config.scheme.name,
            "semantics": config.semantics.name if config.semantics else None,
            "text_field": config.text_field,
            "simhash_field": config.simhash_field,
            "id_field": config.id_field,
            "rewrite": settings.rewrite,
            "on_conflict": settings.on_conflict,
            # What was written without looking for versions is looked at in another run.
            "on_version": None if self.on_version is None else str(self.on_version),
            **({"schemes": schemes_meta(config.schemes)} if config.schemes else {}),
        }
