"""Every method by its name, and those whose fingerprints an index can hold."""

import re
from collections.abc import Callable, Mapping
from functools import cache

from es_simhash.errors import InputError, SchemeError
from es_simhash.lab.methods.character_simhash import CharacterSimhash
from es_simhash.lab.methods.concept_method import ConceptSimhash
from es_simhash.lab.methods.concept_simhash import ConceptScheme
from es_simhash.lab.methods.concept_vectors import ConceptCosine
from es_simhash.lab.methods.datasketch_minhash import DatasketchMinHash
from es_simhash.lab.methods.longest_subsequence import LongestCommonSubsequence
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_scheme import FingerprintMethod
from es_simhash.lab.methods.minhash import MinHash
from es_simhash.lab.methods.parts_of_speech import SpacyTagger
from es_simhash.lab.methods.project_method import ProjectMethod
from es_simhash.lab.methods.sentence_simhash import SentenceSimhash
from es_simhash.lab.methods.shingle_sets import ExactSets
from es_simhash.lab.methods.token_simhash import TokenSimhash
from es_simhash.lab.methods.weighted_simhash import SPACY_NAME, WeightedSimhash

FINGERPRINT_METHODS: Mapping[str, Callable[[], FingerprintMethod]] = {
    "concept-simhash-doc": lambda: _concepts("doc", 0, "tfidf"),
    "concept-simhash-doc-plain": lambda: _concepts("doc-plain", 0, "plain"),
    "concept-simhash-par": lambda: _concepts("par", 2, "tfidf"),
    "concept-simhash-par-plain": lambda: _concepts("par-plain", 2, "plain"),
    "minhash-modular": lambda: MinHash.of_family("modular"),
    "minhash-multiplicative": lambda: MinHash.of_family("multiplicative"),
    "minhash-murmur3": lambda: MinHash.of_family("murmur3"),
    "simhash-4grams": CharacterSimhash,
    "simhash-bigrams-16": lambda: SentenceSimhash(16, threshold=0.9),
    "simhash-bigrams-32": lambda: SentenceSimhash(32),
    "simhash-bigrams-64": lambda: SentenceSimhash(64),
    "token-simhash": TokenSimhash,
    "weighted-simhash": WeightedSimhash,
}


def _concepts(variant: str, close_pairs: int, weights: str) -> FingerprintMethod:
    scheme = ConceptScheme(close_pairs=close_pairs, weights=weights)
    return ConceptSimhash(f"concept-simhash-{variant}", scheme)


@cache
def fingerprint_methods() -> Mapping[str, FingerprintMethod]:
    """Return the methods whose fingerprints an index can hold, by their names."""
    return {name: make() for name, make in FINGERPRINT_METHODS.items()}


def fingerprint_method(name: str) -> FingerprintMethod:
    """Return a method that makes fingerprints, by its name or that of its scheme.

    Raises:
        InputError: There is none of that name: no method, or one that makes no fingerprints.
    """
    methods = fingerprint_methods()
    for method in methods.values():
        if name in (method.name, method.scheme.name):
            return method
    raise InputError(
        f"{name!r} is no method whose fingerprints can be stored. Choose one of "
        f"{', '.join(methods)}."
    )


def method_of_scheme(name: str, scheme: str) -> FingerprintMethod:
    """Return the method that computes a scheme an index was installed with.

    Args:
        name: Name of the method.
        scheme: Published name of the scheme.

    Raises:
        SchemeError: This version of the package computes another scheme, or none.
        MissingExtra: A package that it needs is not installed.
    """
    method = fingerprint_methods().get(name)
    if method is None or method.scheme.name != scheme:
        raise SchemeError(
            f"This version of es-simhash does not compute scheme {scheme!r} of method {name!r}. "
            "Use the version that installed it."
        )
    method.scheme.require_packages()
    return method


DEFAULT_METHOD = "es-simhash"
_MAX_LENGTH = 50

_METHODS: Mapping[str, Callable[[], Method]] = {
    **FINGERPRINT_METHODS,
    DEFAULT_METHOD: ProjectMethod,
    "bag-of-words": lambda: ExactSets("bag-of-words", 1),
    "concept-kmeans": lambda: ConceptCosine("concept-kmeans", clustered=True),
    "lcs": LongestCommonSubsequence,
    "minhash": DatasketchMinHash,
    "tfidf-cosine": lambda: ConceptCosine("tfidf-cosine"),
    "weighted-simhash-corpus": lambda: WeightedSimhash(corpus=True),
    "word-frequency": lambda: ConceptCosine("word-frequency", paragraphs=True, rarity=False),
    "shingles": lambda: ExactSets("shingles", 5, contained=True),
}


# Names with a number: the run of characters or words.
_PATTERN = re.compile(r"jaccard-(chars|words)-([1-9][0-9]?)")
_SHOWN = ("jaccard-chars-9", "jaccard-words-3")


def method_names() -> list[str]:
    """Return the names of all methods, the default first; of those with a number, one each.

    That of the weighted simhash by spaCy is not among them: it needs a trained pipeline.
    """
    return [DEFAULT_METHOD, *sorted({*_METHODS, *_SHOWN} - {DEFAULT_METHOD})]


def method_named(name: str) -> Method:
    """Return a method.

    Raises:
        InputError: There is none of that name.
        MissingExtra: A package that it needs is not installed.
    """
    if name == SPACY_NAME:
        return WeightedSimhash(tagger=SpacyTagger.installed(name))
    if name in _METHODS:
        return _METHODS[name]()
    match = _PATTERN.fullmatch(name)
    if match is not None and int(match[2]) <= _MAX_LENGTH:
        return ExactSets(name, int(match[2]), characters=match[1] == "chars")
    raise InputError(
        f"Unknown method {name!r}. Choose one of {', '.join([*method_names(), SPACY_NAME])}."
    )
