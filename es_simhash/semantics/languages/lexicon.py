"""The words of a language that were met, by number, and words of texts by their numbers.

What depends on a word alone is computed once for each, and looked up for the words of a whole
batch of texts by one take from an array.
"""

import threading
from collections.abc import (
    Callable,
    Hashable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.tokens import Ints

# A lexicon of more words is replaced by an empty one, which is cheap and rare.
_MAX_WORDS = 1 << 16
# Number of the word that is none.
NOTHING = 0
# Of fewer numbers, numpy finds the order in less time.
_LEAST_PACKED = 500

Amount = TypeVar("Amount", int, float)
Made = TypeVar("Made")


class Lexicon:
    """Words of one language, each with a number.

    Args:
        language: ISO 639-1 code.

    Attributes:
        words: The words, by number.
        lock: Held by whoever changes what is kept with the lexicon.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.words = [""]
        self.lock = threading.RLock()
        self._numbers = {"": NOTHING}
        # The values of each, perhaps with room for more, and how many there are.
        self._columns: dict[Hashable, tuple[NDArray[Any], int]] = {}
        self._made: dict[Hashable, Any] = {}

    def numbers(self, words: Iterable[str]) -> Ints:
        """Return the numbers of words, which are added where they are new."""
        with self.lock:
            return np.array([self._number(word) for word in words], np.int64)

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self.words)
            self.words.append(word)
        return number

    def column(
        self, key: Hashable, compute: Callable[[Sequence[str]], NDArray[Any]]
    ) -> NDArray[Any]:
        """Return what is computed of each word, by its number; of each word once.

        Args:
            key: What it is.
            compute: Returns it for some words.
        """
        with self.lock:
            values, known = self._columns.get(key, (None, 0))
            if values is None or known < len(self.words):
                more = compute(self.words[known:])
                count = known + len(more)
                if values is None or count > len(values):
                    # Twice as many as are needed, so that few words more need no new array.
                    grown = np.empty(2 * count, more.dtype)
                    grown[:known] = values[:known] if values is not None else ()
                    values = grown
                values[known:count] = more
                known = count
                self._columns[key] = values, known
            return values[:known]

    def once(self, make: Callable[[], Made]) -> Made:
        """Return what a function made for this lexicon when it was first asked for."""
        with self.lock:
            if make not in self._made:
                self._made[make] = make()
            made: Made = self._made[make]
            return made


_lexicons: dict[str, Lexicon] = {}


def lexicon_of(language: str) -> Lexicon:
    """Return the lexicon of a language; words keep their numbers in it."""
    lexicon = _lexicons.get(language)
    if lexicon is None or len(lexicon.words) > _MAX_WORDS:
        lexicon = _lexicons[language] = Lexicon(language)
    return lexicon


class NumberedWords(Mapping[str, Amount]):
    """Words of a text, each with its count or its weight, as arrays.

    Args:
        lexicon: Has the words.
        numbers: Number of each word in it, in the order of the words.
        amounts: Count or weight of each.
    """

    def __init__(self, lexicon: Lexicon, numbers: Ints, amounts: NDArray[Any]) -> None:
        self.lexicon = lexicon
        self.numbers = numbers
        self.amounts = amounts

    @cached_property
    def _by_word(self) -> dict[str, Amount]:
        words = map(self.lexicon.words.__getitem__, self.numbers.tolist())
        return dict(zip(words, self.amounts.tolist(), strict=True))

    def __getitem__(self, word: str) -> Amount:
        return self._by_word[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_word)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return repr(self._by_word)

    def __reduce__(self) -> Any:
        return dict, (self._by_word,)

    def keys(self) -> KeysView[str]:
        """Return the words."""
        return self._by_word.keys()

    def values(self) -> ValuesView[Amount]:
        """Return their counts or weights."""
        return self._by_word.values()

    def items(self) -> ItemsView[str, Amount]:
        """Return the words with their counts or weights."""
        return self._by_word.items()


def equal_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Return the stable order of numbers, and the places in it where another number begins."""
    order = stable_order(keys)
    ordered = keys[order]
    begins = np.ones(len(keys), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return order, np.flatnonzero(begins)


def stable_order(keys: Ints) -> Ints:
    """Return the order of numbers from 0 up; equal ones stay in theirs.

    Sorting many numbers that have their places in their last bits takes a fifth of a stable sort.
    """
    size = len(keys)
    bits = size.bit_length()
    if size < _LEAST_PACKED or int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable")
    order = keys << bits
    order |= np.arange(size)
    order.sort()
    order &= (1 << bits) - 1
    return order
