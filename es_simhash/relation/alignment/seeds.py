"""Seeds of passages: pairs of sentences that share rare words or a run of equal words."""

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.alignment.sentences import SentenceWords, products, shared_places
from es_simhash.relation.thresholds import SEED_CLEARNESS, SEED_COSINE, SEED_DICE
from es_simhash.text.segmentation import Ints

# Pairs of sentences that are looked at for one word each, for each sentence of the two texts: the
# commonest words are left out of both texts where there are more.
_PAIRS_PER_SENTENCE, _MAX_PAIRS = 400, 8_000_000
# Seeds that are kept for each sentence, the strongest: a table of numbers resembles itself.
_SEEDS_PER_SENTENCE = 4
# Of a run that two texts repeat, so many pairs of places are seeds.
_MAX_REPEATED = 16
# Up to so many pairs of sentences, a table of all of them is faster than sorting.
_DENSE = 1 << 22


def seeds(query: SentenceWords, hit: SentenceWords) -> tuple[Ints, Ints]:
    """Return pairs of sentences, of the query and of the hit, that may belong to a passage.

    Sentences resemble as those of Sanchez-Perez, Sidorov and Gelbukh (PAN 2014) do: by the cosine
    of their rare words and by the share of their words.
    """
    resembling, cosines = _resembling(query, hit)
    copied = np.setdiff1d(_copied(query, hit), resembling, assume_unique=True)
    pairs = np.concatenate([resembling, copied])
    strengths = np.concatenate([cosines, np.full(len(copied), SEED_COSINE)])
    first, second = np.divmod(pairs, max(1, hit.count))
    best = np.minimum(
        _best(first, strengths, query.count)[first], _best(second, strengths, hit.count)[second]
    )
    clear = np.flatnonzero(strengths >= SEED_CLEARNESS * best)
    most = _SEEDS_PER_SENTENCE * (query.count + hit.count)
    if len(clear) > most:
        weakest = np.sort(strengths[clear])[-most]
        clear = clear[strengths[clear] > weakest]
    return first[clear], second[clear]


def _best(places: Ints, strengths: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the greatest strength of each sentence of one text."""
    best = np.zeros(count)
    np.maximum.at(best, places, strengths)
    return best


def _resembling(query: SentenceWords, hit: SentenceWords) -> tuple[Ints, NDArray[np.float64]]:
    """Return the resembling pairs, as query sentence * sentences of the hit + hit sentence."""
    ours, theirs = shared_places(query.words, hit.words)
    kept = _within_budget(query, hit, ours, theirs)
    (our_counts, our_norms), (their_counts, their_norms) = (
        _measures(text, places[~kept]) for text, places in ((query, ours), (hit, theirs))
    )
    ours, theirs = ours[kept], theirs[kept]
    pairs, word = _pairs(query, hit, ours, theirs)
    weights = query.weights[ours] * hit.weights[theirs]
    cells, dots, common = _sums(pairs, weights[word], query.count * hit.count)
    first, second = np.divmod(cells, max(1, hit.count))
    scales = our_norms[first] * their_norms[second]
    similar = dots >= SEED_COSINE * scales
    similar &= 2 * common >= SEED_DICE * (our_counts[first] + their_counts[second])
    similar &= dots > 0
    return cells[similar], dots[similar] / scales[similar]


def _within_budget(
    query: SentenceWords, hit: SentenceWords, ours: Ints, theirs: Ints
) -> NDArray[np.bool_]:
    """Return which of the shared words are looked at: the rarest, as far as the budget goes."""
    sizes = query.frequencies[ours] * hit.frequencies[theirs]
    budget = min(_MAX_PAIRS, _PAIRS_PER_SENTENCE * (query.count + hit.count))
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
    counted = np.ones(len(text.words))
    counted[left_out] = 0
    return text.sums(counted), np.sqrt(text.sums(counted * text.weights**2))


def _pairs(query: SentenceWords, hit: SentenceWords, ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Return each pair of sentences that share a word, and which of the words it is."""
    word, first, second = products(query.frequencies[ours], hit.frequencies[theirs])
    in_query = query.sentences[query.postings[ours][word] + first]
    in_hit = hit.sentences[hit.postings[theirs][word] + second]
    return in_query * max(1, hit.count) + in_hit, word


def _sums(
    pairs: Ints, values: NDArray[np.float64], cells: int
) -> tuple[Ints, NDArray[np.float64], Ints]:
    """Return the distinct pairs, the sum of the values of each, and how often each occurs."""
    if cells > _DENSE:
        distinct, places = np.unique(pairs, return_inverse=True)
        return distinct, np.asarray(np.bincount(places, values), np.float64), np.bincount(places)
    counts = np.bincount(pairs, minlength=cells)
    present = np.flatnonzero(counts)
    sums = np.asarray(np.bincount(pairs, values, minlength=cells), np.float64)
    return present, sums[present], counts[present]


def _copied(query: SentenceWords, hit: SentenceWords) -> Ints:
    """Return the pairs of sentences in which a run of equal tokens begins."""
    ours, theirs = shared_places(query.runs.numbers, hit.runs.numbers)
    our_sizes, their_sizes = np.diff(query.runs.bounds)[ours], np.diff(hit.runs.bounds)[theirs]
    seldom = our_sizes * their_sizes <= _MAX_REPEATED
    ours, theirs = ours[seldom], theirs[seldom]
    run, first, second = products(our_sizes[seldom], their_sizes[seldom])
    in_query = query.sentence_of(query.runs.starts[query.runs.bounds[ours][run] + first])
    in_hit = hit.sentence_of(hit.runs.starts[hit.runs.bounds[theirs][run] + second])
    return np.unique(in_query * max(1, hit.count) + in_hit)
