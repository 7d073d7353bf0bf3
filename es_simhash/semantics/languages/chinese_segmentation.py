"""jieba's dictionary, and segmentation of Chinese into words as jieba does it.

The most probable path through the dictionary, and jieba's hidden Markov model for what it lacks, in
one pass over the characters instead of three. The dictionary is read from jieba's package: its
cache in the shared temporary folder, which anybody may write, is neither read nor written.
"""

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from math import exp, log
from pathlib import Path

from es_simhash.errors import MissingExtra
from es_simhash.semantics.languages.word_lists import rule_words

# Person, place and organisation in jieba's dictionary; nrt is a person in transliteration.
_NAME_TAGS = {"nr": "nr", "nrfg": "nr", "nrt": "nrt", "ns": "ns", "nt": "nt"}
# jieba's model copies its whole path at each character; more at once would cost the square.
_MODEL_CHARACTERS = 64
_MAX_GUESSES = 1 << 16


@dataclass
class Dictionary:
    """jieba's dictionary and model.

    Attributes:
        scores: Logarithm of each word's share of all words; None for what only begins words.
        tags: Kind of name of each word that is one.
        surnames: First characters of persons.
        total: Number of words the dictionary was counted from.
        guess: The model, which cuts characters that are no words.
        guesses: Its results so far.
    """

    scores: dict[str, float | None]
    tags: dict[str, str]
    surnames: frozenset[str]
    total: int
    guess: Callable[[str], Iterable[str]]
    guesses: dict[str, list[str]] = field(default_factory=dict)


def segment_words(characters: str, dictionary: Dictionary) -> Iterator[str]:
    """Yield the words of a run of Han characters as jieba cuts it, its model included."""
    ends = _best_ends(characters, dictionary)
    start, single = 0, 0
    while start < len(characters):
        end = ends[start]
        if end - start > 1:
            yield from _guessed(characters[single:start], dictionary)
            yield characters[start:end]
            single = end
        start = end
    yield from _guessed(characters[single:], dictionary)


def _best_ends(characters: str, dictionary: Dictionary) -> list[int]:
    """Return, for each offset, the end of the word that begins there on the most probable path."""
    scores = dictionary.scores
    unknown = -log(dictionary.total)
    length = len(characters)
    ends = list(range(1, length + 1))
    paths = [0.0] * (length + 1)
    for start in range(length - 1, -1, -1):
        best = None
        end = start + 1
        word = characters[start]
        while word in scores:
            score = scores[word]
            if score is not None:
                score += paths[end]
                if best is None or score >= best:
                    best, ends[start] = score, end
            end += 1
            if end > length:
                break
            word = characters[start:end]
        paths[start] = unknown + paths[start + 1] if best is None else best
    return ends


def _guessed(singles: str, dictionary: Dictionary) -> Iterable[str]:
    """Return the words of characters that the dictionary left single, by the model."""
    if len(singles) < 2 or dictionary.scores.get(singles) is not None:
        return singles
    known = dictionary.guesses.get(singles)
    if known is None:
        steps = range(0, len(singles), _MODEL_CHARACTERS)
        parts = (singles[step : step + _MODEL_CHARACTERS] for step in steps)
        known = [word for part in parts for word in dictionary.guess(part)]
        if len(dictionary.guesses) >= _MAX_GUESSES:
            dictionary.guesses.clear()
        dictionary.guesses[singles] = known
    return known


@lru_cache(maxsize=1)
def load_dictionary() -> Dictionary:
    """Return jieba's dictionary; reading it takes about a second.

    Raises:
        MissingExtra: jieba is not installed.
    """
    counts: dict[str, int] = {}
    tags: dict[str, str] = {}
    everyday = rule_words("everyday", "zh")
    for word, count, tag in dictionary_rows():
        counts[word] = int(count)
        if tag in _NAME_TAGS and word not in everyday:
            tags[word] = _NAME_TAGS[tag]
    total = sum(counts.values())
    scores: dict[str, float | None] = {
        word[:end]: None for word in counts for end in range(1, len(word))
    }
    scores.update((word, log(count / total)) for word, count in counts.items() if count)
    return Dictionary(scores, tags, rule_words("surname", "zh"), total, _jieba()[1])


def dictionary_rows() -> Iterator[list[str]]:
    """Yield word, count and tag of each row of jieba's dictionary.

    Raises:
        MissingExtra: jieba is not installed.
    """
    folder, _ = _jieba()
    return (line.split(" ") for line in (folder / "dict.txt").read_text("utf-8").splitlines())


def word_frequencies() -> dict[str, float]:
    """Return the share of all words that each word of jieba's dictionary has.

    Raises:
        MissingExtra: jieba is not installed.
    """
    scores = load_dictionary().scores.items()
    return {word: exp(score) for word, score in scores if score is not None}


def _jieba() -> tuple[Path, Callable[[str], Iterable[str]]]:
    """Return the folder of jieba and its model, without jieba's own warnings and log lines."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # An optional extra.
            jieba = import_module("jieba")
            guess = import_module("jieba.finalseg").cut
    except ImportError as error:
        raise MissingExtra.of("chinese", "Chinese words need jieba") from error
    logging.getLogger("jieba").setLevel(logging.WARNING)
    return Path(str(jieba.__file__)).parent, guess
