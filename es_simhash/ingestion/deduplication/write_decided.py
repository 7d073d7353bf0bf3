"""A write policy for ingest that decides what to do with versions, and the outcomes of a batch."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from es_simhash.ingestion.bulk.batch_preparation import identify, prepare_undecided
from es_simhash.ingestion.bulk.document_batches import Batch
from es_simhash.ingestion.bulk.outcomes import Displaced, Failure, Outcome
from es_simhash.ingestion.bulk.prepared_batches import Prepared, displaced_by, loser
from es_simhash.ingestion.bulk.run_documents import (
    CONFLICT,
    REPEATED,
    REROUTED,
    Mark,
    RunDocuments,
    Standing,
    key_of,
)
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.bulk.write_policy import BatchReport, Turn
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
)
from es_simhash.ingestion.deduplication.version_rules import RETAIN
from es_simhash.relation.references import DocumentVersion
from es_simhash.store.elasticsearch.bulk import index_action
from es_simhash.store.fields import FAMILY


class DecidedDocuments:
    """The outcomes of a batch, as if each document had come alone.

    Args:
        run: The documents of the run before the batch; gets those of the batch.

    Attributes:
        outcomes: By position.
        removed: Ids of documents that were replaced by others and deleted.
        records: What the run remembers of the batch.
    """

    def __init__(self, run: RunDocuments) -> None:
        self._run = run
        # Documents of the batch that stand, by id, and how the run remembers them.
        self._here: dict[str, int] = {}
        self._marks: dict[int, Mark] = {}
        self._earlier: dict[str, Standing] = {}
        self.outcomes: dict[int, Outcome] = {}
        self.removed: set[str] = set()
        self.records = b""

    def add_unchanged(self, prepared: Prepared) -> None:
        """Add the documents that the index has as they are."""
        self._look_up([id for _, id in prepared.unchanged])
        standing = []
        for position, id in prepared.unchanged:
            mark, earlier = prepared.marks[position], self._earlier.get(id)
            is_same = earlier is not None and mark.has_text_of(earlier.mark)
            if earlier is not None and not self._run.keeps_last:
                self.outcomes[position] = loser(id, mark, earlier.mark, self._run)
                continue
            displaced = () if is_same else displaced_by(mark, earlier)
            self.outcomes[position] = Outcome(id, "unchanged", displaced=displaced)
            # The one that this run wrote is what stands, and what others may replace.
            if not is_same:
                self._here[id], self._marks[position] = position, mark
                standing.append(Standing(mark, "unchanged"))
        self.records += self._run.put(standing)

    def add(self, decisions: Sequence[Decision], reasons: Mapping[int, str]) -> None:
        """Add documents that were decided and written.

        Args:
            decisions: In the order of the documents.
            reasons: Why documents could not be written, by position.
        """
        others = [decision.other for decision in decisions if decision.other is not None]
        self._look_up([*(decision.id for decision in decisions), *others])
        for decision in decisions:
            position = decision.document.position
            if position in reasons:
                self.outcomes[position] = Outcome(decision.id, "failed", reasons[position])
            else:
                self.outcomes[position] = self._outcome(decision, position)
        self._remember(decisions, reasons)

    def _outcome(self, decision: Decision, position: int) -> Outcome:
        id, reason, other = decision.id, decision.summary, decision.other
        if decision.action == "skip":
            return Outcome(
                id,
                "skipped",
                reason,
                version_of=other,
                undated=decision.undated,
                lost=decision.lost,
            )
        displaced = self._overwritten(decision)
        if decision.action == "replace" and other is not None:
            displaced += self._replaced(decision, other)
        self.removed.discard(id)
        self._here[id] = position
        self._marks[position] = _mark_of(decision.document)
        return Outcome(
            id,
            "written",
            reason,
            undated=decision.undated,
            version_of=other,
            retained=decision.action == RETAIN,
            lost=decision.lost,
            displaced=displaced,
        )

    def _overwritten(self, decision: Decision) -> tuple[Displaced, ...]:
        """Settle what the document with the same id is; return it if its batch was before."""
        mark, before = _mark_of(decision.document), self._here.get(decision.id)
        if before is None:
            is_gone = decision.id in self.removed
            return () if is_gone else displaced_by(mark, self._earlier.get(decision.id))
        is_same = mark.has_text_of(self._marks[before])
        self.outcomes[before] = replace(
            self.outcomes[before],
            status="unchanged" if is_same else "conflicting",
            reason=REPEATED if is_same else CONFLICT,
        )
        return ()

    def _replaced(self, decision: Decision, other: str) -> tuple[Displaced, ...]:
        """Settle what a document is that was replaced; return it if its batch was before."""
        self.removed.add(other)
        before = self._here.pop(other, None)
        if before is not None:
            self.outcomes[before] = replace(
                self.outcomes[before], status="replaced", reason=f"Replaced by {decision.id!r}."
            )
            return ()
        earlier = self._earlier.get(other)
        return (Displaced(None if earlier is None else earlier.status, "replaced"),)

    def _look_up(self, ids: Sequence[str]) -> None:
        keys = [key_of(id) for id in ids]
        found = zip(ids, self._run.standing(keys), strict=True)
        self._earlier = {id: standing for id, standing in found if standing is not None}

    def _remember(self, decisions: Sequence[Decision], reasons: Mapping[int, str]) -> None:
        positions = {
            self._here[decision.id]: None
            for decision in decisions
            if decision.id in self._here and decision.document.position not in reasons
        }
        standing = [
            Standing(self._marks[position], self.outcomes[position].status)
            for position in positions
        ]
        gone = [key_of(id) for id in sorted(self.removed)]
        self.records += self._run.put(standing, gone)


@dataclass
class QueriedBatch:
    """A batch with the documents of the index that its own may be versions of.

    Attributes:
        prepared: Documents that need no decision.
        items: The others.
        originals: For each of these what it may be a version of.
        versions: Versions of the documents that are to be replaced where they are; see `Lookup`.
    """

    prepared: Prepared
    items: list[IncomingDocument]
    originals: list[list[Original]]
    versions: Mapping[str, DocumentVersion] = field(default_factory=dict)


class Versions(Protocol):
    """What decides about versions, as `VersionPolicy` does."""

    @property
    def target(self) -> TargetIndex:
        """The index."""

    def keep_for(self, batch: object) -> None:
        """Remember what is written from now on until the batch is released; thread-safe."""

    def release(self, batch: object) -> None:
        """Report that a batch is decided and written."""

    def dated(
        self, documents: Sequence[IncomingDocument]
    ) -> tuple[list[IncomingDocument], list[tuple[IncomingDocument, str]]]:
        """Return documents with their dates, and those whose date cannot be read, with why."""

    def ask(self, documents: Sequence[IncomingDocument]) -> list[list[Original]]:
        """Return what documents may be versions of."""

    def settle(
        self, documents: Sequence[IncomingDocument], originals: Sequence[Sequence[Original]]
    ) -> list[Decision]:
        """Decide about documents, and write the decisions to the audit log."""

    def confirm(self, decisions: Sequence[Decision], failed: Collection[str] = ()) -> None:
        """Report that documents were written: what they replace is deleted now."""


class WriteDecided:
    """Writes what a version policy decides; it decides batches one after the other.

    Args:
        versions: Decides; it is open.
        run: The documents of the run so far.
        rewrite: Write documents that the index has as well.
    """

    def __init__(self, versions: Versions, run: RunDocuments, *, rewrite: bool = False) -> None:
        self._versions = versions
        self._target = versions.target
        self._run = run
        self._rewrite = rewrite
        # Read now: what the run itself writes does not count.
        _ = self._target.has_routings

    def prepare(self, batch: Batch, workers: Executor) -> QueriedBatch:
        """Return a batch whose candidates are queried."""
        config = self._target.config
        # What is looked up is as old as this, and so is what is answered at the earliest.
        self._versions.keep_for(batch)
        lookup = self._target.lookup(workers.submit(identify, batch, config).result())
        lookup = replace(lookup, is_compared=not self._rewrite)
        undecided = workers.submit(prepare_undecided, batch, config, lookup).result()
        items, unreadable = self._versions.dated(list(undecided.items(lookup.stored.keys())))
        undecided.prepared.failures += [
            Failure(document.position, document.id, reason) for document, reason in unreadable
        ]
        originals = self._versions.ask(items)
        return QueriedBatch(undecided.prepared, items, originals, lookup.versions)

    def is_outdated(self, ready: QueriedBatch, turn: Turn) -> bool:
        """Check whether a document that is left out was written meanwhile."""
        return turn.written_recently(ready.prepared.stored_ids)

    def prepare_again(self, batch: Batch, workers: Executor) -> QueriedBatch:
        """Return the batch queried once more: all earlier batches are written by now."""
        return self.prepare(batch, workers)

    def write(self, batch: Batch, ready: QueriedBatch, turn: Turn) -> BatchReport:
        """Decide and write; the next batch starts after that, as it builds on these decisions."""
        decided = DecidedDocuments(self._run)
        decided.add_unchanged(ready.prepared)
        pending = [Pending(*pair) for pair in zip(ready.items, ready.originals, strict=True)]
        while pending := self._without_conflicts(pending, decided):
            together = _together(pending, self._run)
            self._decide(pending[:together], decided, ready.versions)
            pending = pending[together:]
        self._versions.release(batch)
        turn.pass_on([*ready.prepared.ids, *decided.removed], ready.prepared.stored_ids)
        return BatchReport.of(batch, decided.outcomes, ready.prepared.failures, decided.records)

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.store.stop()

    def _without_conflicts(
        self, pending: Sequence["Pending"], decided: DecidedDocuments
    ) -> list["Pending"]:
        """Return what is to be decided; the run may have another document of an id already."""
        known = self._run.standing([each.mark.key for each in pending])
        remaining = []
        for each, standing in zip(pending, known, strict=True):
            id, position = each.item.id, each.item.position
            if standing is not None and not each.mark.has_routing_of(standing.mark):
                decided.outcomes[position] = Outcome(id, "failed", REROUTED)
            elif standing is not None and not self._run.keeps_last:
                decided.outcomes[position] = loser(id, each.mark, standing.mark, self._run)
            else:
                remaining.append(each)
        return remaining

    def _decide(
        self,
        pending: Sequence["Pending"],
        decided: DecidedDocuments,
        versions: Mapping[str, DocumentVersion],
    ) -> None:
        """Decide and write; what builds on a document that failed is decided again."""
        decisions: dict[int, Decision] = {}
        reasons: dict[int, str] = {}
        known = self._run.known([each.item.id for each in pending])
        while pending:
            made = self._versions.settle(
                [each.item for each in pending], [each.originals for each in pending]
            )
            rejections = self._write(made, versions, known)
            self._versions.confirm(made, rejections)
            known.update(decision.id for decision in made)
            for decision in made:
                position = decision.document.position
                decisions[position] = decision
                reasons.pop(position, None)
                if decision.id in rejections and decision.writes:
                    reasons[position] = rejections[decision.id]
            # Neither these nor what was to be replaced by them, over any number of steps.
            missing = {each.id for each in made if each.stands_for_it in rejections}
            pending = [
                each
                for each, decision in zip(pending, made, strict=True)
                if decision.id not in rejections
                and (decision.superseded in rejections or decision.other in missing)
            ]
        decided.add([decisions[position] for position in sorted(decisions)], reasons)

    def _write(
        self,
        decisions: Sequence[Decision],
        versions: Mapping[str, DocumentVersion],
        known: Collection[str],
    ) -> dict[str, str]:
        """Write the documents and return the reasons of those that were rejected, by id."""
        # Of one id the last is sent: requests that are retried would change their order.
        last = {decision.id: decision for decision in decisions if decision.writes}
        simhash_field = self._target.config.simhash_field
        prepared = Prepared(ids=list(last))
        prepared.fill(
            [
                index_action(
                    id,
                    decision.source(simhash_field),
                    decision.routing,
                    version=versions.get(id),
                )
                for id, decision in last.items()
            ]
        )
        # Whether it is a version of another was decided anew; its family stays.
        rejections = self._target.write(prepared, known, kept=(FAMILY,))
        return {prepared.ids[number]: reason for number, reason in rejections.items()}


class Pending(NamedTuple):
    """A document that is still to be decided, and what it may be a version of."""

    item: IncomingDocument
    originals: list[Original]

    @property
    def mark(self) -> Mark:
        """How the run remembers it."""
        return _mark_of(self.item)


def _mark_of(document: IncomingDocument) -> Mark:
    assert document.mark is not None, "it was not read by a run"
    return document.mark


def _together(pending: Sequence[Pending], run: RunDocuments) -> int:
    """Return how many documents are decided together.

    When the first of several with one id is kept, the others wait until it is known whether it was
    written: it may be skipped as a version of another document.
    """
    if run.keeps_last:
        return len(pending)
    ids: set[str] = set()
    for count, each in enumerate(pending):
        if each.item.id in ids:
            return count
        ids.add(each.item.id)
    return len(pending)
