"""A batch that a worker has prepared, and what its documents meet of their own run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from es_simhash.ingestion.bulk.outcomes import Displaced, Failure, Outcome
from es_simhash.ingestion.bulk.run_documents import (
    CONFLICT,
    FAILED_CONFLICT,
    NOT_KEPT,
    REPEATED,
    REROUTED,
    Mark,
    RunDocuments,
    Standing,
)


@dataclass
class Prepared:
    """A batch ready to be sent.

    Attributes:
        body: Body of the bulk request.
        ends: Where the action of each document ends in the body.
        ids: Id of each document in the body.
        positions: Number in the batch of each document in the body.
        unchanged: Position and id of documents that the index has as they are.
        repeats: Position and id of documents for which another one of the batch is kept.
        failures: Documents that cannot be written.
        marks: How the run remembers the documents, by position.
    """

    body: bytes = b""
    ends: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    unchanged: list[tuple[int, str]] = field(default_factory=list)
    repeats: list[tuple[int, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    marks: dict[int, Mark] = field(default_factory=dict)

    @property
    def stored_ids(self) -> set[str]:
        """Ids of documents that are left out because the index has them."""
        return {id for _, id in self.unchanged}

    def fill(self, actions: Sequence[bytes]) -> None:
        """Set the body to these actions."""
        self.ends = list(accumulate(map(len, actions)))
        self.body = b"".join(actions)

    def actions(self, numbers: Iterable[int]) -> list[bytes]:
        """Return actions of the body, by their numbers."""
        starts = [0, *self.ends]
        return [self.body[starts[number] : self.ends[number]] for number in numbers]

    def leave_out(self, positions: Iterable[int]) -> None:
        """Remove documents from what is sent, by their numbers in the batch."""
        left_out = frozenset(positions)
        if not left_out:
            return
        kept = [n for n, position in enumerate(self.positions) if position not in left_out]
        actions = self.actions(kept)
        self.ids = [self.ids[n] for n in kept]
        self.positions = [self.positions[n] for n in kept]
        self.unchanged = [entry for entry in self.unchanged if entry[0] not in left_out]
        self.fill(actions)


def loser(id: str, mark: Mark, kept: Mark, run: RunDocuments) -> Outcome:
    """Return the outcome of a document for which another one with its id is kept."""
    if mark.has_text_of(kept):
        return Outcome(id, "unchanged", REPEATED)
    if run.on_conflict == "fail":
        return Outcome(id, "failed", FAILED_CONFLICT)
    return Outcome(id, "conflicting", CONFLICT)


def displaced_by(mark: Mark, standing: Standing | None) -> tuple[Displaced, ...]:
    """Return what a document that is written takes the place of, of those with its id."""
    if standing is None:
        return ()
    is_same = mark.has_text_of(standing.mark)
    return (Displaced(standing.status, "unchanged" if is_same else "conflicting"),)


class BatchConflicts:
    """What becomes of documents of a batch that have the id of another one of the run.

    As many count as written, and the same stand, as where a run reads each document in a batch of
    its own.

    Args:
        prepared: The batch; of several documents with one id, one is to be written.
        run: The documents of the run before it.
    """

    def __init__(self, prepared: Prepared, run: RunDocuments) -> None:
        self._run = run
        self._marks = prepared.marks
        self._positions: dict[str, list[int]] = defaultdict(list)
        written = zip(prepared.positions, prepared.ids, strict=True)
        for position, id in [*written, *prepared.unchanged, *prepared.repeats]:
            if position in prepared.marks:
                self._positions[id].append(position)
        for positions in self._positions.values():
            positions.sort()
        keys = [self._marks[positions[0]].key for positions in self._positions.values()]
        known = zip(self._positions, run.standing(keys), strict=True)
        self._standing = {id: standing for id, standing in known if standing is not None}

    @property
    def known_ids(self) -> set[str]:
        """Ids of documents that an earlier batch wrote, or that the index had then."""
        return set(self._standing)

    @property
    def left_out(self) -> set[int]:
        """Positions of documents that are not to be written, as an earlier one is kept."""
        return {
            position
            for id, standing in self._standing.items()
            if not self._run.keeps_last or self._is_rerouted(id, standing)
            for position in self._positions[id]
        }

    def _is_rerouted(self, id: str, standing: Standing) -> bool:
        return not self._marks[self._positions[id][0]].has_routing_of(standing.mark)

    def outcomes(self, results: Mapping[int, Outcome]) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcome of each document that the run remembers, with its position.

        Args:
            results: Outcomes of those that were sent, or that the index has, by position.
        """
        for id, positions in self._positions.items():
            standing = self._standing.get(id)
            if standing is not None and self._is_rerouted(id, standing):
                outcomes = [Outcome(id, "failed", REROUTED) for _ in positions]
            elif self._run.keeps_last:
                outcomes = self._last(id, positions, standing, results)
            else:
                outcomes = self._first(id, positions, standing, results)
            yield from zip(positions, outcomes, strict=True)

    def standing_after(self, results: Mapping[int, Outcome]) -> Iterator[Standing]:
        """Yield the documents that stand now, when these are the outcomes of `outcomes`."""
        for id, positions in self._positions.items():
            for position in positions:
                outcome, mark = results.get(position), self._marks[position]
                before = self._standing.get(id)
                if outcome is None or not outcome.ok:
                    continue
                # One that the index has, as an earlier document wrote it, is not counted as that.
                if (
                    outcome.status == "written"
                    or before is None
                    or not mark.has_text_of(before.mark)
                ):
                    yield Standing(mark, outcome.status)

    def _last(
        self,
        id: str,
        positions: Sequence[int],
        standing: Standing | None,
        results: Mapping[int, Outcome],
    ) -> list[Outcome]:
        result = results.get(positions[-1])
        if result is None or not result.ok:
            return [*_not_kept(id, positions, result), *_failed(result)]
        marks = [self._marks[position] for position in positions]
        outcomes = [loser(id, mark, after, self._run) for mark, after in pairwise(marks)]
        outcomes.append(result)
        if not _is_standing(result, marks[-1], standing):
            displaced = displaced_by(marks[0], standing)
            outcomes[0] = replace(outcomes[0], displaced=displaced)
        return outcomes

    def _first(
        self,
        id: str,
        positions: Sequence[int],
        standing: Standing | None,
        results: Mapping[int, Outcome],
    ) -> list[Outcome]:
        marks = [self._marks[position] for position in positions]
        if standing is not None:
            return [loser(id, mark, standing.mark, self._run) for mark in marks]
        result = results.get(positions[0])
        if result is None or not result.ok:
            return [*_failed(result), *_not_kept(id, positions, result)]
        return [result, *(loser(id, mark, marks[0], self._run) for mark in marks[1:])]


def _not_kept(id: str, positions: Sequence[int], result: Outcome | None) -> list[Outcome]:
    """Return the outcomes of all documents but the one that was kept, which failed."""
    return [Outcome(id, "failed", NOT_KEPT)] * (len(positions) - len(_failed(result)))


def _failed(result: Outcome | None) -> list[Outcome]:
    """Return the outcome of the one that was kept; none if it failed before it could be sent."""
    return [] if result is None else [result]


def _is_standing(result: Outcome, mark: Mark, standing: Standing | None) -> bool:
    """Check whether the index has a document as it is because an earlier one of the run wrote it.

    That one is still counted as written, whatever stands between the two.
    """
    is_same = standing is not None and mark.has_text_of(standing.mark)
    return is_same and result.status == "unchanged"
