"""Ingest: write documents with their fingerprints, from a program or from files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeGuard

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import require_same_scheme
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, DeadLetter
from es_simhash.ingestion.bulk.input_sources import Source
from es_simhash.ingestion.bulk.journal import Journal, open_journal
from es_simhash.ingestion.bulk.journal_file import INDEX, SOURCES, UUIDS, Job, default_path
from es_simhash.ingestion.bulk.outcomes import IngestReport, Outcome
from es_simhash.ingestion.bulk.run_documents import RunDocuments
from es_simhash.ingestion.bulk.splitter import split_documents
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.bulk.write_policy import BatchReport, WritePolicy
from es_simhash.ingestion.bulk.write_run import WriteAll, WriteRun
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
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
from es_simhash.store.installation.sidecar import require_no_sidecar


def ingest(
    client: Client,
    index: str,
    documents: Iterable[Mapping[str, Any]],
    *,
    config: IndexConfig | None = None,
    on_version: OnVersion | str | None = None,
    settings: IngestSettings = DEFAULT_INGEST_SETTINGS,
) -> Iterator[Outcome]:
    """Write documents with their fingerprints, and yield the outcome of each, in order.

    Documents that the index has already are not written again. Only a few batches are held in
    memory. All work is done in the calling process, unless the settings request more processes.

    Args:
        client: The client.
        index: An index with fingerprint fields; see `install`.
        documents: JSON objects. The id is `_id`, else `id`, else a digest of the document; what it
            is routed by is `_routing`, else the id or the routing of the document of the index.
        config: Names of the fields, and the vocabulary; the schemes are those of the index.
        on_version: What to do with versions of stored documents: "skip", "flag", "link",
            "replace", or all rules; None or "off" to look for none.
        settings: How the run works.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or is a sidecar.
        SchemeMismatch: It has another scheme than the one required.
        ClusterError: The cluster rejects every document, or is away for too long.
        InputError: The requested processes cannot be started.
    """
    target = _target(client, index, config, settings)
    batches = split_documents(documents, settings.limits)
    run = RunDocuments(settings.on_conflict)
    for _, report in _finished(client, target, batches, on_version, settings, run):
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
    """Write the documents of files, and yield the outcome of each, in order; see `ingest`.

    A run that was ended, even by a kill, resumes from its last checkpoint; see `Journal`. A file
    that has grown since is resumed as well, as long as what was read of it is unchanged.

    Args:
        client: The client.
        index: An index with fingerprint fields; see `install`.
        sources: Files and folders; see `open_sources`.
        config: Names of the fields, and the vocabulary; the schemes are those of the index.
        on_version: What to do with versions of stored documents.
        settings: How the run works.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or is a sidecar.
        SchemeMismatch: It has another scheme than the one required.
        ClusterError: The cluster rejects every document, or is away for too long.
        InputError: A file cannot be read, the journal is of another run or another input, or the
            requested processes cannot be started.
        FileInUse: Another command has the journal or the audit log.
    """
    target = _target(client, index, config, settings)
    job = _job(Gateway.of(client), target, sources, on_version, settings)
    with _journal(sources, job, settings) as journal:
        run = RunDocuments(settings.on_conflict)
        for records in journal.records():
            run.load(records)
        progress = IngestProgress(before=IngestReport.of_dict(journal.report))
        batches = _resumed(sources, settings.limits, journal, progress)
        on_progress = settings.on_progress or (lambda progress: None)
        on_progress(progress)
        for batch, report in _finished(client, target, batches, on_version, settings, run):
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
    if not any(source.can_resume for source in sources):
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


def _target(
    client: Client, index: str, config: IndexConfig | None, settings: IngestSettings
) -> TargetIndex:
    target = TargetIndex.open(client, index, config or IndexConfig(), settings.retry)
    require_no_sidecar(Gateway.of(client).mappings(index))
    if settings.require_scheme is not None:
        require_same_scheme(target.config.scheme.name, settings.require_scheme.name)
    return target


def _finished(
    client: Client,
    target: TargetIndex,
    batches: Iterable[Batch],
    on_version: OnVersion | str | None,
    settings: IngestSettings,
    run: RunDocuments,
) -> Iterator[tuple[Batch, BatchReport]]:
    with (
        DeadLetter(settings.dead_letter) as dead_letter,
        _policy(client, target, on_version, settings, run) as policy,
    ):
        yield from WriteRun(
            policy, processes=settings.processes, ahead=settings.ahead, dead_letter=dead_letter
        ).finished(batches)


@contextmanager
def _policy(
    client: Client,
    target: TargetIndex,
    on_version: OnVersion | str | None,
    settings: IngestSettings,
    run: RunDocuments,
) -> Iterator[WritePolicy[Any]]:
    """Yield what decides on the writes; the audit log of a version policy is open meanwhile."""
    if not _looks_for_versions(on_version):
        yield WriteAll(target, run, rewrite=settings.rewrite, prepare=settings.prepare)
        return
    with VersionPolicy(
        client,
        target.name,
        on_version,
        config=target.config,
        retry=settings.retry,
        run=settings.run,
    ) as versions:
        # Of the policy's gateway: when one is stopped, both are.
        own = TargetIndex(versions.gateway, target.name, target.config)
        yield WriteDecided(versions, own, run, rewrite=settings.rewrite)


def _looks_for_versions(on_version: OnVersion | str | None) -> TypeGuard[OnVersion | str]:
    return on_version is not None and on_version != "off"


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


def _job(
    gateway: Gateway,
    target: TargetIndex,
    sources: Sequence[Source],
    on_version: OnVersion | str | None,
    settings: IngestSettings,
) -> Job:
    """Return what a journal is for.

    An index that was deleted and created again has another UUID, and nothing is done for it.
    """
    config = target.config
    uuids = gateway.settings(target.name, "index.uuid").values()
    return {
        INDEX: target.name,
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
        "on_version": str(on_version) if _looks_for_versions(on_version) else None,
        **({"schemes": schemes_meta(config.schemes)} if config.schemes else {}),
    }
