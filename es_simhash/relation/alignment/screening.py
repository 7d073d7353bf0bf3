"""Texts screened together for whether any of their sentences can be a seed of a passage.

Most candidates share no passage. That shows in a few operations over the sentences of all of them
at once, which cost less than aligning each; what passes is aligned by itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, equal_runs, fold, ranks_within
from es_simhash.relation.alignment.seeds import MAX_PAIRS, PAIRS_PER_SENTENCE, pair_sums
from es_simhash.relation.alignment.sentence_words import (
    MORE_SENTENCES,
    SentenceWords,
    WordsOfTexts,
    most_sentences,
    words_of_sentences,
)
from es_simhash.relation.alignment.sorted_arrays import found_in, shared_places, sorted_unique
from es_simhash.relation.alignment.stretches import least_information
from es_simhash.relation.thresholds import COPIED_RUN, INFORMED_SEEDS, SEED_COSINE, SEED_DICE
from es_simhash.text.tokens import Ints

Mask = NDArray[np.bool_]
# Sums are compared with a little less, as their last digit may depend on what is added with them.
_SLIGHTLY = 1 - 1e-9
# Sentences of a query from which on every text passes: the tables would be too large.
_MAX_SENTENCES = 4000
# Pairs of sentences that are held in memory, where no text has more.
_PAIRS_AT_A_TIME = 1 << 21


def may_share_passages(query: SentenceWords, texts: WordsOfTexts) -> Mask:
    """Return for each of several texts whether it may share a passage with the query.

    Args:
        query: The query.
        texts: The texts.
    """
    counts = np.diff(texts.texts)
    if query.count > _MAX_SENTENCES:
        return np.ones(len(counts), bool)
    copied = _has_copied_run(query, texts.tokens, texts.segmentation.texts)
    # What passed needs no comparison of its sentences, which is what takes long.
    open_texts = ~copied & (counts > 0)
    if not query.count or not open_texts.any():
        return copied
    return copied | _Entries(texts, counts, open_texts).resemble(query)


def _has_copied_run(query: SentenceWords, tokens: Uint64s, texts: Ints) -> Mask:
    """Return for each text whether a run of its tokens is in the query."""
    folded, numbers = fold(tokens, COPIED_RUN), query.runs.numbers
    has_run = np.zeros(len(texts) - 1, bool)
    if not len(folded) or not len(numbers):
        return has_run
    starts, _ = found_in(numbers, folded)
    first = np.searchsorted(texts, starts, side="right") - 1
    # A run that goes on in the next text is in neither.
    has_run[first[starts + COPIED_RUN <= texts[first + 1]]] = True
    return has_run


class _Entries:
    """The distinct words of the sentences of several texts, with the weights they have there.

    Args:
        texts: The texts.
        counts: How many sentences each has.
        chosen: Which of the texts are compared.
    """

    def __init__(self, texts: WordsOfTexts, counts: Ints, chosen: Mask) -> None:
        of_text = np.repeat(np.arange(len(counts)), counts)
        self.sentences = len(of_text)
        self.of_text = of_text
        self.texts = len(counts)
        self.words = texts.words
        pairs = words_of_sentences(texts.places, texts.bounds)
        word, sentence = np.divmod(pairs, self.sentences)
        text = of_text[sentence]
        begins, often = equal_runs(word * self.texts + text)
        weights = np.log((counts[text[begins]] + MORE_SENTENCES) / often)
        self.information = _sums(text[begins], weights, self.texts)
        seldom = np.repeat(often <= most_sentences(counts)[text[begins]], often) & chosen[text]
        self.sentence = sentence[seldom]
        self.weights = np.repeat(weights, often)[seldom]
        self.postings = np.searchsorted(word[seldom], np.arange(len(self.words) + 1))
        self.counts = counts

    def resemble(self, query: SentenceWords) -> Mask:
        """Return for each text whether a sentence resembles one of the query."""
        shared = self._shared(query)
        pairs = np.bincount(shared.texts, shared.often, minlength=self.texts)
        most = np.minimum(MAX_PAIRS, PAIRS_PER_SENTENCE * (query.count + self.counts))
        # With more pairs than that, the commonest words would have to be left out.
        passed = pairs > most
        # Each text is decided by its own pairs: those of some texts at a time take less memory.
        part = np.where(passed, -1, np.cumsum(np.where(passed, 0, pairs)) // _PAIRS_AT_A_TIME)
        for number in sorted_unique(part[part >= 0]):
            passed |= self._informed(query, shared.chosen(part[shared.texts] == number))
        return passed

    def _shared(self, query: SentenceWords) -> "_SharedEntries":
        """Return the entries whose word the query has, word by word."""
        ours, theirs = shared_places(query.seldom_words, self.words)
        counts = np.diff(self.postings)[theirs]
        entries = np.repeat(self.postings[theirs], counts) + ranks_within(counts)
        words = np.repeat(query.seldom[ours], counts)
        return _SharedEntries(
            entries, words, self.of_text[self.sentence[entries]], query.frequencies[words]
        )

    def _informed(self, query: SentenceWords, shared: "_SharedEntries") -> Mask:
        """Return for each text whether the pairs of these entries have enough information."""
        entry = np.repeat(shared.entries, shared.often)
        words = np.repeat(shared.words, shared.often)
        in_query = query.sentences[query.postings[words] + ranks_within(shared.often)]
        weights = query.weights[words]
        cells, dots, common, _ = pair_sums(
            in_query * self.sentences + self.sentence[entry],
            weights * self.weights[entry],
            query.count * self.sentences,
        )
        queried, sentence = np.divmod(cells, self.sentences)
        sizes = np.bincount(self.sentence, minlength=self.sentences)
        norms = np.sqrt(_sums(self.sentence, self.weights**2, self.sentences))
        similar = dots >= _SLIGHTLY * SEED_COSINE * query.norms[queried] * norms[sentence]
        similar &= 2 * common >= _SLIGHTLY * SEED_DICE * (query.sizes[queried] + sizes[sentence])
        information = self._information(cells[similar], in_query, entry, weights)
        least = least_information(query.information, self.information)
        return np.asarray(information >= _SLIGHTLY * INFORMED_SEEDS * least)

    def _information(
        self, cells: Ints, in_query: Ints, entry: Ints, weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the information of all resembling sentences of each text."""
        among = np.zeros(int(in_query.max(initial=0) + 1) * self.sentences, bool)
        among[cells] = True
        chosen = among[in_query * self.sentences + self.sentence[entry]]
        halves = (weights + self.weights[entry])[chosen] / 2
        return _sums(self.of_text[self.sentence[entry[chosen]]], halves, self.texts)


class _SharedEntries(NamedTuple):
    """Words of sentences that the query has as well.

    Attributes:
        entries: The entries of the texts.
        words: The word of each, as its place in the query.
        texts: The text of each.
        often: Number of sentences of the query that have the word.
    """

    entries: Ints
    words: Ints
    texts: Ints
    often: Ints

    def chosen(self, mask: Mask) -> "_SharedEntries":
        """Return some of them."""
        return _SharedEntries(*(values[mask] for values in self))


def _sums(places: Ints, values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(places, values, minlength=count), np.float64)
