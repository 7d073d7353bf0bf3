"""Chinese words and names through jieba's dictionary and model (extra: chinese).

Names are the words that the dictionary marks as person, place or organisation, found by looking the
word up, where jieba.posseg takes six times as long, and words it lacks that begin with a surname.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from math import log
from typing import NamedTuple

from es_simhash.semantics.languages.chinese_segmentation import (
    Dictionary,
    load_dictionary,
    segment_words,
)
from es_simhash.semantics.languages.word_lists import stop_words
from es_simhash.semantics.languages.words import Word
from es_simhash.semantics.semantic_profile import Entity

_HAN = "㐀-䶿一-鿿豈-﫿𠀀-𳑿"
# Web addresses end at a space or at the first Chinese character.
_RUN = re.compile(rf"(?i:https?:|www\.)[!-~]*|[{_HAN}]+|[^\W\d_{_HAN}][^\W_{_HAN}]+")
_ADDRESS = re.compile(r"(?i:https?:|www\.)")
# What is left of an address that was taken apart; no subject of a Chinese text.
_ADDRESS_WORDS = frozenset({"cn", "com", "http", "https", "net", "org", "www"})
# Transliterated given name and surname: 迈克尔·乔丹.
_NAME_JOINTS = frozenset("·•・")
_SHORTEST_WORD = 2
# Words within words have two or three characters, as in jieba's mode for search engines.
_PART_LENGTHS = (2, 3)
_LONGEST_PERSON = 3
# More frequent than this share, a person's name of two characters is rather an everyday word.
_COMMON = log(1e-6)


class Piece(NamedTuple):
    """A word as written in the text, and the kind of name it is; empty for none."""

    text: str
    start: int
    tag: str


def is_available() -> bool:
    """Check whether jieba is installed."""
    return find_spec("jieba") is not None


def words(text: str) -> list[str]:
    """Return the words of two characters and more, in order.

    Stop words are left out, and so are web addresses.

    Raises:
        MissingExtra: jieba is not installed.
    """
    stops = _stop_words()
    lower = (piece.text.lower() for piece in pieces(text))
    return [word for word in lower if len(word) >= _SHORTEST_WORD and word not in stops]


def words_with_offsets(text: str) -> list[Word]:
    """Return all words of two characters and more with their offsets; stop words are included.

    Raises:
        MissingExtra: jieba is not installed.
    """
    return [
        Word(piece.text.lower(), piece.start, _end(piece))
        for piece in pieces(text)
        if len(piece.text) >= _SHORTEST_WORD
    ]


def words_and_names(text: str) -> tuple[dict[str, int], tuple[Entity, ...]]:
    """Return the words with their counts, and the names, segmenting the text once.

    Raises:
        MissingExtra: jieba is not installed.
    """
    segments = list(pieces(text))
    stops = _stop_words()
    counts = Counter(piece.text.lower() for piece in segments if len(piece.text) >= _SHORTEST_WORD)
    content = {word: count for word, count in counts.items() if word not in stops}
    return content, _names(segments, text)


def count_others(text: str) -> dict[str, int]:
    """Count what `words_and_names` leaves out: single characters and stop words.

    Raises:
        MissingExtra: jieba is not installed.
    """
    counts = Counter(piece.text.lower() for piece in pieces(text))
    stops = _stop_words()
    return {
        word: count for word, count in counts.items() if len(word) < _SHORTEST_WORD or word in stops
    }


def characters(words: Mapping[str, int]) -> dict[str, int]:
    """Return the Chinese characters of longer words, with their counts."""
    counts: dict[str, int] = {}
    for word, count in words.items():
        for character in word if len(word) > 1 else ():
            if _is_han(character):
                counts[character] = counts.get(character, 0) + count
    return counts


def word_parts(words: Mapping[str, int]) -> dict[str, int]:
    """Return the words of the dictionary that lie within longer words, with their counts.

    Two short texts on one subject seldom have long words in common, but parts of them.

    Raises:
        MissingExtra: jieba is not installed.
    """
    counts: dict[str, int] = {}
    for word, count in words.items():
        for part in _parts(word) if len(word) > _SHORTEST_WORD else ():
            counts[part] = counts.get(part, 0) + count
    return counts


@lru_cache(maxsize=1 << 16)
def _parts(word: str) -> tuple[str, ...]:
    scores, stops = load_dictionary().scores, _stop_words()
    parts = (
        word[start : start + length]
        for length in _PART_LENGTHS
        if length < len(word)
        for start in range(len(word) - length + 1)
    )
    return tuple(part for part in parts if scores.get(part) is not None and part not in stops)


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return stop_words("zh") | _ADDRESS_WORDS


def pieces(text: str) -> Iterator[Piece]:
    """Yield the words of a text, of other scripts too, without numbers, punctuation and addresses.

    Raises:
        MissingExtra: jieba is not installed.
    """
    dictionary = load_dictionary()
    for run in _RUN.finditer(text):
        start, characters = run.start(), run.group()
        if _ADDRESS.match(characters):
            continue
        if not _is_han(characters[0]):
            yield Piece(characters, start, "")
            continue
        for word in segment_words(characters, dictionary):
            yield Piece(word, start, _tag(word, dictionary))
            start += len(word)


def _is_han(character: str) -> bool:
    return "㐀" <= character <= "鿿" or "豈" <= character <= "﫿" or character >= "𠀀"


def _tag(word: str, dictionary: Dictionary) -> str:
    """Return the kind of name that a word is; empty for none.

    The dictionary marks many an everyday word as a person: those must begin with a surname, or be
    transliterated. A short word that it lacks is a person when it begins with a surname.
    """
    tag = dictionary.tags.get(word, "")
    if tag in ("ns", "nt"):
        return tag
    if tag == "nrt":
        return "nr" if len(word) > _SHORTEST_WORD else ""
    if word[0] not in dictionary.surnames or not _SHORTEST_WORD <= len(word) <= _LONGEST_PERSON:
        return ""
    score = dictionary.scores.get(word)
    if score is None:
        return "nr"
    return tag if score < _COMMON or len(word) == _LONGEST_PERSON else ""


def _names(segments: list[Piece], text: str) -> tuple[Entity, ...]:
    names: list[Piece] = []
    for piece in segments:
        if names and _continues(names[-1], piece, text):
            last = names.pop()
            names.append(Piece(text[last.start : _end(piece)], last.start, last.tag))
        elif piece.tag and len(piece.text) >= _SHORTEST_WORD:
            names.append(piece)
    mentions: dict[str, list[Piece]] = {}
    for name in names:
        mentions.setdefault(name.text, []).append(name)
    return tuple(_entity(pieces_of_name) for pieces_of_name in mentions.values())


def _continues(last: Piece, piece: Piece, text: str) -> bool:
    """Check whether a person's name goes on behind a joint."""
    end = _end(last)
    return last.tag == "nr" and piece.start == end + 1 and text[end] in _NAME_JOINTS


def _end(piece: Piece) -> int:
    return piece.start + len(piece.text)


def _entity(mentions: list[Piece]) -> Entity:
    first = mentions[0]
    spans = tuple((mention.start, _end(mention)) for mention in mentions)
    return Entity(first.text, len(mentions), spans, first.tag)
