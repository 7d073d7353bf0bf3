"""How two texts are related: coverage, score, kind. All thresholds stand here.

They were chosen on their plateau over several collections at once, see docs/relations.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from es_simhash.concepts.neighbour import SharedMeaning
from es_simhash.document import StoredChunks
from es_simhash.fingerprints import TextFingerprints
from es_simhash.simhash import Fingerprints, hamming_distances

Kind = Literal["exact", "version", "contains", "excerpt_of", "shares_passages", "semantic", "none"]
KINDS: tuple[Kind, ...] = (
    "exact",
    "version",
    "contains",
    "excerpt_of",
    "shares_passages",
    "semantic",
)
VERSION_KINDS: tuple[Kind, ...] = KINDS[:4]

# From here on a relation is a version (or an excerpt, or its whole).
VERSION_SCORE = 0.6
# What `related` shows by default: in a large index less is shared by chance and by boilerplate.
SHOWN_SCORE = 0.3
# Semantic scores are this power of the similarity in meaning, scaled to end where versions begin:
# half of the scale, 0.3, is the same story line in news (docs/meaning.md).
MEANING_POWER = 0.58
# From here on two texts compared on request share passages.
SHARED_SCORE = 0.03
# Chunks whose fingerprints have at most this cosine count as different, from the second as equal.
DIFFERENT_COSINE, EQUAL_COSINE = 0.6, 0.95
# Resembling text adds a quarter of its share to what is copied word for word.
RESEMBLANCE_WEIGHT = 0.25
# A document within the promised Hamming distance is a version when its chunks resemble as well.
RESEMBLING = 0.5
# A passage in more documents than this counts less: this number over its document frequency.
RARE = 4
# Neighbours that have this much of their chunks in common are told once.
COPY_RESEMBLANCE = 0.5
# Chunks within this distance are one and the same for counting in how many documents they are.
SAME_CHUNK = 20
# One text lies in the other when its share is this high, and the other's at most this part of it.
CONTAINED_COVERAGE, CONTAINED_RATIO = 0.6, 0.5
# Distances computed at a time: 32 MB.
_CELLS = 4_000_000


@dataclass(frozen=True)
class Coverage:
    """Share of each text, by characters and from 0 to 1, that stands in the other."""

    of_query: float
    of_hit: float


@dataclass(frozen=True)
class Span:
    """A stretch of a text: offsets in characters of the original, and the words themselves."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class SharedPassage:
    """Two stretches that go together.

    Attributes:
        query: Where it stands in the query.
        hit: Where it stands in the hit.
        distance: Mean Hamming distance of their chunk fingerprints; 0 when word for word.
    """

    query: Span
    hit: Span
    distance: int


@dataclass(frozen=True)
class Relation:
    """One answer, the same from Python and the command line.

    Attributes:
        id: Of the hit; None when two texts were compared.
        kind: exact, version, contains (the query contains the hit), excerpt_of (the query is an
            excerpt of the hit), shares_passages, semantic (about the same in other words);
            `none` only from `compare`.
        score: From 0 to 1; versions start at 0.6, semantic neighbours end there.
        coverage: How much of each stands in the other.
        evidence: The passages they share, longest first; of a semantic neighbour the pair of
            passages that are nearest in meaning.
        index: Index of the hit.
        source: Fields of the hit that were asked for.
        truncated: True when a limit cut the candidates this relation was chosen from.
        meaning: What both are about, when meanings were compared.
        copies: Further neighbours, not shown, that are versions of this one.
    """

    id: str | None
    kind: Kind
    score: float
    coverage: Coverage
    evidence: tuple[SharedPassage, ...] = ()
    index: str | None = None
    source: dict[str, Any] = field(default_factory=dict)
    truncated: bool = False
    meaning: SharedMeaning | None = None
    copies: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the relation as it is printed in JSON."""
        return asdict(self)


class Answer(list[Relation]):
    """What is related to one query, best first; a list in every way.

    Attributes:
        truncated: True when a limit cut the candidates, even if nothing that was left is shown.
    """

    def __init__(self, relations: Iterable[Relation] = (), *, truncated: bool = False) -> None:
        super().__init__(relations)
        self.truncated = truncated


@dataclass(frozen=True)
class Candidate:
    """A document that may be related to the query.

    Attributes:
        id: Of the document.
        chunks: Its chunk fingerprints.
        shared: Positions, among the passages asked for, of those it has.
        same_content: True when the content hashes are equal.
        within_k: True when the document fingerprints are within the promised distance.
        index: Index of the document.
    """

    id: str | None
    chunks: StoredChunks
    shared: NDArray[np.int64]
    same_content: bool = False
    within_k: bool = False
    index: str | None = None


def relate(query: TextFingerprints, asked: int, candidates: Sequence[Candidate]) -> list[Relation]:
    """Judge all candidates of one query, without evidence; those of kind `none` are kept.

    Args:
        query: Fingerprints of the query; not empty.
        asked: How many of its passages were asked for, the smallest numbers first.
        candidates: What was found; how many share a passage tells how rare it is.
    """
    if not candidates:
        return []
    rarity = _rarity(asked, candidates)
    resembling = _resemblances(query, candidates)
    return [
        _judge(query, candidate, rarity, chunks)
        for candidate, chunks in zip(candidates, resembling, strict=True)
    ]


def semantic_score(similarity: float) -> float:
    """Give the score of a similarity in meaning, from 0 to just below that of versions."""
    score: float = round(VERSION_SCORE * similarity**MEANING_POWER, 4)
    return min(score, VERSION_SCORE - 0.0001)


def _rarity(asked: int, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Weight of each passage asked for: 1, or RARE over its document frequency.

    The frequency is counted over the candidates and the query. Those are the documents with the
    most shared passages, so a passage that many of them have is a template or boilerplate.
    """
    frequency = np.ones(asked)
    for candidate in candidates:
        frequency[candidate.shared] += 1
    return _weight(frequency)


def _weight(frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    weight: NDArray[np.float64] = np.minimum(1, RARE / frequency)
    return weight


@dataclass(frozen=True)
class _Resemblance:
    """How far the chunks of the query and of a hit resemble each other, from 0 to 1."""

    coverage: Coverage
    rare: float


def _resemblances(query: TextFingerprints, candidates: Sequence[Candidate]) -> list[_Resemblance]:
    """Compare the chunks of the query with those of all candidates in one matrix product."""
    counts = [len(candidate.chunks.fingerprints) for candidate in candidates]
    bounds = np.concatenate([[0], np.cumsum(counts)])
    everything = np.concatenate([candidate.chunks.fingerprints for candidate in candidates])
    near = _nearest(query.chunks, everything, bounds)
    bits = query.chunks.shape[1] * 8
    rarity = _weight(1.0 + (near.of_query <= SAME_CHUNK).sum(axis=1))
    weights = rarity * query.chunk_characters
    of_query = similarity(near.of_query, bits)
    of_hits = similarity(near.of_hits, bits)
    counterparts = rarity[near.counterparts]
    found = []
    for column, candidate in enumerate(candidates):
        chunks = slice(bounds[column], bounds[column + 1])
        lengths = candidate.chunks.characters
        alike, other = of_query[:, column], of_hits[chunks]
        common = (other * lengths * counterparts[chunks]).sum()
        rare_hit = common / max(1e-9, common + ((1 - other) * lengths).sum())
        coverage = Coverage(
            float((alike * query.chunk_characters).sum() / query.chunk_characters.sum()),
            float((other * lengths).sum() / lengths.sum()),
        )
        found.append(
            _Resemblance(coverage, max(float((alike * weights).sum() / weights.sum()), rare_hit))
        )
    return found


@dataclass(frozen=True)
class _Nearest:
    """Least distances: of each query chunk in each hit, and of each chunk of the hits."""

    of_query: NDArray[np.int64]
    of_hits: NDArray[np.int64]
    counterparts: NDArray[np.int64]


def _nearest(query: Fingerprints, hits: Fingerprints, bounds: NDArray[np.int64]) -> _Nearest:
    """Find the least distances, some rows at a time, so that long texts need little memory."""
    of_query = np.empty((len(query), len(bounds) - 1), np.int64)
    of_hits = np.full(len(hits), query.shape[1] * 8)
    counterparts = np.zeros(len(hits), np.int64)
    rows = max(1, _CELLS // len(hits))
    for start in range(0, len(query), rows):
        distances = hamming_distances(query[start : start + rows], hits)
        of_query[start : start + rows] = np.minimum.reduceat(distances, bounds[:-1], axis=1)
        least = distances.min(axis=0)
        nearer = least < of_hits
        counterparts[nearer] = distances.argmin(axis=0)[nearer] + start
        of_hits = np.minimum(of_hits, least)
    return _Nearest(of_query, of_hits, counterparts)


def similarity(distances: NDArray[np.int64], bits: int) -> NDArray[np.float64]:
    """Turn Hamming distances of chunks into similarities from 0 (different) to 1 (equal).

    The share of differing bits estimates the angle between the feature vectors (Charikar 2002).
    """
    cosine = np.cos(np.pi * distances / bits)
    scaled: NDArray[np.float64] = (cosine - DIFFERENT_COSINE) / (EQUAL_COSINE - DIFFERENT_COSINE)
    return np.clip(scaled, 0, 1)


def _judge(
    query: TextFingerprints,
    candidate: Candidate,
    rarity: NDArray[np.float64],
    resemblance: _Resemblance,
) -> Relation:
    if candidate.same_content:
        return Relation(candidate.id, "exact", 1.0, Coverage(1.0, 1.0), index=candidate.index)
    copied = _copied(query, candidate, rarity)
    score = copied + (1 - copied) * RESEMBLANCE_WEIGHT * resemblance.rare
    if candidate.within_k and resemblance.rare >= RESEMBLING:
        score = max(score, VERSION_SCORE)
    coverage = resemblance.coverage
    score = round(min(float(score), 1.0), 4)
    coverage = Coverage(round(coverage.of_query, 4), round(coverage.of_hit, 4))
    return Relation(candidate.id, _kind(score, coverage), score, coverage, index=candidate.index)


def _copied(query: TextFingerprints, candidate: Candidate, rarity: NDArray[np.float64]) -> float:
    """Containment of the passages, weighted by rarity: the greater of the two directions.

    Only passages picked by the larger of the two windows can be told apart in both texts. The
    hit's own passages that the query lacks are not known one by one; each counts 1.
    """
    counts = candidate.chunks.passage_counts
    asked = query.levels[: len(rarity)]
    level = max(int(query.levels.min(initial=3)), int(np.argmax(counts > 0)))
    comparable = asked >= level
    shared = candidate.shared[comparable[candidate.shared]]
    if not len(shared):
        return 0.0
    weight = float(rarity[shared].sum())
    scale = len(query.passages) / len(rarity)
    others = max(0.0, float(counts[level]) - len(shared) * scale)
    of_hit = weight * scale / (weight * scale + others)
    return max(weight / float(rarity[comparable].sum()), of_hit)


def _kind(score: float, coverage: Coverage) -> Kind:
    if score < SHARED_SCORE:
        return "none"
    if score < VERSION_SCORE:
        return "shares_passages"
    of_query, of_hit = coverage.of_query, coverage.of_hit
    if of_hit >= CONTAINED_COVERAGE and of_query <= of_hit * CONTAINED_RATIO:
        return "contains"
    if of_query >= CONTAINED_COVERAGE and of_hit <= of_query * CONTAINED_RATIO:
        return "excerpt_of"
    return "version"
