"""Word lists that come with the package: stop words, and kinds of words that rules know."""

from functools import lru_cache
from importlib.resources import files

# Lists are kept under one code where a language has several.
LANGUAGE_ALIASES = {"nn": "nb", "no": "nb"}
# Holds for every language.
ANY_LANGUAGE = "*"


def is_stop_word(word: str, language: str) -> bool:
    """Check whether a word in normal form says nothing about the topic of a text."""
    if word in stop_words(language):
        return True
    # Hiragana without kanji are endings and particles, as a stop list would hold.
    return language == "ja" and all("ぁ" <= character <= "ゟ" for character in word)


def stop_words(language: str) -> frozenset[str]:
    """Return the stop list of a language; empty when there is none."""
    return stop_lists().get(LANGUAGE_ALIASES.get(language, language), frozenset())


@lru_cache(maxsize=1)
def stop_lists() -> dict[str, frozenset[str]]:
    """Return the stop list of each language that has one (see NOTICE)."""
    return {language: frozenset(words) for language, *words in data_rows("stop_words.txt")}


@lru_cache(maxsize=1024)
def rule_words(kind: str, language: str) -> frozenset[str]:
    """Return one list of a kind of words, with what it holds for any language."""
    rows = _rule_lists()
    return rows.get((kind, ANY_LANGUAGE), frozenset()) | rows.get((kind, language), frozenset())


@lru_cache(maxsize=16)
def words_of_kind(kind: str) -> frozenset[str]:
    """Return the words of a kind in all languages."""
    return frozenset().union(*(words for (name, _), words in _rule_lists().items() if name == kind))


@lru_cache(maxsize=1)
def _rule_lists() -> dict[tuple[str, str], frozenset[str]]:
    rows = (*data_rows("entity_rules.txt"), *data_rows("word_kinds.txt"))
    return {(kind, language): frozenset(words) for kind, language, *words in rows}


def data_rows(name: str) -> list[list[str]]:
    """Return the words of each row of a file in `data`; those that begin with # are comments."""
    lines = (files("es_simhash.semantics") / "data" / name).read_text("utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]
