"""The scheme of this project: what `compare`, `related` and families score two texts by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, SHINGLE_BITS, Scheme
from es_simhash.lab.methods.close_pairs import close_rows
from es_simhash.lab.methods.method_protocol import (
    Ints,
    Method,
    Pairs,
    Scores,
    by_first,
    ordered_pairs,
)
from es_simhash.lab.methods.shingle_sets import FeatureSets
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.scoring import score_candidates
from es_simhash.relation.shared_shingles import least_shared, sampled
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.indexed_methods import NO_WORDS

DEFAULT_METHOD = "es-simhash"
# Texts whose chunks are compared with those of one at once, which bounds memory.
_GROUP = 256
# Bytes of a fingerprint of a chunk, and of its length.
_CHUNK_BYTES = 16 + 2


@dataclass(frozen=True)
class ProjectFeatures:
    """Analysed texts; None for those without words.

    Attributes:
        texts: The texts.
        unreadable: Texts without words, and those that are too long.
        scheme: Scheme of their fingerprints.
        version_threshold: Where versions begin.
    """

    texts: Sequence[AnalysedText | None]
    unreadable: Mapping[int, str]
    scheme: Scheme
    version_threshold: float = VERSION_SCORE

    @cached_property
    def nbytes(self) -> int:
        """Bytes of document fingerprints, chunk fingerprints, shingles and sketches, packed."""
        known = [text.fingerprints for text in self.texts if text is not None]
        return sum(
            self.scheme.bits // 8
            + len(prints.chunks) * _CHUNK_BYTES
            + len(prints.shingles) * SHINGLE_BITS // 8
            + len(prints.sketch)
            for prints in known
        )

    def score(self, first: Ints, second: Ints) -> Scores:
        """Return the score of each pair, as `compare` does without semantic profiles."""
        scores = np.zeros(len(first))
        for text, positions in by_first(first):
            query = self.texts[text]
            if query is None:
                continue
            for start in range(0, len(positions), _GROUP):
                some = positions[start : start + _GROUP]
                scores[some] = self._scores(query, second[some])
        return scores

    def _scores(self, query: AnalysedText, others: Ints) -> Scores:
        hits = [self.texts[number] for number in others.tolist()]
        candidates = [Candidate.of(query, hit) for hit in hits if hit is not None]
        scored = iter(score_candidates(query, candidates, self.version_threshold))
        return np.array([0.0 if hit is None else next(scored).score for hit in hits])

    def candidates(self) -> Pairs:
        """Return the pairs that an index finds when no limit cuts: by shingles and by blocks."""
        first, second = [], []
        sets = self._shingles
        for number, text in enumerate(self.texts):
            if text is None:
                continue
            queried = sets.of_text(number)[: len(sampled(text.shingles))]
            others = np.flatnonzero(sets.counts(queried) >= least_shared(len(text.shingles)))
            first.append(np.full(len(others), number))
            second.append(others)
        near = self._near_documents()
        return ordered_pairs(
            np.concatenate([*first, near[:, 0]]), np.concatenate([*second, near[:, 1]])
        )

    @cached_property
    def _shingles(self) -> FeatureSets:
        empty = np.zeros(0, np.uint32)
        arrays = [empty if text is None else text.shingles for text in self.texts]
        bounds = np.cumsum([0, *map(len, arrays)])
        # Numbered in ascending order, so that the sample of a text stays the first of them.
        return FeatureSets.of(np.concatenate([empty, *arrays]).astype(np.uint64), bounds)

    def _near_documents(self) -> Pairs:
        """Return the pairs of document fingerprints that the blocks guarantee to find."""
        known = [number for number, text in enumerate(self.texts) if text is not None]
        documents = [text.fingerprints.document for text in self.texts if text is not None]
        if not known:
            return np.zeros((0, 2), np.int64)
        rows = np.stack([document for document in documents if document is not None])
        return np.array(known)[close_rows(rows, self.scheme.max_k)]


def read_texts(
    texts: Sequence[str], scheme: Scheme = DEFAULT, version_threshold: float = VERSION_SCORE
) -> ProjectFeatures:
    """Return the analysed texts; what is too long is unreadable.

    Args:
        texts: The texts.
        scheme: Scheme of their fingerprints.
        version_threshold: Where versions begin in the index of the texts, whose scores these are.
    """
    analysed: list[AnalysedText | None] = []
    unreadable: dict[int, str] = {}
    for number, text in enumerate(_analysed(TextAnalyser(scheme), texts)):
        if isinstance(text, str) or text.is_empty:
            unreadable[number] = text if isinstance(text, str) else NO_WORDS
            analysed.append(None)
        else:
            analysed.append(text)
    return ProjectFeatures(analysed, unreadable, scheme, version_threshold)


def _analysed(analyser: TextAnalyser, texts: Sequence[str]) -> Iterator[AnalysedText | str]:
    """Yield each text, or why it cannot be read; one that cannot costs a second run."""
    try:
        yield from analyser.analyse(texts)
    except InputError as error:
        if len(texts) == 1:
            yield str(error)
            return
        for text in texts:
            yield from _analysed(analyser, [text])


def project_method(version_threshold: float = VERSION_SCORE) -> Method:
    """Return the method with the scores of an index in which versions begin at a threshold."""
    read = partial(read_texts, version_threshold=version_threshold)
    return Method(DEFAULT_METHOD, VERSION_SCORE, read)
