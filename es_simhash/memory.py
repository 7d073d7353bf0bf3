"""An exact index in memory: the oracle for what the cluster answers, and good for small data."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from es_simhash.document import StoredChunks
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.evidence import read, shared_passages
from es_simhash.fingerprints import TextFingerprints, fingerprint
from es_simhash.limits import require_few_chunks, within_limit
from es_simhash.query import Asking, Limits
from es_simhash.query.body import asked_passages, least_shared_passages
from es_simhash.relation import Candidate, Relation, relate
from es_simhash.scheme import DEFAULT, Scheme
from es_simhash.simhash import hamming_distances


class MemoryIndex:
    """Texts in memory, every one of them examined for each question.

    It answers what an index of the cluster does that holds the same texts and cuts nothing.

    Args:
        scheme: Of all fingerprints.
    """

    def __init__(self, scheme: Scheme = DEFAULT) -> None:
        self.scheme = scheme
        self._texts: dict[str, str] = {}
        self._prints: dict[str, TextFingerprints] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        self._prints[id] = self._fingerprint(text)
        self._texts[id] = text

    def related(
        self, text: str | None = None, id: str | None = None, asking: Asking | None = None
    ) -> list[Relation]:
        """Give the texts related to a kept one or to any text, best first.

        Raises:
            DocumentMissing: There is no text of that id.
            InputError: Both or neither of id and text are given, or filters, which only a
                cluster can apply.
        """
        asking = asking or Asking()
        if asking.filters:
            raise InputError("An index in memory takes no Elasticsearch filters; ask a cluster.")
        original, query = self._question(text, id)
        if query.is_empty:
            return []
        candidates = list(self._candidates(query, id, asking))
        judged = relate(query, asked_passages(query, asking.limits), candidates)
        shown = asking.select(judged)
        return [self._with_evidence(each, original) for each in shown] if asking.evidence else shown

    def _fingerprint(self, text: str) -> TextFingerprints:
        found = fingerprint(within_limit(text), self.scheme)
        require_few_chunks(len(found.chunks))
        return found

    def _question(self, text: str | None, id: str | None) -> tuple[str, TextFingerprints]:
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        if text is not None:
            return text, self._fingerprint(text)
        assert id is not None
        if id not in self._texts:
            raise DocumentMissing(f"Document {id!r} is not in the index in memory; check the id.")
        return self._texts[id], self._prints[id]

    def _candidates(
        self, query: TextFingerprints, id: str | None, asking: Asking
    ) -> Iterator[Candidate]:
        """Yield all that the two searches would find if they cut nothing."""
        k = self.scheme.most_k if asking.k is None else asking.k
        least = least_shared_passages(query, asking.limits)
        for other, prints in self._prints.items():
            if other == id or prints.is_empty:
                continue
            candidate = _candidate(other, query, prints, asking.limits, k)
            if candidate.same_content or candidate.within_k or len(candidate.shared) >= least:
                yield candidate

    def _with_evidence(self, relation: Relation, original: str) -> Relation:
        hit = self._texts[str(relation.id)]
        evidence = shared_passages(read(original, self.scheme), read(hit, self.scheme))
        return replace(relation, evidence=evidence)


def _candidate(
    id: str, query: TextFingerprints, hit: TextFingerprints, limits: Limits, k: int
) -> Candidate:
    assert query.document is not None
    assert hit.document is not None
    asked = query.passages[: asked_passages(query, limits)]
    distance = int(hamming_distances(query.document[None], hit.document[None])[0, 0])
    return Candidate(
        id,
        StoredChunks.of(hit),
        np.flatnonzero(np.isin(asked, hit.passages, assume_unique=True)),
        same_content=query.content_hash == hit.content_hash,
        within_k=distance <= k,
    )
