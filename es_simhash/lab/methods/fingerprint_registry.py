"""The methods whose fingerprints an index can hold, by their names."""

from collections.abc import Callable, Mapping
from functools import cache

from es_simhash.errors import InputError, SchemeError
from es_simhash.lab.methods.character_simhash import CharacterSimhash
from es_simhash.lab.methods.concept_simhash import ConceptScheme
from es_simhash.lab.methods.concepts import ConceptSimhash
from es_simhash.lab.methods.minhash import MinHash
from es_simhash.lab.methods.scheme import FingerprintMethod
from es_simhash.lab.methods.sentence_simhash import SentenceSimhash
from es_simhash.lab.methods.token_simhash import TokenSimhash
from es_simhash.lab.methods.weighted_simhash import WeightedSimhash

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
