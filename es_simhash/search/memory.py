"""An exact index in memory: the oracle for what the cluster answers, and good for small data."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint
from es_simhash.query.candidates import min_shared_shingles, queried_shingles
from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import Limits, SearchOptions
from es_simhash.query.ranking import merged
from es_simhash.relation.evidence import Reading, told
from es_simhash.relation.model import Relation
from es_simhash.relation.scoring import Candidate, relate
from es_simhash.semantics.profile import SemanticProfile, SemanticScheme
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.text.limits import require_few_chunks, within_limit


class _Kept(NamedTuple):
    """A text and what was read from it."""

    text: str
    prints: TextFingerprints
    semantics: SemanticProfile


class MemoryIndex:
    """Texts in memory, every one of them examined for each question.

    It answers what an index of the cluster does that holds the same texts and cuts nothing.

    Args:
        scheme: Of all fingerprints.
        meaning: What is read from the texts to find neighbours; None to find versions alone.
    """

    def __init__(self, scheme: Scheme = DEFAULT, semantics: SemanticScheme | None = None) -> None:
        self.scheme = scheme
        self._reader = None if semantics is None else semantic_profiler(semantics)
        self._kept: dict[str, _Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        self._kept[id] = self._read(text)

    def related(
        self, text: str | None = None, id: str | None = None, options: SearchOptions | None = None
    ) -> list[Relation]:
        """Return the texts related to a kept one or to any text, best first.

        Raises:
            DocumentMissing: There is no text of that id.
            InputError: Both or neither of id and text are given, or filters, which only a
                cluster can apply.
        """
        options = options or SearchOptions()
        if options.filters:
            raise InputError("An index in memory takes no Elasticsearch filters; ask a cluster.")
        question = self._question(text, id)
        query = question.prints
        if query.is_empty:
            return []
        candidates = list(self._candidates(query, id, options))
        judged = relate(query, queried_shingles(query, options.limits), candidates)
        neighbours = self._neighbours(question.semantics, id) if options.wants_neighbours else []
        shown = merged(judged, neighbours, options)
        if not options.evidence:
            return shown
        ours = self._reading(question)
        return [told(each, ours, self._reading(self._kept[str(each.id)])) for each in shown]

    def _read(self, text: str) -> _Kept:
        found = fingerprint(within_limit(text), self.scheme)
        require_few_chunks(len(found.chunks))
        semantics = SemanticProfile() if self._reader is None else self._reader.read([text])[0]
        return _Kept(text, found, semantics)

    def _question(self, text: str | None, id: str | None) -> _Kept:
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        if text is not None:
            return self._read(text)
        assert id is not None
        if id not in self._kept:
            raise DocumentMissing(f"Document {id!r} is not in the index in memory; check the id.")
        return self._kept[id]

    def _neighbours(self, profile: SemanticProfile, id: str | None) -> list[Neighbour]:
        """Return every text that has anything of the query's meaning."""
        if profile.is_empty:
            return []
        found = []
        for other, kept in self._kept.items():
            shared = compare_profiles(profile, kept.semantics)
            if other != id and shared.similarity > 0:
                chunks = None if kept.prints.is_empty else ChunkFingerprints.of(kept.prints)
                # Candidates for versions have no index here, and neither have these.
                found.append(Neighbour(other, None, shared, chunks))
        return found

    def _reading(self, kept: _Kept) -> Reading:
        table = None if self._reader is None else self._reader.vectors
        return Reading(kept.text, kept.semantics, self.scheme, table)

    def _candidates(
        self, query: TextFingerprints, id: str | None, options: SearchOptions
    ) -> Iterator[Candidate]:
        """Yield all that the two searches would find if they cut nothing."""
        k = self.scheme.most_k if options.k is None else options.k
        least = min_shared_shingles(query, options.limits)
        for other, (_, prints, _) in self._kept.items():
            if other == id or prints.is_empty:
                continue
            candidate = _candidate(other, query, prints, options.limits, k)
            if candidate.same_content or candidate.within_k or len(candidate.shared) >= least:
                yield candidate


def _candidate(
    id: str, query: TextFingerprints, hit: TextFingerprints, limits: Limits, k: int
) -> Candidate:
    assert query.document is not None
    assert hit.document is not None
    asked = query.shingles[: queried_shingles(query, limits)]
    distance = int(hamming_distances(query.document[None], hit.document[None])[0, 0])
    return Candidate(
        id,
        ChunkFingerprints.of(hit),
        np.flatnonzero(np.isin(asked, hit.shingles, assume_unique=True)),
        same_content=query.content_hash == hit.content_hash,
        within_k=distance <= k,
    )
