"""Every method by its name."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import cast

from es_simhash.errors import InputError
from es_simhash.methods.character_simhash import CharacterSimhash
from es_simhash.methods.concept_vectors import ConceptCosine
from es_simhash.methods.concepts import ConceptSimhash
from es_simhash.methods.datasketch_minhash import DatasketchMinHash
from es_simhash.methods.exact_sets import ExactSets
from es_simhash.methods.lcs import LongestCommonSubsequence
from es_simhash.methods.minhash import MinHash
from es_simhash.methods.model import Method
from es_simhash.methods.project import ProjectMethod
from es_simhash.methods.scheme import FingerprintMethod, FingerprintScheme
from es_simhash.methods.sentence_simhash import SentenceSimhash
from es_simhash.methods.spacy_tagger import SpacyTagger
from es_simhash.methods.token_simhash import TokenSimhash
from es_simhash.methods.weighted_simhash import SPACY_NAME, WeightedSimhash
from es_simhash.semantics.concept_simhash import ConceptScheme

DEFAULT_METHOD = "es-simhash"
_MAX_LENGTH = 50

_METHODS: Mapping[str, Callable[[], Method]] = {
    DEFAULT_METHOD: ProjectMethod,
    "bag-of-words": lambda: ExactSets("bag-of-words", 1),
    "concept-kmeans": lambda: ConceptCosine("concept-kmeans", clustered=True),
    "concept-simhash-doc": lambda: _concepts("doc", 0, "tfidf"),
    "concept-simhash-doc-plain": lambda: _concepts("doc-plain", 0, "plain"),
    "concept-simhash-par": lambda: _concepts("par", 2, "tfidf"),
    "concept-simhash-par-plain": lambda: _concepts("par-plain", 2, "plain"),
    "lcs": LongestCommonSubsequence,
    "minhash": DatasketchMinHash,
    "minhash-modular": lambda: MinHash.of_family("modular"),
    "minhash-multiplicative": lambda: MinHash.of_family("multiplicative"),
    "minhash-murmur3": lambda: MinHash.of_family("murmur3"),
    "simhash-4grams": CharacterSimhash,
    "simhash-bigrams-16": lambda: SentenceSimhash(16, threshold=0.9),
    "simhash-bigrams-32": lambda: SentenceSimhash(32),
    "simhash-bigrams-64": lambda: SentenceSimhash(64),
    "tfidf-cosine": lambda: ConceptCosine("tfidf-cosine"),
    "token-simhash": TokenSimhash,
    "weighted-simhash": WeightedSimhash,
    "weighted-simhash-corpus": lambda: WeightedSimhash(corpus=True),
    "word-frequency": lambda: ConceptCosine("word-frequency", paragraphs=True, rarity=False),
    "shingles": lambda: ExactSets("shingles", 5, contained=True),
}


def _concepts(variant: str, close_pairs: int, weights: str) -> Method:
    scheme = ConceptScheme(close_pairs=close_pairs, weights=weights)
    return ConceptSimhash(f"concept-simhash-{variant}", scheme)


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


@cache
def fingerprint_methods() -> Mapping[str, FingerprintMethod]:
    """Return the methods whose fingerprints an index can hold, by their names."""
    methods = {name: method_named(name) for name in sorted(_METHODS)}
    return {
        name: cast(FingerprintMethod, method)
        for name, method in methods.items()
        if _has_scheme(method)
    }


def _has_scheme(method: Method) -> bool:
    """Check whether the fingerprints of a method are published, with just these options."""
    scheme = getattr(method, "scheme", None)
    return isinstance(scheme, FingerprintScheme) and scheme.method == method.name


def fingerprint_method(name: str) -> FingerprintMethod:
    """Return a method that makes fingerprints, by its name or that of its scheme.

    Raises:
        InputError: There is none of that name, or it makes no fingerprints that can be stored.
    """
    methods = fingerprint_methods()
    for method in methods.values():
        if name in (method.name, method.scheme.name):
            return method
    if name in _METHODS or name == SPACY_NAME or _PATTERN.fullmatch(name):
        raise InputError(
            f"Method {name!r} makes no fingerprints that an index can hold. Choose one of "
            f"{', '.join(methods)}."
        )
    raise InputError(f"Unknown method {name!r}. Choose one of {', '.join(methods)}.")
