"""The candidates of one query, each once, from all ways in which they were found."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from es_simhash.relation.candidate import Candidate
from es_simhash.relation.references import Key
from es_simhash.store.rows import Neighbour, SimilarTexts


@dataclass
class CandidatePool:
    """Candidates of one query, each once.

    Attributes:
        by_key: The candidates, by index and id.
        is_cut: Whether a limit cut them.
        uncounted: Those of which it is not known what they share with the query, as the limit cut
            them from those that share shingles.
    """

    by_key: dict[Key, Candidate] = field(default_factory=dict)
    is_cut: bool = False
    uncounted: set[Key] = field(default_factory=set)

    @classmethod
    def of(cls, similar: SimilarTexts, neighbours: Sequence[Neighbour]) -> "CandidatePool":
        """Merge what shares shingles, what is within k, and what is near in meaning.

        Neighbours may share passages as well.
        """
        pool = cls(is_cut=similar.is_cut or similar.is_cut_within_k)
        pool._add(similar.sharing, is_counted=True)
        pool._add(similar.within_k, is_counted=not similar.is_cut)
        nothing = np.zeros(0, np.uint32)
        near = [
            Candidate(each.id, each.chunks, each.sketch, nothing, index=each.index)
            for each in neighbours
            if each.chunks is not None and each.sketch is not None
        ]
        pool._add(near, is_counted=not similar.is_cut)
        return pool

    def _add(self, candidates: Sequence[Candidate], *, is_counted: bool) -> None:
        for candidate in candidates:
            key = candidate.index, candidate.id
            if key not in self.by_key:
                self.by_key[key] = candidate
                if not is_counted:
                    self.uncounted.add(key)

    @property
    def uncounted_ids(self) -> tuple[str, ...]:
        """Ids of those of which it is not known what they share."""
        return tuple(sorted({str(id) for _, id in self.uncounted}))

    def count(self, compared: Sequence[Candidate]) -> None:
        """Take what the uncounted ones share; others stay as they are."""
        for candidate in compared:
            key = candidate.index, candidate.id
            if key in self.uncounted:
                self.by_key[key] = candidate

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Add candidates that were asked for by their ids."""
        self._add(candidates, is_counted=True)
