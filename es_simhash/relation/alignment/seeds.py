"""Seeds of passages: pairs of sentences that share rare words or a run of equal words."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.relation.alignment.sentence_words import EqualRuns, SentenceWords
from es_simhash.relation.alignment.sorted_arrays import (
    is_among,
    products,
    shared_places,
    sorted_unique,
)
from es_simhash.relation.interruption import require_wanted
from es_simhash.relation.thresholds import SEED_CLEARNESS, SEED_COSINE, SEED_DICE
from es_simhash.text.tokens import Ints

# Pairs of sentences that are looked at for one word each, for each sentence of the two texts: the
# commonest words are left out of both texts where there are more.
PAIRS_PER_SENTENCE, MAX_PAIRS = 400, 8_000_000
# Seeds that are kept for each sentence, the strongest: a table of numbers resembles itself.
_SEEDS_PER_SENTENCE = 4
# Of a run that two texts repeat, so many pairs of places are seeds.
_MAX_REPEATED = 16
# Up to so many pairs of sentences, a table of all of them is faster than sorting.
_DENSE = 1 << 22


class Seeds(NamedTuple):
    """Pairs of sentences that may belong to a passage.

    Attributes:
        query: The sentences of the query.
        hit: The sentences of the hit.
        information: Weight of the words both have, in nats; infinite for equal runs.
    """

    query: Ints
    hit: Ints
    information: NDArray[np.float64]


def seeds(query: SentenceWords, hit: SentenceWords, runs: EqualRuns) -> Seeds:
    """Return the seeds of the passages of two texts.

    Sentences resemble as those of Sanchez-Perez, Sidorov and Gelbukh (PAN 2014) do: by the cosine
    of their rare words and by the share of their words.

    Args:
        query: A text.
        hit: Another.
        runs: Their equal runs.
    """
    require_wanted()
    resembling, cosines, information = _resembling(query, hit)
    require_wanted()
    copied = _copied(query, hit, runs)
    information[is_among(resembling, copied)] = np.inf
    copied = copied[~is_among(copied, resembling)]
    pairs = np.concatenate([resembling, copied])
    strengths = np.concatenate([cosines, np.full(len(copied), SEED_COSINE)])
    information = np.concatenate([information, np.full(len(copied), np.inf)])
    first, second = np.divmod(pairs, max(1, hit.count))
    best = np.minimum(
        _best(first, strengths, query.count)[first], _best(second, strengths, hit.count)[second]
    )
    clear = np.flatnonzero(strengths >= SEED_CLEARNESS * best)
    most = _SEEDS_PER_SENTENCE * (query.count + hit.count)
    if len(clear) > most:
        weakest = np.sort(strengths[clear])[-most]
        clear = clear[strengths[clear] > weakest]
    return Seeds(first[clear], second[clear], information[clear])


def _best(places: Ints, strengths: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the greatest strength of each sentence of one text."""
    best = np.zeros(count)
    np.maximum.at(best, places, strengths)
    return best


def _resembling(
    query: SentenceWords, hit: SentenceWords
) -> tuple[Ints, NDArray[np.float64], NDArray[np.float64]]:
    """Return the resembling pairs, their cosines, and the weight of the words both have.

    A pair is a number: query sentence * sentences of the hit + hit sentence.
    """
    ours, theirs = shared_places(query.seldom_words, hit.seldom_words)
    ours, theirs = query.seldom[ours], hit.seldom[theirs]
    kept = _within_budget(query, hit, ours, theirs)
    (our_counts, our_norms), (their_counts, their_norms) = (
        _measures(text, places[~kept]) for text, places in ((query, ours), (hit, theirs))
    )
    ours, theirs = ours[kept], theirs[kept]
    pairs, word = _pairs(query, hit, ours, theirs)
    weights = query.weights[ours] * hit.weights[theirs]
    require_wanted()
    cells, dots, common, places = pair_sums(pairs, weights[word], query.count * hit.count)
    require_wanted()
    first, second = np.divmod(cells, max(1, hit.count))
    scales = our_norms[first] * their_norms[second]
    similar = dots >= SEED_COSINE * scales
    similar &= 2 * common >= SEED_DICE * (our_counts[first] + their_counts[second])
    similar &= dots > 0
    seed_cells = cells[similar]
    among = similar[places]
    known = (np.cumsum(similar) - 1)[places[among]]
    halves = (query.weights[ours] + hit.weights[theirs])[word[among]] / 2
    information = np.bincount(known, halves, minlength=len(seed_cells))
    return seed_cells, dots[similar] / scales[similar], np.asarray(information, np.float64)


def _within_budget(
    query: SentenceWords, hit: SentenceWords, ours: Ints, theirs: Ints
) -> NDArray[np.bool_]:
    """Return which of the shared words are looked at: the rarest, as far as the budget goes."""
    sizes = query.frequencies[ours] * hit.frequencies[theirs]
    budget = min(MAX_PAIRS, PAIRS_PER_SENTENCE * (query.count + hit.count))
    if int(sizes.sum()) <= budget:
        return np.ones(len(sizes), bool)
    ordered = np.sort(sizes)
    most = ordered[int(np.searchsorted(np.cumsum(ordered), budget, side="right"))]
    # Words of one size are looked at or not together, so that both sides do the same.
    kept: NDArray[np.bool_] = sizes < most
    return kept


def _measures(
    text: SentenceWords, left_out: Ints
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many words each sentence has, and the norm of their weights.

    Args:
        text: The text.
        left_out: Words that do not count.
    """
    if not len(left_out):
        return text.sizes, text.norms
    counted = text.compared.copy()
    counted[left_out] = 0
    return text.sums(counted), np.sqrt(text.sums(counted * text.weights**2))


def _pairs(query: SentenceWords, hit: SentenceWords, ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Return each pair of sentences that share a word, and which of the words it is."""
    word, first, second = products(query.frequencies[ours], hit.frequencies[theirs])
    in_query = query.sentences[query.postings[ours][word] + first]
    in_hit = hit.sentences[hit.postings[theirs][word] + second]
    return in_query * max(1, hit.count) + in_hit, word


class PairSums(NamedTuple):
    """The distinct pairs among many.

    Attributes:
        pairs: The distinct pairs, ascending.
        sums: Sum of the values of each.
        counts: How often each occurs.
        places: Which of them each of the many is.
    """

    pairs: Ints
    sums: NDArray[np.float64]
    counts: Ints
    places: Ints


def pair_sums(pairs: Ints, values: NDArray[np.float64], cells: int) -> PairSums:
    """Return the distinct pairs, with the sum of the values of each."""
    if cells > _DENSE:
        distinct, places = np.unique(pairs, return_inverse=True)
        sums = np.asarray(np.bincount(places, values), np.float64)
        return PairSums(distinct, sums, np.bincount(places), places)
    counts = np.bincount(pairs, minlength=cells)
    # Of numbers, it takes several times as long.
    is_present = counts > 0
    present = np.flatnonzero(is_present)
    sums = np.asarray(np.bincount(pairs, values, minlength=cells), np.float64)
    places = (np.cumsum(is_present) - 1)[pairs]
    return PairSums(present, sums[present], counts[present], places)


def _copied(query: SentenceWords, hit: SentenceWords, runs: EqualRuns) -> Ints:
    """Return the pairs of sentences in which a run of equal tokens begins."""
    seldom = runs.often <= _MAX_REPEATED
    often = runs.in_query[seldom]
    places = np.repeat(query.runs.bounds[runs.numbers[seldom]], often) + ranks_within(often)
    in_query = query.sentence_of(query.runs.starts[places])
    in_hit = hit.sentence_of(np.repeat(runs.starts[seldom], often))
    return sorted_unique(in_query * max(1, hit.count) + in_hit)
