"""What the documents of a batch meet of their own run: other documents with the same ids."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from es_simhash.ingestion.bulk.conflicts import (
    CONFLICT,
    FAILED_CONFLICT,
    NOT_KEPT,
    REPEATED,
    REROUTED,
    Mark,
    RunDocuments,
    Standing,
)
from es_simhash.ingestion.bulk.outcome import Displaced, Outcome
from es_simhash.ingestion.bulk.prepared import Prepared


def loser(id: str, mark: Mark, kept: Mark, run: RunDocuments) -> Outcome:
    """Return the outcome of a document for which another one with its id is kept."""
    if mark.has_text_of(kept):
        return Outcome(id, "unchanged", REPEATED)
    if run.on_conflict == "fail":
        return Outcome(id, "failed", FAILED_CONFLICT)
    return Outcome(id, "conflicting", CONFLICT)


def displaced_by(mark: Mark, standing: Standing | None) -> Displaced | None:
    """Return what a document that is written takes the place of; None for nothing."""
    if standing is None:
        return None
    is_same = mark.has_text_of(standing.mark)
    return Displaced(standing.status, "unchanged" if is_same else "conflicting")


class BatchConflicts:
    """What becomes of documents of a batch that have the id of another one of the run.

    Statuses and counts are those of a run that reads each document in a batch of its own.

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
        displaced = displaced_by(marks[0], standing)
        first = outcomes[0]
        if displaced is not None and (first is not result or _takes_place(result, displaced)):
            outcomes[0] = Outcome(id, first.status, first.reason, displaced=displaced)
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


def _takes_place(result: Outcome, displaced: Displaced) -> bool:
    """Check whether an earlier document is displaced: not by one that the index has as it was."""
    return result.status != "unchanged" or displaced.status == "conflicting"
