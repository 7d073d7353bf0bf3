"""Texts screened together for whether any of their sentences can be a seed of a passage.

Most candidates share no passage. That shows in a few operations over the sentences of all of them
at once, which cost less than aligning each; what passes is aligned by itself.
"""

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import Uint64s, equal_runs, fold
from es_simhash.relation.alignment.seeds import PAIRS_PER_SENTENCE, pair_sums
from es_simhash.relation.alignment.sentence_words import (
    MORE_SENTENCES,
    SentenceWords,
    WordsOfTexts,
    most_sentences,
    words_of_sentences,
)
from es_simhash.relation.alignment.sorted_arrays import found_in, products, shared_places
from es_simhash.relation.alignment.stretches import least_information
from es_simhash.relation.thresholds import COPIED_RUN, INFORMED_SEEDS, SEED_COSINE, SEED_DICE
from es_simhash.text.tokens import Ints

Mask = NDArray[np.bool_]
# Sums are compared with a little less, as their last digit may depend on what is added with them.
_SLIGHTLY = 1 - 1e-9
# Sentences of a query from which on every text passes: the tables would be too large.
_MAX_SENTENCES = 4000


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
        ours, theirs = shared_places(query.seldom_words, self.words)
        ours = query.seldom[ours]
        word, first, second = products(query.frequencies[ours], np.diff(self.postings)[theirs])
        entry = self.postings[theirs][word] + second
        in_query = query.sentences[query.postings[ours][word] + first]
        in_text = self.of_text[self.sentence[entry]]
        # With more pairs than that, the commonest words would have to be left out.
        pairs = np.bincount(in_text, minlength=self.texts)
        passed = pairs > PAIRS_PER_SENTENCE * (query.count + self.counts)
        weights = query.weights[ours][word]
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
        passed |= information >= _SLIGHTLY * INFORMED_SEEDS * least
        return passed

    def _information(
        self, cells: Ints, in_query: Ints, entry: Ints, weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the information of all resembling sentences of each text."""
        among = np.zeros(int(in_query.max(initial=0) + 1) * self.sentences, bool)
        among[cells] = True
        chosen = among[in_query * self.sentences + self.sentence[entry]]
        halves = (weights + self.weights[entry])[chosen] / 2
        return _sums(self.of_text[self.sentence[entry[chosen]]], halves, self.texts)


def _sums(places: Ints, values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(places, values, minlength=count), np.float64)
