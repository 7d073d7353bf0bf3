"""Deciding batches of documents, in the order they came, each knowing those before it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.batch_preparation import identify, prepare_undecided
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.json_documents import loads
from es_simhash.ingestion.bulk.lookup import kept_parts
from es_simhash.ingestion.bulk.splitter import split_documents
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.deduplication.audit_log import AuditLog, default_audit, open_audit
from es_simhash.ingestion.deduplication.audit_runs import new_run
from es_simhash.ingestion.deduplication.batch_decider import BatchDecider
from es_simhash.ingestion.deduplication.dry_run import NoAudit, Unreserved
from es_simhash.ingestion.deduplication.effects import (
    delete_replaced,
    finish_replacements,
    join_families,
    link_originals,
    replaced_and_gone,
    replacements,
)
from es_simhash.ingestion.deduplication.original_search import OriginalSearch
from es_simhash.ingestion.deduplication.recent_documents import RecentDocuments
from es_simhash.ingestion.deduplication.recorder import Recorder
from es_simhash.ingestion.deduplication.reservations import Claims, Reservations
from es_simhash.ingestion.deduplication.stored_documents import (
    DocumentDates,
    StoredDocuments,
    source_json,
)
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.planned_store import PlannedStore
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.noted_pairs import binding_pairs
from es_simhash.store.installation.reserved_texts import ReservedTexts
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.rows import Row

# All documents of a call are one batch.
_NO_LIMITS = BatchLimits(documents=1 << 62, bytes=1 << 62)


class VersionPolicy:
    """Decides which documents are versions of others, and what becomes of them.

    The constructor sends nothing; use it as a context manager. Batches are decided one after the
    other: each `decide` is followed by the caller's bulk request, and that by `confirm`.

    Args:
        client: The client.
        index: An index with `simhash` fields.
        on_version: The action, or all rules.
        config: Names of the fields, and the vocabulary; the schemes are read from the index.
        retry: How long requests to a busy cluster are retried.
        run: Id of the run in the audit log, which no other run has; a new one by default.

    Attributes:
        rules: What counts as a version, and what is to be done.
        run: Id of this run in the audit log.
        target: The index; when its store is stopped, all waiting of the policy ends.
    """

    _is_dry = False

    def __init__(
        self,
        client: Client,
        index: str,
        on_version: OnVersion | str = "flag",
        *,
        config: IndexConfig | None = None,
        retry: RetryPolicy | None = None,
        run: str | None = None,
    ) -> None:
        self.rules = OnVersion.of(on_version)
        self.run = run or new_run()
        self._gateway = Gateway.of(client, retry or RetryPolicy())
        store = PlannedStore if self._is_dry else ElasticsearchStore
        self.target = TargetIndex(store(self._gateway, index, config))
        self._recent = RecentDocuments(forgets=not self._is_dry)
        self._stored: dict[str, Row] = {}
        self._batch: dict[str, IncomingDocument] = {}

    def _log(self) -> AuditLog:
        if self._is_dry:
            return NoAudit()
        return open_audit(self.rules.audit or default_audit(self.target.name), self._gateway)

    def _claims(self, state_index: StateIndex) -> Claims:
        """Return the reservations of the run, for which the state index has room now."""
        if self._is_dry:
            return Unreserved()
        state_index.create()
        reservations = Reservations(self._documents, ReservedTexts.of(state_index))
        reservations.expire()
        return reservations

    def __enter__(self) -> "VersionPolicy":
        """Read the schemes, open the audit log, and make room for reservations.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no `simhash` fields, or the date field holds no dates.
            FileInUse: Another run writes the audit log.
            InputError: The audit log cannot be written, no mapping has the date field, none is
                named where dates decide, or the index weighs a vocabulary that is not given.
            MissingExtra: Its semantic scheme needs a package that is not installed.
        """
        self._config = self.target.config
        self.rules = self.rules.configured(self._config)
        self.target.require_profiler()
        self._dates = DocumentDates.of(self._gateway, self.target.name, self.rules)
        self._audit = self._log()
        try:
            self._begin(self.target.name)
        except BaseException:
            self._audit.close()
            raise
        return self

    def _begin(self, index: str) -> None:
        state_index = StateIndex(self._gateway, index, self._config.state_field)
        manual = binding_pairs(state_index)
        context = RunContext(index, self._config, self.rules, self.run, manual)
        self._documents = StoredDocuments(context, self.target.store)
        reservations = self._claims(state_index)
        self._search = OriginalSearch(
            self._documents.store, self._config, manual, self._dates.compared
        )
        self._decider = BatchDecider(self._documents, self._recent, reservations, self._dates)
        self._recorder = Recorder(context)
        if self.rules.action == "replace":
            texts = ReservedTexts.of(state_index)
            finish_replacements(self._documents, self._audit.read(), texts)
        self.target.store.refresh()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._audit.close()

    def replaced(self, concerns: Callable[[str], bool]) -> Iterator[str]:
        """Yield the ids of documents that the audit log has as replaced, and that are gone.

        Args:
            concerns: Says of an id whether the caller wants to know.
        """
        if self.rules.action == "replace":
            yield from replaced_and_gone(self._documents, self._audit.read(), concerns)

    @property
    def audit(self) -> str:
        """Name of the audit log."""
        return self._audit.name

    def keep_for(self, batch: object) -> None:
        """Remember what is written from now on until the batch is released; thread-safe.

        Call it before the first request for the batch.
        """
        self._recent.keep_for(batch)

    def release(self, batch: object) -> None:
        """Report that a batch is decided and written."""
        self._recent.release(batch)

    def decide(self, documents: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """Decide a batch of documents, in order, for a bulk request of the caller's own.

        The id of a document is `_id`, else `id`, else a digest of it; `_routing` is what it is
        routed by. The decisions are in the audit log when this returns. `Decision.to_write` returns
        the document to write, `Decision.routing` the routing to write it with.

        Raises:
            InputError: A document has no text, cannot be written as JSON, or its date cannot be
                read.
        """
        incoming: list[IncomingDocument] = []
        self._recent.keep_for(incoming)
        try:
            incoming += self._incoming(documents)
            return self.settle(incoming, self.ask(incoming))
        finally:
            self._recent.release(incoming)

    def _incoming(self, documents: Iterable[Mapping[str, Any]]) -> Iterator[IncomingDocument]:
        """Yield documents of the caller as they are decided."""
        for batch in split_documents(documents, _NO_LIMITS):
            lookup = self.target.lookup(identify(batch, self._config), kept_parts(self._config))
            lookup = replace(lookup, is_compared=False)
            undecided = prepare_undecided(batch, self._config, lookup)
            for failure in undecided.prepared.failures:
                number = batch.location(failure.position)[1]
                raise InputError(f"Document {number}: {failure.reason}")
            items = list(undecided.items(lookup.stored.keys()))
            dated, unreadable = self.dated(items)
            for document, reason in unreadable:
                raise InputError(f"Document {batch.location(document.position)[1]}: {reason}")
            yield from dated

    def dated(
        self, documents: Sequence[IncomingDocument]
    ) -> tuple[list[IncomingDocument], list[tuple[IncomingDocument, str]]]:
        """Return documents with their dates, and those whose date the engine cannot read: why."""
        reader = self._dates.reader
        if reader is None:
            return list(documents), []
        dated, unreadable = [], []
        readings = reader.read([document.fields for document in documents])
        for document, (date, fault) in zip(documents, readings, strict=True):
            if fault is not None:
                unreadable.append((document, fault))
            else:
                dated.append(replace(document, date=date, is_undated=date is None))
        return dated, unreadable

    def ask(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Query the index, once for all, for what documents may be versions of."""
        return self._search.search(documents)

    def settle(
        self, documents: Sequence[IncomingDocument], originals: Sequence[Sequence[Original]]
    ) -> list[Decision]:
        """Decide documents for which the index was queried, and record what was decided.

        All batches before must have been written and confirmed.
        """
        if self._recent.is_full:
            self.target.store.refresh()
            self._recent.refreshed()
        decisions, stored = self._decider.decide(documents, originals)
        if self.rules.action == "link":
            decisions = join_families(decisions, stored)
        self._stored, self._batch = stored, {document.id: document for document in documents}
        self._record(
            (decision, stored.get(str(decision.other)))
            for decision in decisions
            if decision.relation is not None
        )
        if self.rules.action == "link":
            link_originals(self._documents, decisions, stored)
        return decisions

    def _record(self, decided: Iterable[tuple[Decision, Row | None]]) -> None:
        """Write decisions with their originals to the audit log; a dry run aligns no texts."""
        if not self._is_dry:
            self._audit.write(self._recorder.records(list(decided), self._batch))

    def confirm(self, decisions: Sequence[Decision], failed: Collection[str] = ()) -> None:
        """Report that documents were written: what they replace is deleted now.

        Args:
            decisions: Decisions of the batch.
            failed: Ids of documents that could not be written.
        """
        self._decider.forget(decisions, failed.__contains__)
        for decision in replacements(decisions):
            if decision.stands_for_it not in failed and decision.original is not None:
                self._delete(decision, decision.original)

    def _delete(self, decision: Decision, original: Original) -> None:
        """Delete what a document replaced; one of the same batch was not read before."""

        def record(changed: Row) -> None:
            self._record([(decision, changed)])

        replaced = self._stored.get(original.id)
        if replaced is None:
            (replaced,) = self._documents.read([original.ref])
            if replaced is None or replaced.content_hash != original.text.content_hash:
                # Another writer has given it another text since it was written.
                return
            stored = loads(source_json(replaced, self._config).decode())
            if stored != self._batch[original.id].fields:
                # The log has it as it was written, not as another writer has changed it since.
                record(replaced)
        delete_replaced(self._documents, decision, replaced, record)


class DryRunPolicy(VersionPolicy):
    """Decides as `VersionPolicy` does, on the index as its decisions would leave it.

    No document, reservation or audit log is written. What was decided before a batch is known, as
    documents that searches do not see yet always are: all of them are kept in memory.
    """

    _is_dry = True
