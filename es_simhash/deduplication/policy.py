"""Deciding batches of documents, in the order they came, each knowing those before it."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from es_simhash.bulk.batches import Limits
from es_simhash.bulk.splitter import split_documents
from es_simhash.deduplication.actions import delete_replaced, link_others, replacing, with_families
from es_simhash.deduplication.audit import default_audit, open_audit
from es_simhash.deduplication.batch import Agreeing, superseded
from es_simhash.deduplication.candidates import (
    CANDIDATES,
    TOGETHER,
    Asked,
    candidate_search,
    read_hits,
)
from es_simhash.deduplication.choice import nearest
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision, Item, Known
from es_simhash.deduplication.preparation import prepare_undecided
from es_simhash.deduplication.recent import MAX_SHINGLES, MOST, Recent
from es_simhash.deduplication.recorder import Recorder
from es_simhash.deduplication.recovery import finish_replacing
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.reservations import Reservations
from es_simhash.deduplication.rules import OnVersion
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import InputError
from es_simhash.indices.install import installed
from es_simhash.indices.state_index import StateIndex
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.storage.source import stored_text


@dataclass(frozen=True)
class Answers:
    """What the index answered for some documents.

    Attributes:
        epoch: Of the run, before it was asked.
        known: For each document those it may be a version of.
    """

    epoch: int
    known: list[list[Known]]


class VersionPolicy:
    """Decides which documents are versions of others, and what becomes of them.

    The constructor sends nothing; use it as a context manager. Batches are decided one after the
    other: each `decide` is followed by the caller's bulk request, and that by `confirm`.

    Args:
        client: Of the cluster.
        index: An index with our fields.
        on_version: The action, or all rules.
        text_field: Field of the text.
        simhash_field: Name of our object.
        retry: How long requests to a busy cluster are retried.

    Attributes:
        gateway: Sends all requests; when it is stopped, all waiting of the policy ends.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        on_version: OnVersion | str = "flag",
        *,
        text_field: str = "text",
        simhash_field: str = DEFAULT_FIELD,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.rules = OnVersion.of(on_version)
        self.run = uuid.uuid4().hex[:12]
        self._client = client
        self._index = index
        self._text_field = text_field
        self._field = simhash_field
        self._retry = retry or RetryPolicy()
        self.gateway = Gateway.of(client, self._retry)
        self._requests = Requests(self.gateway, index, simhash_field)
        self._recent = Recent()
        self._read: dict[str, Fact] = {}
        self._batch: dict[str, Item] = {}

    def __enter__(self) -> "VersionPolicy":
        """Look at the index, open the audit log, and make room for reservations.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no such fields.
            InputError: The audit log cannot be written.
        """
        found = installed(self._client, self._index, self._field)
        self._config = IndexConfig(
            found.scheme, self._text_field, self._field, semantics=found.semantics
        )
        self._setting = Setting(
            self._index, self._text_field, self._field, found.scheme, self.rules, self.run
        )
        target = self.rules.audit or default_audit(self._index)
        self._audit = open_audit(target, self._client, self._retry)
        state = StateIndex(self._client, self._index, self._field)
        state.create()
        reservations = Reservations(
            self._requests, state.name, self._field, self.run, self.rules.lease
        )
        reservations.expire()
        self._facts = Facts(self._requests, self._setting)
        self._agreeing = Agreeing(self._setting, self._recent, self._facts, reservations)
        self._recorder = Recorder(self._setting, self._facts)
        if self.rules.action == "replace":
            finish_replacing(self._requests, self._facts, self._setting, self._audit.read())
        self._requests.refresh()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._audit.close()

    @property
    def audit(self) -> str:
        """Name of the audit log."""
        return self._audit.name

    @property
    def epoch(self) -> int:
        """How often the index was refreshed."""
        return self._recent.epoch

    def is_outdated(self, epoch: int) -> bool:
        """Check whether what was asked in an epoch has to be asked again."""
        return self._recent.is_outdated(epoch)

    def decide(self, documents: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """Decide a batch of documents, in order, for a bulk request of the caller's own.

        The id of a document is `_id`, else `id`, else a digest of it. What the decisions say is in
        the audit log when this returns. `Decision.to_write` gives the document to write.

        Raises:
            InputError: A document has no text, or cannot be written as JSON.
        """
        items: list[Item] = []
        for batch in split_documents(documents, Limits(1 << 62, 1 << 62)):
            undecided = prepare_undecided(batch, self._config, None)
            for failure in undecided.prepared.failures:
                number = batch.location(failure.position)[1]
                raise InputError(f"Document {number}: {failure.reason}")
            exists = self.existing(undecided.prepared.ids)
            items += undecided.items(exists, self._text_field, self.rules.date_field)
        return self.settle(items, self.ask(items))

    def existing(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that the index has."""
        found = self._requests.documents([(None, each) for each in ids], [])
        return {each["_id"] for each in found if each.get("found")}

    def ask(self, items: Sequence[Item]) -> Answers:
        """Ask the index, once for all, what documents may be versions of."""
        epoch = self.epoch
        asked = {
            n: Asked.of(each.prints) for n, each in enumerate(items) if not each.prints.is_empty
        }
        known: list[list[Known]] = [[] for _ in items]
        places = list(asked)
        groups = [places[start : start + TOGETHER] for start in range(0, len(places), TOGETHER)]
        full = []
        for group, (hits, is_full) in zip(groups, self._hits(groups, asked), strict=True):
            if is_full:
                full += group
            else:
                for place in group:
                    known[place] = [each for each in hits if asked[place].finds(each)]
        alone = [[place] for place in full]
        for (place,), (hits, _) in zip(alone, self._hits(alone, asked), strict=True):
            known[place] = hits
        return Answers(epoch, self._with_texts(items, known))

    def _hits(
        self, groups: Sequence[Sequence[int]], asked: Mapping[int, Asked]
    ) -> list[tuple[list[Known], bool]]:
        """Send one search for each group, all in one request; tell whether an answer is full."""
        field, dates, scheme = self._field, self.rules.date_field, self._setting.scheme.name
        bodies = [
            candidate_search([asked[n] for n in group], scheme, field=field, date_field=dates)
            for group in groups
        ]
        answers = self._requests.searches(bodies)
        return [
            (
                read_hits(each, field=field, date_field=dates),
                len(each["hits"]["hits"]) == CANDIDATES,
            )
            for each in answers
        ]

    def _with_texts(
        self, items: Sequence[Item], known: Sequence[Sequence[Known]]
    ) -> list[list[Known]]:
        """Read the texts of those that are near by their fingerprints."""
        near = {
            (other.index, other.id): None
            for item, each in zip(items, known, strict=True)
            for _, other in nearest(item, each, self.rules)
        }
        entries = self._requests.documents(list(near), [self._text_field])
        texts = {
            key: stored_text(entry.get("_source", {}), self._text_field)
            for key, entry in zip(near, entries, strict=True)
        }
        return [
            [replace(one, text=texts.get((one.index, one.id))) for one in each] for each in known
        ]

    def settle(self, items: Sequence[Item], answers: Answers) -> list[Decision]:
        """Decide documents for which the index was asked, and write down what was decided.

        All batches before must have been written and confirmed.
        """
        if len(self._recent) > MOST or self._recent.shingles > MAX_SHINGLES:
            self._requests.refresh()
            self._recent.refreshed()
        if self.is_outdated(answers.epoch):
            answers = self.ask(items)
        decisions, facts = self._agreeing.decide(items, answers.known)
        self._read = facts
        if self.rules.action == "link":
            decisions = with_families(decisions, facts, self._facts)
        decisions = superseded(decisions)
        self._write_down(items, decisions, facts)
        if self.rules.action == "link":
            link_others(self._requests, self._facts, self._field, decisions, facts)
        return decisions

    def _write_down(
        self, items: Sequence[Item], decisions: Sequence[Decision], facts: Mapping[str, Fact]
    ) -> None:
        self._batch = {each.id: each for each in items}
        self._audit.write(
            [
                self._recorder.record(each, facts.get(str(each.other)), self._batch)
                for each in decisions
                if each.relation is not None
            ]
        )

    def confirm(self, decisions: Sequence[Decision], failed: Collection[str] = ()) -> None:
        """Tell that documents were written: what they replace is deleted now.

        Args:
            decisions: Of the batch.
            failed: Ids of documents that could not be written.
        """
        self._agreeing.forget(decisions, failed.__contains__)
        for each in replacing(decisions):
            if each.id not in failed and each.other is not None:
                fact = self._read.get(each.other) or self._facts.read([(None, each.other)])[0]
                if fact.get("found"):
                    self._delete(each, fact)

    def _delete(self, decision: Decision, fact: Fact) -> None:
        def record(changed: Fact) -> None:
            self._audit.write([self._recorder.record(decision, changed, self._batch)])

        delete_replaced(self._requests, self._facts, decision, fact, record)
