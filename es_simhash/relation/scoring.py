"""How two texts are related: copied, resembling, score, kind.

The thresholds were chosen on their plateau over several collections at once, see docs/relations.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.model import (
    SHARED_SCORE,
    SHOWN_SCORE,
    VERSION_SCORE,
    Coverage,
    Kind,
    Relation,
)
from es_simhash.relation.resemblance import Resemblance, rarity_weight, resemblances

# A share counted on few passages is unsure: what the chunks say counts like this many more, so that
# one passage of a short text, found in a long one, makes no version.
_PRIOR_SHINGLES = 1.5
# Resembling text adds a quarter of its share to what is copied word for word.
RESEMBLANCE_WEIGHT = 0.25
# Versions begin where this much of a text is copied or resembles: half of it.
_VERSION_SHARE = 0.5
# Where a token is a character, four in a row are two words, and any two texts have more of them in
# common. Scripts with spaces have four characters a token and more, the space among them.
_VERSION_SHARE_OF_CHARACTERS = 0.65
_CHARACTERS_A_WORD = 3
# A document within the promised Hamming distance is a version when its chunks resemble as well.
RESEMBLING = 0.7
# One text lies in the other when its share is this high, and the other's at most this part of it.
CONTAINED_COVERAGE, CONTAINED_RATIO = 0.6, 0.5
# Marks of the score; the shares of a text that stand for them depend on its script.
_SCALE = (0, SHOWN_SCORE, VERSION_SCORE, 1)


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
    chunks: ChunkFingerprints
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
    resembling = resemblances(query, [each.chunks for each in candidates])
    marks = (0, SHOWN_SCORE, _version_share(query), 1)
    return [
        _judge(query, candidate, rarity, chunks, marks)
        for candidate, chunks in zip(candidates, resembling, strict=True)
    ]


def _rarity(asked: int, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Weight of each passage asked for: 1, or RARE over its document frequency.

    The frequency is counted over the candidates and the query. Those are the documents with the
    most shared passages, so a passage that many of them have is a template or boilerplate.
    """
    frequency = np.ones(asked)
    for candidate in candidates:
        frequency[candidate.shared] += 1
    return rarity_weight(frequency)


def _judge(
    query: TextFingerprints,
    candidate: Candidate,
    rarity: NDArray[np.float64],
    resemblance: Resemblance,
    marks: tuple[float, ...],
) -> Relation:
    if candidate.same_content:
        return Relation(candidate.id, "exact", 1.0, Coverage(1.0, 1.0), index=candidate.index)
    copied = _copied(query, candidate, rarity, resemblance.rare)
    share = copied + (1 - copied) * RESEMBLANCE_WEIGHT * resemblance.rare
    score = float(np.interp(share, marks, _SCALE))
    if candidate.within_k and resemblance.rare >= RESEMBLING:
        score = max(score, VERSION_SCORE)
    coverage = resemblance.coverage
    score = round(score, 4)
    coverage = Coverage(round(coverage.of_query, 4), round(coverage.of_hit, 4))
    return Relation(candidate.id, _kind(score, coverage), score, coverage, index=candidate.index)


def _version_share(query: TextFingerprints) -> float:
    """Share from which on texts like the query are versions."""
    width = query.chunk_characters.sum() / query.tokens
    return _VERSION_SHARE if width > _CHARACTERS_A_WORD else _VERSION_SHARE_OF_CHARACTERS


def _copied(
    query: TextFingerprints, candidate: Candidate, rarity: NDArray[np.float64], resembling: float
) -> float:
    """Containment of the passages, weighted by rarity: the greater of the two directions.

    Only passages picked by the larger of the two windows can be told apart in both texts. The
    hit's own passages that the query lacks are not known one by one; each counts 1.
    """
    counts = candidate.chunks.shingle_counts
    asked = query.levels[: len(rarity)]
    level = max(int(query.levels.min(initial=3)), int(np.argmax(counts > 0)))
    comparable = asked >= level
    shared = candidate.shared[comparable[candidate.shared]]
    if not len(shared):
        return 0.0
    weight = float(rarity[shared].sum())
    scale = len(query.shingles) / len(rarity)
    others = max(0.0, float(counts[level]) - len(shared) * scale)
    of_query = _steadied(weight, float(rarity[comparable].sum()), resembling)
    of_hit = _steadied(weight * scale, weight * scale + others, resembling)
    return max(of_query, of_hit)


def _steadied(part: float, whole: float, prior: float) -> float:
    return (part + _PRIOR_SHINGLES * prior) / (whole + _PRIOR_SHINGLES)


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
