"""Every method by its name, and those whose fingerprints an index can hold."""

import re
from collections.abc import Mapping

from es_simhash.errors import InputError, SchemeError, nearest_note
from es_simhash.lab.methods.character_simhash import CHARACTER_SIMHASH
from es_simhash.lab.methods.concept_method import concept_simhash
from es_simhash.lab.methods.concept_simhash import ConceptScheme
from es_simhash.lab.methods.concept_vectors import concept_cosine
from es_simhash.lab.methods.datasketch_minhash import DATASKETCH_MINHASH
from es_simhash.lab.methods.longest_subsequence import LONGEST_COMMON_SUBSEQUENCE
from es_simhash.lab.methods.method_protocol import Method
from es_simhash.lab.methods.method_scheme import FingerprintMethod
from es_simhash.lab.methods.minhash import FAMILIES, minhash
from es_simhash.lab.methods.parts_of_speech import SpacyTagger
from es_simhash.lab.methods.project_method import DEFAULT_METHOD, project_method
from es_simhash.lab.methods.sentence_simhash import sentence_simhash
from es_simhash.lab.methods.shingle_sets import exact_sets
from es_simhash.lab.methods.token_simhash import TOKEN_SIMHASH
from es_simhash.lab.methods.weighted_simhash import (
    CORPUS_WEIGHTED_SIMHASH,
    SPACY_NAME,
    WEIGHTED_SIMHASH,
    tagged_simhash,
)

# The methods whose fingerprints an index can hold, by their names.
FINGERPRINT_METHODS: Mapping[str, FingerprintMethod] = {
    method.name: method
    for method in (
        concept_simhash("doc", ConceptScheme()),
        concept_simhash("doc-plain", ConceptScheme(weights="plain")),
        concept_simhash("par", ConceptScheme(close_pairs=2)),
        concept_simhash("par-plain", ConceptScheme(close_pairs=2, weights="plain")),
        *map(minhash, FAMILIES),
        CHARACTER_SIMHASH,
        sentence_simhash(16, threshold=0.9),
        sentence_simhash(32),
        sentence_simhash(64),
        TOKEN_SIMHASH,
        WEIGHTED_SIMHASH,
    )
}
_METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        *FINGERPRINT_METHODS.values(),
        project_method(),
        exact_sets("bag-of-words", 1),
        exact_sets("shingles", 5, contained=True),
        concept_cosine("concept-kmeans", clustered=True),
        concept_cosine("tfidf-cosine"),
        concept_cosine("word-frequency", paragraphs=True, rarity=False),
        LONGEST_COMMON_SUBSEQUENCE,
        DATASKETCH_MINHASH,
        CORPUS_WEIGHTED_SIMHASH,
    )
}
# Names with a number: the run of characters or words.
_PATTERN = re.compile(r"jaccard-(chars|words)-([1-9][0-9]?)")
_SHOWN = ("jaccard-chars-9", "jaccard-words-3")
_MAX_LENGTH = 50


def fingerprint_method(name: str) -> FingerprintMethod:
    """Return a method that makes fingerprints, by its name or that of its scheme.

    Raises:
        InputError: There is none of that name: no method, or one that makes no fingerprints.
    """
    for method in FINGERPRINT_METHODS.values():
        if name in (method.name, method.scheme.name):
            return method
    raise InputError(
        f"{name!r} is no method whose fingerprints can be stored. Choose one of "
        f"{', '.join(FINGERPRINT_METHODS)}{nearest_note(name, FINGERPRINT_METHODS)}."
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
    method = FINGERPRINT_METHODS.get(name)
    if method is None or method.scheme.name != scheme:
        raise SchemeError(
            f"This version of es-simhash does not compute scheme {scheme!r} of method {name!r}. "
            "Use the version that installed it."
        )
    method.scheme.require_packages()
    return method


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
        return tagged_simhash(SpacyTagger.installed(name))
    if name in _METHODS:
        return _METHODS[name]
    match = _PATTERN.fullmatch(name)
    if match is not None and int(match[2]) <= _MAX_LENGTH:
        return exact_sets(name, int(match[2]), characters=match[1] == "chars")
    names = [*method_names(), SPACY_NAME]
    raise InputError(
        f"Unknown method {name!r}. Choose one of {', '.join(names)}{nearest_note(name, names)}."
    )
