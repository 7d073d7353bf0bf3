"""Reading the hits of the searches of `related_query`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.scoring import Candidate
from es_simhash.store import fields
from es_simhash.store.codec import stored_parts
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import EXACT, queried_shingles, requested_neighbours
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import Limits, SearchOptions
from es_simhash.store.order import Key

Hit = Mapping[str, Any]


@dataclass
class Candidates:
    """Candidates of one query, each once.

    Attributes:
        by_key: The candidates, by index and id.
        truncated: True when a limit cut them.
        unknown: Those that were found without a count of their shared shingles, as the limit cut
            them from the search by shingles.
    """

    by_key: dict[Key, Candidate] = field(default_factory=dict)
    truncated: bool = False
    unknown: set[Key] = field(default_factory=set)

    def add(self, candidates: Sequence[Candidate], *, cut: bool) -> None:
        """Add what was found otherwise than by shingles.

        Args:
            candidates: The candidates; those that are known stay as they are.
            cut: Whether the search by shingles was cut, so that they may share some.
        """
        for candidate in candidates:
            key = candidate.index, candidate.id
            if key not in self.by_key:
                self.by_key[key] = candidate
                if cut:
                    self.unknown.add(key)

    def settle(self, answer: Mapping[str, Any], fingerprints: TextFingerprints) -> None:
        """Take what a second search says that the unknown ones share.

        Args:
            answer: Of a search by `shared_queries`.
            fingerprints: Of the query.
        """
        queried = queried_shingles(fingerprints)
        for hit in answer["hits"]["hits"]:
            key = hit["_index"], hit["_id"]
            if key in self.unknown:
                shared, same_content = _shared(hit, queried)
                self.by_key[key] = replace(
                    self.by_key[key], shared=shared, same_content=same_content
                )


class JoinedSearches(Protocol):
    """How candidates are requested by their ids, as `Dialect` is."""

    def joined_searches(
        self,
        fingerprints: TextFingerprints,
        config: IndexConfig,
        options: SearchOptions,
        ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for candidates by their ids."""

    def read_joined(
        self,
        answer: Mapping[str, Any],
        fingerprints: TextFingerprints,
        candidates: Candidates,
        config: IndexConfig,
    ) -> None:
        """Add what `joined_searches` found to the candidates."""


def read_candidates(
    answers: Sequence[Mapping[str, Any]],
    fingerprints: TextFingerprints,
    neighbours: Sequence[Neighbour],
    *,
    limits: Limits,
    simhash_field: str = fields.DEFAULT_FIELD,
) -> Candidates:
    """Merge the hits of the shingle search, of the block search, and of the search by meaning.

    Args:
        answers: The first two answers, in the order of `related_query`.
        fingerprints: Of the query.
        neighbours: Documents near in meaning; they may share passages as well.
        limits: Those of the query.
        simhash_field: Field of the `simhash` object.
    """
    by_shingles, by_blocks = answers
    cut = by_shingles["hits"]["total"]["value"] > limits.candidates
    found = Candidates()
    queried = queried_shingles(fingerprints)
    for answer, is_cut in ((by_shingles, False), (by_blocks, cut)):
        hits = answer["hits"]["hits"]
        found.add([_candidate(hit, queried, simhash_field) for hit in hits], cut=is_cut)
    nothing = np.zeros(0, np.uint32)
    found.add(
        [
            Candidate(near.id, near.chunks, near.sketch, nothing, index=near.index)
            for near in neighbours
            if near.chunks is not None and near.sketch is not None
        ],
        cut=cut,
    )
    found.truncated = cut or by_blocks["hits"]["total"]["value"] >= requested_neighbours(limits)
    return found


def read_joined(
    answer: Hit, fingerprints: TextFingerprints, candidates: Candidates, simhash_field: str
) -> None:
    """Add the hits of a search by `joined_queries` to the candidates of a query."""
    queried = queried_shingles(fingerprints)
    hits = answer["hits"]["hits"]
    candidates.add([_candidate(hit, queried, simhash_field) for hit in hits], cut=False)


def _candidate(hit: Hit, queried: NDArray[np.uint32], simhash_field: str) -> Candidate:
    shared, same_content = _shared(hit, queried)
    parts = stored_parts(hit.get("fields", {}), simhash_field)
    if parts is None:
        raise InputError(
            f"Document {hit['_id']!r} has shingles, but no chunk fingerprints or no sketch. "
            "Re-ingest the document."
        )
    return Candidate(hit["_id"], *parts, shared, same_content, index=hit["_index"])


def _shared(hit: Hit, queried: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], bool]:
    """Return the queried shingles that a hit has, and whether it has the same text."""
    names = hit.get("matched_queries", ())
    positions = np.array(sorted(int(name) for name in names if name != EXACT), np.int64)
    return queried[positions], EXACT in names
