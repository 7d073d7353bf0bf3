"""Passages that two texts share, aligned, with offsets in both originals."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.fingerprints.scheme import SHINGLE_TOKENS
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import SharedPassage
from es_simhash.relation.thresholds import MIN_PASSAGE_WORDS, READABLE_DISTANCE


def shared_passages(
    query: AnalysedText, hit: AnalysedText, most: int = 5
) -> tuple[SharedPassage, ...]:
    """Return the longest stretches two texts share: word for word first, then reworded ones."""
    ours, theirs = query.tokens.numbers, hit.tokens.numbers
    if not len(ours) or not len(theirs):
        return ()
    runs = _equal_runs(ours, theirs)
    longest = sorted(runs, key=lambda run: -run[2])[:most]
    passages = [
        SharedPassage(query.span(start, start + size), hit.span(place, place + size), 0)
        for start, place, size in longest
    ]
    if len(passages) < most:
        covered = np.zeros(len(ours), bool)
        for start, _, size in runs:
            covered[start : start + size] = True
        passages += _reworded(query, hit, covered)[: most - len(passages)]
    return tuple(passages)


def _equal_runs(query: Uint64s, hit: Uint64s) -> list[tuple[int, int, int]]:
    """Return runs of equal tokens: (query token, hit token, length), none inside another.

    Runs of four tokens are looked up in the hit; neighbours on one diagonal make a longer run.
    """
    length = min(SHINGLE_TOKENS, len(query), len(hit))
    query_shingles, hit_shingles = fold(query, length), fold(hit, length)
    order = np.argsort(hit_shingles, kind="stable")
    ordered = hit_shingles[order]
    first = np.searchsorted(ordered, query_shingles, side="left")
    present = first < len(ordered)
    present[present] = ordered[first[present]] == query_shingles[present]
    runs = []
    covered = 0
    for start in np.flatnonzero(present).tolist():
        if start < covered:
            continue
        stop = np.searchsorted(ordered, query_shingles[start], side="right")
        size, place = max(
            (_run_length(query, hit, start, int(position)), -int(position))
            for position in order[first[start] : min(stop, first[start] + 16)]
        )
        covered = start + size
        if size >= min(MIN_PASSAGE_WORDS, len(query), len(hit)):
            runs.append((start, -place, size))
    return runs


def _run_length(query: Uint64s, hit: Uint64s, start: int, position: int) -> int:
    most = min(len(query) - start, len(hit) - position)
    step = 64
    length = 0
    while length < most:
        size = min(step, most - length)
        stretch = query[start + length : start + length + size]
        equal = stretch == hit[position + length : position + length + size]
        if not equal.all():
            return length + int(equal.argmin())
        length += size
        step *= 2
    return length


def _reworded(
    query: AnalysedText, hit: AnalysedText, covered: NDArray[np.bool_]
) -> Sequence[SharedPassage]:
    """Return chunks of the query that resemble one of the hit and are not shown already."""
    distances = hamming_distances(query.chunk_fingerprints, hit.chunk_fingerprints)
    nearest = distances.argmin(axis=1)
    passages = []
    for chunk in np.argsort(distances.min(axis=1), kind="stable").tolist():
        distance = int(distances[chunk, nearest[chunk]])
        if distance > READABLE_DISTANCE:
            break
        first, end = query.tokens.chunks[chunk : chunk + 2].tolist()
        if covered[first:end].mean() > 0.5:
            continue
        counterpart = hit.chunk_span(int(nearest[chunk]))
        passages.append(SharedPassage(query.span(first, end), counterpart, distance))
    return passages


def marked_words(
    passage: SharedPassage,
) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return the words of both sides, each with whether the other has it in the same order."""
    query, hit = passage.query.text.split(), passage.hit.text.split()
    matcher = SequenceMatcher(
        None, [word.casefold() for word in query], [word.casefold() for word in hit]
    )
    blocks = matcher.get_matching_blocks()
    in_query = {block.a + offset for block in blocks for offset in range(block.size)}
    in_hit = {block.b + offset for block in blocks for offset in range(block.size)}
    return (
        [(word, place in in_query) for place, word in enumerate(query)],
        [(word, place in in_hit) for place, word in enumerate(hit)],
    )
