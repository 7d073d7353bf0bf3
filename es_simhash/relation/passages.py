"""Evidence: the passages two texts share, side by side, with offsets in both originals."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints import features
from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.fingerprints.scheme import SHINGLE_TOKENS, Scheme
from es_simhash.fingerprints.simhash import group_fingerprints, hamming_distances
from es_simhash.relation.model import SharedPassage, Span
from es_simhash.text.offsets import original_offsets
from es_simhash.text.segmentation import Ints, normalise, segment

# Chunks farther apart than this say nothing to a reader, whatever little they add to the score.
READABLE_DISTANCE = 32
# Shorter runs of equal words are turns of phrase.
LEAST_WORDS = 6


@dataclass(frozen=True)
class ReadText:
    """A text with its tokens and chunks, ready to be laid beside another.

    Attributes:
        original: The text itself.
        tokens: Numbers of the tokens.
        starts: Offset of each token in the original.
        ends: Offset of the end of each token in the original.
        chunks: Bounds of the chunks in tokens.
        fingerprints: Chunk fingerprints.
    """

    original: str
    tokens: Uint64s
    starts: Ints
    ends: Ints
    chunks: Ints
    fingerprints: NDArray[np.uint8]

    def span(self, first: int, last: int) -> Span:
        """Return the stretch from the first token to the one before `last`."""
        start, end = int(self.starts[first]), int(self.ends[last - 1])
        return Span(start, end, self.original[start:end])


def read(original: str, scheme: Scheme) -> ReadText:
    """Find tokens, chunks and their places in the original."""
    parts = segment([normalise(original)], scheme)
    places = original_offsets(original)
    kept = parts.kept if parts.kept is not None else np.arange(len(parts.codes))
    # The end of a token is the offset after its last character, not that of the next one kept.
    last = np.minimum(kept[parts.ends - 1] + 1, len(places) - 1)
    characters = features.chunk_characters(parts)
    return ReadText(
        original,
        token_numbers(parts),
        places[np.minimum(kept[parts.starts], len(places) - 1)],
        np.maximum(places[last], places[kept[parts.ends - 1]] + 1),
        parts.chunks,
        group_fingerprints(characters.features, characters.bounds, 128),
    )


def shared_passages(query: ReadText, hit: ReadText, most: int = 5) -> tuple[SharedPassage, ...]:
    """Return the longest stretches the two texts share: word for word first, then reworded ones."""
    if not len(query.tokens) or not len(hit.tokens):
        return ()
    runs = _equal_runs(query.tokens, hit.tokens)
    longest = sorted(runs, key=lambda run: -run[2])[:most]
    found = [
        SharedPassage(query.span(a, a + size), hit.span(b, b + size), 0) for a, b, size in longest
    ]
    if len(found) < most:
        covered = np.zeros(len(query.tokens), bool)
        for a, _, size in runs:
            covered[a : a + size] = True
        found += _reworded(query, hit, covered)[: most - len(found)]
    return tuple(found)


def _equal_runs(query: Uint64s, hit: Uint64s) -> list[tuple[int, int, int]]:
    """Runs of equal tokens as (query token, hit token, length), none inside another of the query.

    Runs of four tokens are looked up in the hit; neighbours on one diagonal make a longer run.
    """
    length = min(SHINGLE_TOKENS, len(query), len(hit))
    ours, theirs = fold(query, length), fold(hit, length)
    order = np.argsort(theirs, kind="stable")
    ordered = theirs[order]
    first = np.searchsorted(ordered, ours, side="left")
    present = first < len(ordered)
    present[present] = ordered[first[present]] == ours[present]
    runs = []
    covered = 0
    for start in np.flatnonzero(present).tolist():
        if start < covered:
            continue
        stop = np.searchsorted(ordered, ours[start], side="right")
        size, place = max(
            (_run_length(query, hit, start, int(other)), -int(other))
            for other in order[first[start] : min(stop, first[start] + 16)]
        )
        covered = start + size
        if size >= min(LEAST_WORDS, len(query), len(hit)):
            runs.append((start, -place, size))
    return runs


def _run_length(query: Uint64s, hit: Uint64s, start: int, other: int) -> int:
    most = min(len(query) - start, len(hit) - other)
    step = 64
    length = 0
    while length < most:
        size = min(step, most - length)
        ours = query[start + length : start + length + size]
        equal = ours == hit[other + length : other + length + size]
        if not equal.all():
            return length + int(equal.argmin())
        length += size
        step *= 2
    return length


def _reworded(
    query: ReadText, hit: ReadText, covered: NDArray[np.bool_]
) -> Sequence[SharedPassage]:
    """Chunks of the query that resemble one of the hit and are not told word for word already."""
    distances = hamming_distances(query.fingerprints, hit.fingerprints)
    nearest = distances.argmin(axis=1)
    found = []
    for chunk in np.argsort(distances.min(axis=1), kind="stable").tolist():
        distance = int(distances[chunk, nearest[chunk]])
        if distance > READABLE_DISTANCE:
            break
        first, last = int(query.chunks[chunk]), int(query.chunks[chunk + 1])
        if covered[first:last].mean() > 0.5:
            continue
        other = int(nearest[chunk])
        stretch = hit.span(int(hit.chunks[other]), int(hit.chunks[other + 1]))
        found.append(SharedPassage(query.span(first, last), stretch, distance))
    return found


def marked(passage: SharedPassage) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return the words of both sides, each with whether the other side has it in the same order."""
    ours, theirs = passage.query.text.split(), passage.hit.text.split()
    matcher = SequenceMatcher(None, [w.casefold() for w in ours], [w.casefold() for w in theirs])
    blocks = matcher.get_matching_blocks()
    in_ours = {block.a + offset for block in blocks for offset in range(block.size)}
    in_theirs = {block.b + offset for block in blocks for offset in range(block.size)}
    return (
        [(word, place in in_ours) for place, word in enumerate(ours)],
        [(word, place in in_theirs) for place, word in enumerate(theirs)],
    )
