"""Language detection: by script, then by the stop words that cover most of the text."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import RunNumbers
from es_simhash.semantics.languages.letter_runs import TELLING_WORD, LetterRuns
from es_simhash.semantics.languages.number_table import ABSENT, NumberTable
from es_simhash.semantics.languages.word_lists import data_rows, stop_lists
from es_simhash.text.characters import CODE_POINTS, code_points

# Enough for stop words to decide, however long the text is.
_SAMPLE_CHARACTERS = 1500
# A text in a language without a stop list still holds a few words of some list by chance; of
# sentences in the language of a list these are half of the words.
_LEAST_COVERED, _SURELY_COVERED = 0.12, 0.3
# Some of their letters are enough for these, whatever stands around them.
_LEAST_KANA = 0.05
_LEAST_VIETNAMESE = 0.05
# A Han character says about as much as this many letters of an alphabet.
_HAN_WEIGHT = 3
# Short texts are rather in a language that many texts are in.
_PRIOR = {
    **dict.fromkeys(("en", "de", "fr", "es", "it", "pt", "nl"), 1.3),
    **dict.fromkeys(("sv", "da", "nb", "fi", "pl", "cs", "ro", "hu", "tr", "id"), 1.1),
    **dict.fromkeys(("ru", "ar", "hi"), 1.1),
}


class DetectedLanguage(NamedTuple):
    """The language of a text.

    Attributes:
        code: ISO 639-1 code; empty when nothing fits.
        is_sure: Whether its script tells, or as many stop words as sentences have.
    """

    code: str
    is_sure: bool


@dataclass(frozen=True)
class _Scripts:
    """The scripts that languages are written in.

    Attributes:
        names: Name of each script; that of number 0, which says nothing, is empty.
        languages: Languages of each.
        numbers: Number of the script of each code point.
    """

    names: list[str]
    languages: list[tuple[str, ...]]
    numbers: NDArray[np.uint8]

    def number(self, name: str) -> int:
        """Return the number of a script."""
        return self.names.index(name)


@lru_cache(maxsize=1)
def _scripts() -> _Scripts:
    names: list[str] = [""]
    languages: list[tuple[str, ...]] = [("",)]
    numbers = np.zeros(CODE_POINTS, np.uint8)
    for name, stretches, *of_script in data_rows("scripts.txt"):
        for stretch in stretches.split(","):
            first, last = (int(bound, 16) for bound in stretch.split("-"))
            numbers[first : last + 1] = len(names)
        names.append(name)
        languages.append(tuple(language.strip("-") for language in of_script))
    return _Scripts(names, languages, numbers)


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language a text is written in; empty when nothing fits."""
    return detect_languages([text], None)[0].code


def detect_languages(texts: Sequence[str], runs: LetterRuns | None) -> list[DetectedLanguage]:
    """Return the language of each text of a batch, as `detect_language` does.

    Args:
        texts: The texts.
        runs: Their runs of letters; None to read each text by itself.
    """
    rows_of = [None] * len(texts) if runs is None else _stop_rows(runs)
    languages = []
    for text, rows in zip(texts, rows_of, strict=True):
        sample = text[:_SAMPLE_CHARACTERS]
        composed = unicodedata.normalize("NFC", sample)
        possible = _scripts().languages[_script_of(composed)]
        if len(possible) == 1:
            languages.append(DetectedLanguage(possible[0], bool(possible[0])))
            continue
        if rows is None or composed != sample:
            rows = _rows_of_sample(composed)
        languages.append(_best_covered(rows, possible))
    return languages


def _rows_of_sample(sample: str) -> NDArray[np.int64]:
    words = TELLING_WORD.findall(sample.lower())
    return np.fromiter(map(_stop_words().rows.get, words, repeat(ABSENT)), np.int64, len(words))


def _stop_rows(runs: LetterRuns) -> list[NDArray[np.int64] | None]:
    """Return, of each word of each text, its row among all stop words; ABSENT for other words.

    None stands for a text that is read by itself.
    """
    words = runs.telling(_SAMPLE_CHARACTERS)
    rows = _stop_words().table.find(runs.word_numbers(words))
    of_texts = (rows[start:end] for start, end in pairwise(words.bounds.tolist()))
    return [
        of_text.astype(np.int64) if is_even else None
        for of_text, is_even in zip(of_texts, runs.is_even.tolist(), strict=True)
    ]


def _script_of(text: str) -> int:
    """Return the script of most letters; Vietnamese and Japanese by the letters only they have."""
    scripts = _scripts()
    if text.isascii():
        return scripts.number("latin")
    of_characters = scripts.numbers.take(code_points(text))
    counts = np.bincount(of_characters, minlength=len(scripts.names))
    counts[0] = 0
    counts[scripts.number("han")] *= _HAN_WEIGHT
    _merge(counts, scripts.number("kana"), scripts.number("han"), _LEAST_KANA)
    _merge(counts, scripts.number("vietnamese"), scripts.number("latin"), _LEAST_VIETNAMESE)
    best = np.flatnonzero(counts == counts.max())
    if len(best) == 1 or not counts[best[0]]:
        return int(best[0])
    # Of several, the one that the text begins with.
    return int(of_characters[np.isin(of_characters, best).argmax()])


def _merge(counts: NDArray[np.int64], part: int, whole: int, least: float) -> None:
    """Count the letters of the whole to its part where the part is frequent enough, else back."""
    joined = counts[part] + counts[whole]
    is_frequent = counts[part] > least * joined
    counts[part], counts[whole] = (joined, 0) if is_frequent else (0, joined)


def _best_covered(rows: NDArray[np.int64], languages: tuple[str, ...]) -> DetectedLanguage:
    """Return the language whose stop words cover most of the words; rarer ones count more."""
    table = _stop_table(languages)
    # Other words score nothing.
    scores = table.scores[rows[rows != ABSENT]]
    best = int((scores.sum(0) * table.priors).argmax())
    covered = np.count_nonzero(scores[:, best])
    if covered < max(1, _LEAST_COVERED * len(rows)):
        return DetectedLanguage(languages[0], is_sure=bool(languages[0]))
    return DetectedLanguage(table.languages[best], bool(covered >= _SURELY_COVERED * len(rows)))


@dataclass(frozen=True)
class _StopWords:
    """The stop words of all languages, each with a row."""

    rows: dict[str, int]
    table: NumberTable


@lru_cache(maxsize=1)
def _stop_words() -> _StopWords:
    words = sorted(set().union(*stop_lists().values()))
    ends = np.cumsum([len(word) for word in words])
    numbers = RunNumbers(code_points("".join(words))).of(np.concatenate([[0], ends[:-1]]), ends)
    table = NumberTable()
    table.add(numbers, np.arange(len(words), dtype=np.int32))
    return _StopWords(dict(zip(words, range(len(words)), strict=True)), table)


@dataclass(frozen=True)
class _StopTable:
    """Score of each stop word for some languages."""

    languages: list[str]
    scores: NDArray[np.float32]
    priors: NDArray[np.float32]


@lru_cache(maxsize=16)
def _stop_table(chosen: tuple[str, ...]) -> _StopTable:
    """Return the table of the languages of a script; words score by how many of all have them."""
    lists, rows = stop_lists(), _stop_words().rows
    columns = {language: column for column, language in enumerate(lists)}
    listed = np.zeros((len(rows), len(lists)), np.float32)
    for language, members in lists.items():
        listed[[rows[word] for word in members], columns[language]] = 1
    scores = listed * (1 + 1 / np.maximum(listed.sum(1, keepdims=True), 1))
    languages = [language for language in chosen if language]
    of_chosen = scores.astype(np.float32)[:, [columns[language] for language in languages]]
    priors = np.array([_PRIOR.get(language, 1.0) for language in languages], np.float32)
    return _StopTable(languages, of_chosen, priors)
