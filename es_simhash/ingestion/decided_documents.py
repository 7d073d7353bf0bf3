"""What became of the decided documents of a batch, and of those they took the place of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from es_simhash.ingestion.bulk.conflicts import (
    CONFLICT,
    REPEATED,
    Mark,
    RunDocuments,
    Standing,
    key_of,
)
from es_simhash.ingestion.bulk.outcome import Displaced, Outcome
from es_simhash.ingestion.bulk.prepared import Prepared
from es_simhash.ingestion.bulk.run_conflicts import displaced_by, loser
from es_simhash.ingestion.deduplication.decision import Decision


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
            displaced = None if is_same else displaced_by(mark, earlier)
            self.outcomes[position] = Outcome(id, "unchanged", displaced=displaced)
            self._here[id], self._marks[position] = position, mark
            if not is_same:
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
            return Outcome(id, "skipped", reason, version_of=other, undated=decision.undated)
        displaced = self._overwritten(decision)
        if decision.action == "replace" and other is not None:
            displaced = self._replaced(decision, other)
        self.removed.discard(id)
        self._here[id] = position
        if decision.document.mark is not None:
            self._marks[position] = decision.document.mark
        return Outcome(
            id,
            "written",
            reason,
            undated=decision.undated,
            version_of=other,
            displaced=displaced,
        )

    def _overwritten(self, decision: Decision) -> Displaced | None:
        """Settle what the document with the same id is; return it if its batch was before."""
        mark, before = decision.document.mark, self._here.get(decision.id)
        if mark is None:
            return None
        if before is None:
            is_gone = decision.id in self.removed
            return None if is_gone else displaced_by(mark, self._earlier.get(decision.id))
        is_same = mark.has_text_of(self._marks[before])
        self.outcomes[before] = replace(
            self.outcomes[before],
            status="unchanged" if is_same else "conflicting",
            reason=REPEATED if is_same else CONFLICT,
        )
        return None

    def _replaced(self, decision: Decision, other: str) -> Displaced | None:
        """Settle what a document is that was replaced; return it if its batch was before."""
        self.removed.add(other)
        before = self._here.pop(other, None)
        if before is not None:
            self.outcomes[before] = replace(
                self.outcomes[before], status="replaced", reason=f"Replaced by {decision.id!r}."
            )
            return None
        earlier = self._earlier.get(other)
        return Displaced(None if earlier is None else earlier.status, "replaced")

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
            if position in self._marks
        ]
        gone = [key_of(id) for id in sorted(self.removed)]
        self.records += self._run.put(standing, gone)
