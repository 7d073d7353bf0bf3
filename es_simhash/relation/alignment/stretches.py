"""Two stretches of two texts: how much they have in common, and where what is copied ends."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_TOKENS
from es_simhash.fingerprints.hashing import Uint64s, fold
from es_simhash.relation.alignment.sentence_words import EqualRuns, SentenceWords
from es_simhash.relation.alignment.sorted_arrays import is_among, shared_places, sorted_unique
from es_simhash.relation.thresholds import (
    COPIED_RUN,
    EDITED_KEPT,
    PASSAGE_INFORMATION,
    PASSAGE_LETTERS,
    PASSAGE_SHARE,
    SHORT_INFORMATION,
    SHORT_LETTERS,
    TRIMMED_COPIED,
    TRIMMED_RELATED,
    VERBATIM_KEPT,
    ReuseKind,
)
from es_simhash.text.tokens import Ints

Mask = NDArray[np.bool_]


def least_information(one: float, others: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the information that a passage has at least, of one text with each of others.

    Args:
        one: Information of a text, in nats.
        others: That of the others.
    """
    shares = PASSAGE_SHARE * np.minimum(one, others)
    return np.clip(shares, SHORT_INFORMATION, PASSAGE_INFORMATION)


def least_letters(shorter: int) -> float:
    """Return the letters in equal runs that a verbatim passage has at least.

    Args:
        shorter: Letters of the shorter text.
    """
    return float(np.clip(PASSAGE_SHARE * shorter, SHORT_LETTERS, PASSAGE_LETTERS))


class Stretches(NamedTuple):
    """Bounds of two stretches that go together, in tokens of either text."""

    query_start: int
    query_end: int
    hit_start: int
    hit_end: int

    @property
    def sides(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Bounds in the query, and in the hit."""
        return (self.query_start, self.query_end), (self.hit_start, self.hit_end)


class Agreement(NamedTuple):
    """The agreement of two stretches.

    Attributes:
        cosine: Cosine of their weighted words, from 0 to 1.
        information: Weight of the words they share, in nats, as far as chance does not explain it.
        kept: Share of their tokens that is in equal runs of four, from 0 to 1.
        letters: Letters of these, of the stretch that has fewer.
    """

    cosine: float
    information: float
    kept: float
    letters: int

    @property
    def kind(self) -> ReuseKind:
        """The way in which one was made from the other."""
        if self.kept >= VERBATIM_KEPT:
            return "verbatim"
        return "edited" if self.kept >= EDITED_KEPT else "paraphrased"

    @property
    def score(self) -> float:
        """Likeness from 0 to 1: what is kept, and the cosine of the rest."""
        return self.kept + (1 - self.kept) * self.cosine


@dataclass(frozen=True)
class TextPair:
    """Two texts that are aligned."""

    query: SentenceWords
    hit: SentenceWords

    @cached_property
    def least_information(self) -> float:
        """Information that a passage of them has at least, in nats."""
        return float(least_information(self.query.information, self.hit.information))

    @cached_property
    def least_letters(self) -> float:
        """Letters that a verbatim passage of them has at least."""
        return least_letters(min(int(self.query.letters[-1]), int(self.hit.letters[-1])))

    @cached_property
    def runs(self) -> EqualRuns:
        """Their equal runs."""
        return EqualRuns.of(self.query, self.hit)

    @cached_property
    def copied(self) -> tuple[Mask, Mask]:
        """Whether each token of either text is in a run of equal tokens."""
        query, hit = self.query, self.hit
        return (
            _spread(self.runs.query_starts(query), len(query.tokens), COPIED_RUN),
            _spread(self.runs.starts, len(hit.tokens), COPIED_RUN),
        )

    @cached_property
    def shared_words(self) -> tuple[Ints, Ints]:
        """For each token of either text its word, as a number in both; -1 for one of one text."""
        ours, theirs = shared_places(self.query.words, self.hit.words)
        numbers = []
        for text, shared in ((self.query, ours), (self.hit, theirs)):
            number = np.full(len(text.words), -1)
            number[shared] = np.arange(len(shared))
            numbers.append(number[text.places])
        return numbers[0], numbers[1]

    def agreement(self, at: Stretches) -> Agreement:
        """Return how much two stretches have in common."""
        query, hit = self.query, self.hit
        ours = sorted_unique(query.places[at.query_start : at.query_end])
        theirs = sorted_unique(hit.places[at.hit_start : at.hit_end])
        first, second = shared_places(query.words[ours], hit.words[theirs])
        our_weights, their_weights = query.weights[ours], hit.weights[theirs]
        norm = float(np.sqrt((our_weights @ our_weights) * (their_weights @ their_weights)))
        cosine = float(our_weights[first] @ their_weights[second]) / norm if norm else 0.0
        surprise = query.surprise(ours[first], at.hit_end - at.hit_start)
        surprise += hit.surprise(theirs[second], at.query_end - at.query_start)
        information = float(surprise.sum()) / 2
        kept = in_equal_runs(
            query.tokens[at.query_start : at.query_end],
            hit.tokens[at.hit_start : at.hit_end],
            SHINGLE_TOKENS,
        )
        letters = min(
            int(text.token_letters[start:end][mask].sum())
            for text, start, end, mask in (
                (query, at.query_start, at.query_end, kept[0]),
                (hit, at.hit_start, at.hit_end, kept[1]),
            )
        )
        share = (kept[0].sum() + kept[1].sum()) / (len(kept[0]) + len(kept[1]))
        return Agreement(min(1.0, cosine), information, float(share), letters)

    def copied_letters(self, at: Stretches) -> int:
        """Return the letters of two stretches in runs of equal tokens, of the one with fewer."""
        return min(
            int(text.token_letters[start:end][copied[start:end]].sum())
            for text, copied, (start, end) in zip(
                (self.query, self.hit), self.copied, at.sides, strict=True
            )
        )

    def trimmed(self, at: Stretches) -> Stretches:
        """Return the stretches from the first to the last equal run, where they are a copy.

        They are where the runs are most of what is left and what is cut off is about other things.
        """
        ours = np.flatnonzero(self.copied[0][at.query_start : at.query_end])
        theirs = np.flatnonzero(self.copied[1][at.hit_start : at.hit_end])
        if not len(ours) or not len(theirs):
            return at
        inner = Stretches(
            at.query_start + int(ours[0]),
            at.query_start + int(ours[-1]) + 1,
            at.hit_start + int(theirs[0]),
            at.hit_start + int(theirs[-1]) + 1,
        )
        if min(_density(ours), _density(theirs)) < TRIMMED_COPIED:
            return at
        if self._related_outside(inner, at) > TRIMMED_RELATED:
            return at
        (first, last), (start, end) = (
            _whole_runs(copied, *side)
            for copied, side in zip(self.copied, inner.sides, strict=True)
        )
        return Stretches(first, last, start, end)

    def _related_outside(self, inner: Stretches, outer: Stretches) -> float:
        """Return the share of what lies between two stretches that has a counterpart."""
        related = total = 0.0
        for side, text in enumerate((self.query, self.hit)):
            (first, last), (start, end) = outer.sides[side], inner.sides[side]
            low, high = outer.sides[1 - side]
            rest = np.r_[first:start, end:last]
            words, there = self.shared_words[side][rest], self.shared_words[1 - side][low:high]
            weights = text.weights[text.places[rest]]
            related += float(weights[(words >= 0) & is_among(words, there)].sum())
            total += float(weights.sum())
        return related / total if total else 0.0


def _whole_runs(copied: Mask, start: int, end: int) -> tuple[int, int]:
    """Return a stretch with the whole of the equal runs at its ends.

    Sentences of a text without punctuation may end inside of what was copied.
    """
    others = np.flatnonzero(~copied)
    before, behind = np.searchsorted(others, [start, end])
    first = int(others[before - 1]) + 1 if before else 0
    last = int(others[behind]) if behind < len(others) else len(copied)
    return first, last


def _density(places: Ints) -> float:
    return len(places) / int(places[-1] - places[0] + 1)


def in_equal_runs(query: Uint64s, hit: Uint64s, length: int) -> tuple[Mask, Mask]:
    """Return whether each token of either text is in a run of so many that the other has."""
    ours, theirs = fold(query, length), fold(hit, length)
    return (
        _spread(np.flatnonzero(is_among(ours, theirs)), len(query), length),
        _spread(np.flatnonzero(is_among(theirs, ours)), len(hit), length),
    )


def _spread(places: Ints, size: int, length: int) -> Mask:
    """Return which tokens are in a run of a length that begins at one of the places."""
    steps = np.zeros(size + 1, np.int64)
    steps[places] += 1
    steps[places + length] -= 1
    return np.cumsum(steps[:-1]) > 0
