"""The sentences of a text as sets of words, weighted by how rare these are in the text itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.features import token_numbers, token_stems
from es_simhash.fingerprints.hashing import Uint64s, equal_runs, fold
from es_simhash.relation.alignment.sorted_arrays import found_in, sorted_unique
from es_simhash.relation.thresholds import COPIED_RUN
from es_simhash.text.segmentation import chunk_bounds
from es_simhash.text.tokens import Ints, Segmentation

# Added to the sentences of a text where words are weighted, so that a single one has weights.
MORE_SENTENCES = 2
# A word that more sentences of a text have, and a larger share of them, says little about any.
_SELDOM_SENTENCES, _SELDOM_SHARE = 5, 0.2


@dataclass(frozen=True)
class _SentenceSizes:
    min_chunk_tokens: int = 6
    max_chunk_tokens: int = 30


@dataclass(frozen=True)
class WordsOfTexts:
    """The words and the sentences of several texts, numbered together.

    Attributes:
        segmentation: The texts.
        tokens: Number of each token; equal tokens have equal numbers.
        bounds: Bounds of the sentences in tokens.
        texts: Bounds of the texts in sentences.
        words: The distinct words, ascending.
        places: The word of each token, as its place in `words`.
    """

    segmentation: Segmentation
    tokens: Uint64s
    bounds: Ints
    texts: Ints
    words: Uint64s
    places: Ints

    @classmethod
    def of(cls, segmentation: Segmentation) -> "WordsOfTexts":
        """Return those of texts that were segmented together."""
        bounds, texts = chunk_bounds(
            segmentation.boundaries.tolist(), segmentation.texts.tolist(), _SentenceSizes()
        )
        words, places = np.unique(token_stems(segmentation), return_inverse=True)
        return cls(segmentation, token_numbers(segmentation), bounds, texts, words, places)

    def of_text(self, number: int) -> "SentenceWords":
        """Return the sentences of one text, as if it were alone."""
        start, end = self.segmentation.texts[number : number + 2].tolist()
        first, last = self.texts[number : number + 2].tolist()
        bounds, letters = self.bounds[first : last + 1] - start, np.zeros(end - start + 1, np.int64)
        lengths = self.segmentation.ends[start:end] - self.segmentation.starts[start:end]
        np.cumsum(lengths, out=letters[1:])
        words, places = np.unique(self.places[start:end], return_inverse=True)
        count = last - first
        pairs = words_of_sentences(places, bounds)
        return SentenceWords(
            self.tokens[start:end],
            letters,
            bounds,
            self.words[words],
            places,
            np.searchsorted(pairs, np.arange(len(words) + 1) * count),
            pairs % max(1, count),
        )


def words_of_sentences(places: Ints, bounds: Ints) -> Ints:
    """Return the distinct words of each sentence.

    They are numbers, ascending: place of the word * sentences + sentence.

    Args:
        places: The word of each token, as its place among all words.
        bounds: Bounds of the sentences in tokens.
    """
    count = len(bounds) - 1
    of_token = np.repeat(np.arange(count), np.diff(bounds))
    return sorted_unique(places * max(1, count) + of_token)


def most_sentences(counts: Ints) -> NDArray[np.float64]:
    """Return in how many sentences of a text a word is by which sentences are compared.

    Args:
        counts: Sentences of each text.
    """
    most: NDArray[np.float64] = np.maximum(_SELDOM_SENTENCES, _SELDOM_SHARE * counts)
    return most


@dataclass(frozen=True)
class SentenceWords:
    """The distinct words of each sentence of a text.

    A word is the number of a stem (`features.token_stems`). Weights come from the text alone, so
    that they are the same for whatever it is compared with.

    Attributes:
        tokens: Number of each token; equal tokens have equal numbers.
        letters: Letters before each token, and of the whole text as the last.
        bounds: Bounds of the sentences in tokens.
        words: The distinct words, ascending.
        places: The word of each token, as its place in `words`.
        postings: Bounds of the words in `sentences`.
        sentences: The sentences of each word, ascending, one word after the other.
    """

    tokens: Uint64s
    letters: Ints
    bounds: Ints
    words: Uint64s
    places: Ints
    postings: Ints
    sentences: Ints

    @classmethod
    def of(cls, segmentation: Segmentation) -> "SentenceWords":
        """Return the sentences of a text that was segmented by itself."""
        return WordsOfTexts.of(segmentation).of_text(0)

    @property
    def count(self) -> int:
        """Number of sentences."""
        return len(self.bounds) - 1

    @cached_property
    def token_letters(self) -> Ints:
        """Letters of each token."""
        return np.diff(self.letters)

    @cached_property
    def frequencies(self) -> Ints:
        """Number of sentences that have each word."""
        return np.diff(self.postings)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each word: log((sentences + 2) / sentences that have it)."""
        weights: NDArray[np.float64] = np.log((self.count + MORE_SENTENCES) / self.frequencies)
        return weights

    @cached_property
    def information(self) -> float:
        """Weight of all distinct words."""
        return float(self.weights.sum())

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """Share of each word of the tokens."""
        return np.bincount(self.places, minlength=len(self.words)) / max(1, len(self.places))

    def surprise(self, words: Ints, tokens: int) -> NDArray[np.float64]:
        """Return the weights of words, less what chance gives in so many tokens of such a text.

        Args:
            words: The words, as places in `words`.
            tokens: Length of the stretch in which they were found.
        """
        surprise: NDArray[np.float64] = self.weights[words] * (1 - self._shares[words]) ** tokens
        return surprise

    @cached_property
    def seldom(self) -> Ints:
        """Places of the words by which sentences are compared: those that few sentences have."""
        return np.flatnonzero(self.frequencies <= most_sentences(np.array(self.count)))

    @cached_property
    def seldom_words(self) -> Uint64s:
        """The words by which sentences are compared."""
        return self.words[self.seldom]

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Number of distinct words that each sentence is compared by."""
        return self.sums(self.compared)

    @cached_property
    def norms(self) -> NDArray[np.float64]:
        """Norm of the weights of the words that each sentence is compared by."""
        norms: NDArray[np.float64] = np.sqrt(self.sums(self.compared * self.weights**2))
        return norms

    @cached_property
    def compared(self) -> NDArray[np.float64]:
        """1 for each word by which sentences are compared, 0 for the others."""
        compared = np.zeros(len(self.words))
        compared[self.seldom] = 1
        return compared

    def sums(self, counted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over the words of each sentence.

        Args:
            counted: The weight of each word.
        """
        weights = np.repeat(counted, self.frequencies)
        return np.asarray(np.bincount(self.sentences, weights, minlength=self.count), np.float64)

    @cached_property
    def folded(self) -> Uint64s:
        """Number of each run of tokens that is long enough to be a copy."""
        return fold(self.tokens, COPIED_RUN)

    @cached_property
    def runs(self) -> "Runs":
        """Runs of tokens that are long enough to be a copy, by number."""
        return Runs.of(self.folded)

    def sentence_of(self, tokens: Ints) -> Ints:
        """Return the sentence of each token."""
        return np.searchsorted(self.bounds, tokens, side="right") - 1


@dataclass(frozen=True)
class Runs:
    """The runs of tokens of a text, by number.

    Attributes:
        numbers: The distinct numbers, ascending.
        bounds: Bounds of the numbers in `starts`.
        starts: First token of each run, those of one number after the other.
    """

    numbers: Uint64s
    bounds: Ints
    starts: Ints

    @classmethod
    def of(cls, folded: Uint64s) -> "Runs":
        """Return the runs of a text by the number of each, in the order of the text."""
        starts = np.argsort(folded, kind="stable")
        ordered = folded[starts]
        begins, _ = equal_runs(ordered)
        return cls(ordered[begins], np.append(begins, len(ordered)), starts)


@dataclass(frozen=True)
class EqualRuns:
    """The runs of a text, the hit, that another has as well, in its order.

    Attributes:
        starts: First token of each run in the hit.
        numbers: Its place among the `Runs` of the query.
        in_query: Number of its places in the query.
        often: Number of pairs of places that have it.
    """

    starts: Ints
    numbers: Ints
    in_query: Ints
    often: Ints

    @classmethod
    def of(cls, query: SentenceWords, hit: SentenceWords) -> "EqualRuns":
        """Return the equal runs of two texts; only the query's are sorted."""
        runs = query.runs
        starts, numbers = found_in(runs.numbers, hit.folded)
        in_query = np.diff(runs.bounds)[numbers]
        in_hit = np.bincount(numbers)[numbers] if len(numbers) else numbers
        return cls(starts, numbers, in_query, in_query * in_hit)

    def query_starts(self, query: SentenceWords) -> Ints:
        """Return the first tokens of the runs in the query."""
        chosen = np.zeros(len(query.runs.numbers), bool)
        chosen[self.numbers] = True
        starts: Ints = query.runs.starts[np.repeat(chosen, np.diff(query.runs.bounds))]
        return starts
