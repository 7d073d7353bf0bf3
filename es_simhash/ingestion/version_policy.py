"""A write policy for ingest that decides what to do with versions."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.outcome import Failure, Outcome, Status
from es_simhash.bulk.preparation import REPEATED_ID, Prepared, identify, index_action
from es_simhash.bulk.sequencer import Turn
from es_simhash.bulk.target import TargetIndex
from es_simhash.bulk.write_policy import BatchReport
from es_simhash.deduplication.candidate_search import Answers
from es_simhash.deduplication.decision import Decision, IncomingDocument
from es_simhash.deduplication.policy import VersionPolicy
from es_simhash.deduplication.preparation import prepare_undecided
from es_simhash.storage.config import IndexConfig


@dataclass
class QueriedBatch:
    """A batch with the documents of the index that its own may be versions of.

    Attributes:
        prepared: Documents that need no decision.
        items: The others.
        answers: What the index answered for these.
    """

    prepared: Prepared
    items: list[IncomingDocument]
    answers: Answers


class WriteDecided:
    """Writes what a version policy decides; it decides batches one after the other.

    Args:
        versions: Decides; it is open.
        name: Of the index.
        config: How its documents are read and fingerprinted.
        rewrite: Write documents that the index has as well.
    """

    def __init__(
        self, versions: VersionPolicy, name: str, config: IndexConfig, *, rewrite: bool = False
    ) -> None:
        self._versions = versions
        self._target = TargetIndex(versions.gateway, name, config)
        self._rewrite = rewrite

    def prepare(self, batch: Batch, workers: Executor) -> QueriedBatch:
        """Return a batch whose candidates are queried."""
        config = self._target.config
        epoch = self._versions.epoch
        stored = self._target.stored(workers.submit(identify, batch, config).result())
        compared = None if self._rewrite else stored
        undecided = workers.submit(prepare_undecided, batch, config, compared).result()
        items, unreadable = self._versions.dated(
            list(undecided.items(stored.keys(), config.text_field))
        )
        undecided.prepared.failures += [
            Failure(document.position, document.id, reason) for document, reason in unreadable
        ]
        # What was looked up is as old as this, and so is what was answered at the earliest.
        answers = replace(self._versions.ask(items), epoch=epoch)
        return QueriedBatch(undecided.prepared, items, answers)

    def is_outdated(self, ready: QueriedBatch, turn: Turn) -> bool:
        """Check whether the batch was queried before documents that it should know were written."""
        return turn.written_recently(ready.prepared.stored_ids) or self._versions.is_outdated(
            ready.answers.epoch
        )

    def prepare_again(self, batch: Batch, workers: Executor) -> QueriedBatch:
        """Return the batch queried once more: all earlier batches are written by now."""
        return self.prepare(batch, workers)

    def write(self, batch: Batch, ready: QueriedBatch, turn: Turn) -> BatchReport:
        """Decide and write; the next batch starts after that, as it builds on these decisions."""
        decided = self._decided(ready)
        turn.pass_on(ready.prepared.ids)
        settled = [
            (position, Outcome(id, "unchanged", reason))
            for position, id, reason in ready.prepared.unchanged
        ]
        settled += decided.outcomes()
        return BatchReport.of(batch, settled, [*ready.prepared.failures, *decided.failed()])

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.gateway.stop()

    def _decided(self, ready: QueriedBatch) -> "_Decided":
        """Decide and write; what builds on a document that failed is decided again."""
        decided = _Decided()
        items, answers = ready.items, ready.answers
        while items:
            decisions = self._versions.settle(items, answers)
            rejections = self._write(decisions)
            self._versions.confirm(decisions, rejections)
            decided.add(decisions, rejections)
            again = [
                number
                for number, decision in enumerate(decisions)
                if decision.id not in rejections
                and {decision.other, decision.superseded} & rejections.keys()
            ]
            items = [items[number] for number in again]
            answers = Answers(answers.epoch, [answers.originals[number] for number in again])
        return decided

    def _write(self, decisions: Sequence[Decision]) -> dict[str, str]:
        """Write the documents and return the reasons of those that were rejected, by id."""
        # Of one id the last is sent: requests that are retried would change their order.
        last = {decision.id: decision for decision in decisions if decision.writes}
        simhash_field = self._target.config.simhash_field
        prepared = Prepared(ids=list(last))
        prepared.fill(
            [index_action(id, decision.source(simhash_field)) for id, decision in last.items()]
        )
        rejections = self._target.write(prepared)
        return {prepared.ids[number]: reason for number, reason in rejections.items()}


@dataclass
class _Decided:
    """The decisions of a batch and what was rejected, by position."""

    decisions: dict[int, Decision] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)

    def add(self, decisions: Sequence[Decision], rejections: dict[str, str]) -> None:
        for decision in decisions:
            position = decision.document.position
            self.decisions[position] = decision
            self.reasons.pop(position, None)
            if decision.id in rejections and decision.writes:
                self.reasons[position] = rejections[decision.id]

    def failed(self) -> Iterator[Failure]:
        for position, reason in self.reasons.items():
            yield Failure(position, self.decisions[position].id, reason)

    def outcomes(self) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome of each document that did not fail, with its position."""
        last = {
            decision.id: position
            for position, decision in sorted(self.decisions.items())
            if decision.writes
        }
        for position, decision in self.decisions.items():
            if position in self.reasons:
                continue
            if decision.writes and last[decision.id] != position:
                yield position, Outcome(decision.id, "unchanged", REPEATED_ID)
            else:
                status: Status = "written" if decision.writes else "skipped"
                outcome = Outcome(decision.id, status, decision.summary, undated=decision.undated)
                yield position, outcome
