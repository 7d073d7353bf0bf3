"""Key phrases: sequences of content words that occur in a text more than once."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log

from es_simhash.semantics.entities.batch_names import find_batch_entities
from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.counted_words import TextWords, count_texts
from es_simhash.semantics.languages.detection import DetectedLanguage, detect_languages
from es_simhash.semantics.languages.letter_runs import LetterRuns
from es_simhash.semantics.languages.word_lists import is_stop_word
from es_simhash.semantics.languages.words import (
    Word,
    count_others,
    count_words,
    words_with_offsets,
)
from es_simhash.semantics.rarity import UNKNOWN_RARITY, rarity, require_package
from es_simhash.semantics.semantic_profile import (
    SHORT_CHARACTERS,
    SHORT_WORDS,
    Entity,
    Extraction,
    Phrase,
)
from es_simhash.semantics.semantic_scheme import BUILTIN, installed_packages

MAX_PHRASES = 10
_MAX_WORDS = 4
_MIN_COUNT = 2
# What may separate two words of a phrase; a line break ends it, as headings have no full stop.
_JOINT = re.compile(r"[ \u00a0\-‐]?")

Grams = dict[tuple[str, ...], list[tuple[int, int]]]
# Texts without stop words, such as headlines, are English when this many of their words are.
_MIN_KNOWN_SHARE = 0.8
_SAMPLE_CHARACTERS = 2000


def find_phrases(
    text: str,
    language: str,
    packages: frozenset[str] | None = None,
) -> tuple[Phrase, ...]:
    """Return the key phrases of two to four words, in the order of their first mention.

    They occur at least twice; one that occurs only inside a longer one is left out. They are chosen
    by (1 + ln count) x the sum of their words' rarities. Scripts that put no spaces between words
    have none, but for Chinese with jieba.

    Args:
        text: The text.
        language: ISO 639-1 code; empty when unknown.
        packages: Packages that may be used; by default those installed.
    """
    words = _words(text, language, installed_packages() if packages is None else packages)
    grams = _maximal(_repeated(words, text, language))
    scores = _scores(grams, language, packages)
    best = sorted(grams, key=lambda gram: -scores[gram])[:MAX_PHRASES]
    return tuple(
        Phrase(" ".join(gram), len(grams[gram]), tuple(grams[gram]))
        for gram in sorted(best, key=lambda gram: grams[gram][0])
    )


def _words(text: str, language: str, packages: frozenset[str]) -> list[Word]:
    if language == "zh" and "jieba" in packages:
        return chinese.words_with_offsets(text)
    return words_with_offsets(text, language)


def _repeated(words: Sequence[Word], text: str, language: str) -> Grams:
    """Return the places of each sequence of content words that occurs twice or more."""
    normals = [word.normal for word in words]
    pairs = Counter(itertools.pairwise(normals))
    frequent_pairs = {
        pair
        for pair, count in pairs.items()
        if count >= _MIN_COUNT and not any(_is_no_content(word, language) for word in pair)
    }
    grams: Grams = defaultdict(list)
    for first, last in _stretches(words, frequent_pairs, text):
        for start in range(first, last):
            for end in range(start + 2, min(start + _MAX_WORDS, last + 1) + 1):
                grams[tuple(normals[start:end])].append((words[start].start, words[end - 1].end))
    return {gram: places for gram, places in grams.items() if len(places) >= _MIN_COUNT}


def _is_no_content(word: str, language: str) -> bool:
    return len(word) < 2 or is_stop_word(word, language)


def _stretches(
    words: Sequence[Word], frequent_pairs: set[tuple[str, str]], text: str
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each stretch of frequent pairs."""
    first = None
    for number, (word, following) in enumerate(itertools.pairwise(words)):
        if (
            (word.normal, following.normal) in frequent_pairs
            and word.end <= following.start
            and _JOINT.fullmatch(text, word.end, following.start)
        ):
            first = number if first is None else first
        elif first is not None:
            yield first, number
            first = None
    if first is not None:
        yield first, len(words) - 1


def _maximal(grams: Grams) -> Grams:
    """Return the sequences without those only inside longer ones or of one repeated word."""
    inside = {
        part: len(places)
        for gram, places in sorted(grams.items(), key=lambda item: len(item[1]))
        for part in (gram[:-1], gram[1:])
    }
    return {
        gram: places
        for gram, places in grams.items()
        if len(places) > inside.get(gram, 0) and len(set(gram)) > 1
    }


def _scores(
    grams: Grams, language: str, packages: frozenset[str] | None
) -> dict[tuple[str, ...], float]:
    words = sorted({word for gram in grams for word in gram})
    rarities = dict(zip(words, rarity(words, language, packages).tolist(), strict=True))
    return {
        gram: (1 + log(len(places))) * sum(rarities[word] for word in gram)
        for gram, places in grams.items()
    }


def text_language(text: str, language: str = "") -> str:
    """Return the ISO 639-1 code of the language of a text; empty when nothing fits.

    Args:
        text: The text.
        language: That of all texts; empty to detect it.
    """
    return language or _language_of(text, detect_languages([text], None)[0])


def _language_of(text: str, detected: DetectedLanguage) -> str:
    """Return the language of a text; that of its words where few of them are stop words.

    Headlines, tables and notices have few, and "net" or "per" are stop words of several languages.
    """
    if detected.is_sure or detected.code == "en":
        return detected.code
    return _english_by_words(text) or detected.code


def _english_by_words(text: str) -> str:
    """Return `en` for a text most of whose words are English, else nothing."""
    if not text[:_SAMPLE_CHARACTERS].isascii():
        return ""
    words = count_words(text[:_SAMPLE_CHARACTERS], "en")
    known = rarity(words, "en", frozenset()) < UNKNOWN_RARITY
    return "en" if words and known.mean() >= _MIN_KNOWN_SHARE else ""


class BuiltinExtractor:
    """Extracts words and entities by rules; implements `Extractor`. `find_phrases` takes longer.

    Args:
        language: ISO 639-1 code when all texts are in one language; empty to detect that of each.
        packages: Packages to use; by default those that are installed. Without jieba, Chinese
            words are pairs of characters.
    """

    def __init__(self, language: str = "", *, packages: frozenset[str] | None = None) -> None:
        self._language = language
        self._packages = installed_packages() if packages is None else packages

    @property
    def name(self) -> str:
        """Name with the packages that its output depends on."""
        return "+".join([BUILTIN, *sorted(self._packages)])

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return one extraction for each text of a batch, in order.

        Raises:
            MissingExtra: A text is in a language that a package is needed for.
        """
        runs = LetterRuns.of_batch(texts)
        languages = self._languages(texts, runs)
        for language in set(languages):
            require_package(language, self._packages)
        has_segments = "jieba" in self._packages
        entities = self._entities(texts, languages, is_batch=runs is not None)
        counted = count_texts(
            texts, [None if has_segments and each == "zh" else each for each in languages], runs
        )
        return [
            self._extraction(text, language, words, names)
            for text, language, words, names in zip(
                texts, languages, counted, entities, strict=True
            )
        ]

    def _languages(self, texts: Sequence[str], runs: LetterRuns | None) -> list[str]:
        if self._language:
            return [self._language] * len(texts)
        detected = detect_languages(texts, runs)
        return list(map(_language_of, texts, detected))

    def _entities(
        self, texts: Sequence[str], languages: Sequence[str], *, is_batch: bool
    ) -> list[Sequence[Entity]]:
        if is_batch:
            return find_batch_entities(texts, languages, self._packages)
        return [
            find_entities(text, language, self._packages)
            for text, language in zip(texts, languages, strict=True)
        ]

    def _extraction(
        self, text: str, language: str, counted: TextWords, entities: Sequence[Entity]
    ) -> Extraction:
        if language != "zh" or "jieba" not in self._packages:
            forms, words = counted
            others = _other_words(text, language, words, lambda: count_others(text, language))
            return Extraction(language, words, forms, entities, other_words=others)
        words, names = chinese.words_and_names(text)
        # The rules find the names in Latin letters.
        all_names = tuple(sorted((*names, *entities), key=lambda entity: entity.spans[0]))
        others = _other_words(text, language, words, lambda: chinese.count_others(text))
        return Extraction(language, words, {}, all_names, other_words=others)


def _other_words(
    text: str, language: str, words: Mapping[str, int], count: Callable[[], dict[str, int]]
) -> dict[str, int]:
    """Return the words beside the content words of a short text; nothing of longer ones."""
    if len(words) >= SHORT_WORDS or len(text) > SHORT_CHARACTERS:
        return {}
    others = count()
    # A text of nothing but stop words is about nothing.
    return others if words or not all(is_stop_word(word, language) for word in others) else {}
