"""Every method by its name."""

import re
from collections.abc import Callable, Mapping

from es_simhash.errors import InputError
from es_simhash.methods.character_simhash import CharacterSimhash
from es_simhash.methods.datasketch_minhash import DatasketchMinHash
from es_simhash.methods.exact_sets import ExactSets
from es_simhash.methods.lcs import LongestCommonSubsequence
from es_simhash.methods.minhash import MinHash
from es_simhash.methods.model import Method
from es_simhash.methods.project import ProjectMethod
from es_simhash.methods.sentence_simhash import SentenceSimhash
from es_simhash.methods.token_simhash import TokenSimhash

DEFAULT_METHOD = "es-simhash"
_MAX_LENGTH = 50

_METHODS: Mapping[str, Callable[[], Method]] = {
    DEFAULT_METHOD: ProjectMethod,
    "bag-of-words": lambda: ExactSets("bag-of-words", 1),
    "lcs": LongestCommonSubsequence,
    "minhash": DatasketchMinHash,
    "minhash-modular": lambda: MinHash.of_family("modular"),
    "minhash-multiplicative": lambda: MinHash.of_family("multiplicative"),
    "minhash-murmur3": lambda: MinHash.of_family("murmur3"),
    "simhash-4grams": CharacterSimhash,
    "simhash-bigrams-16": lambda: SentenceSimhash(16),
    "simhash-bigrams-32": lambda: SentenceSimhash(32),
    "simhash-bigrams-64": lambda: SentenceSimhash(64),
    "token-simhash": TokenSimhash,
    "shingles": lambda: ExactSets("shingles", 5, contained=True),
}
# Names with a number: the run of characters or words.
_PATTERN = re.compile(r"jaccard-(chars|words)-([1-9][0-9]?)")
_SHOWN = ("jaccard-chars-9", "jaccard-words-3")


def method_names() -> list[str]:
    """Return the names of all methods, the default first; of those with a number, one each."""
    return [DEFAULT_METHOD, *sorted({*_METHODS, *_SHOWN} - {DEFAULT_METHOD})]


def method_named(name: str) -> Method:
    """Return a method.

    Raises:
        InputError: There is none of that name.
        MissingExtra: A package that it needs is not installed.
    """
    if name in _METHODS:
        return _METHODS[name]()
    match = _PATTERN.fullmatch(name)
    if match is not None and int(match[2]) <= _MAX_LENGTH:
        return ExactSets(name, int(match[2]), characters=match[1] == "chars")
    raise InputError(
        f"Unknown method {name!r}. Choose one of {', '.join(method_names())}.",
    )
