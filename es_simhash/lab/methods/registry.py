"""Every method by its name."""

import re
from collections.abc import Callable, Mapping

from es_simhash.errors import InputError
from es_simhash.lab.methods.concept_vectors import ConceptCosine
from es_simhash.lab.methods.datasketch_minhash import DatasketchMinHash
from es_simhash.lab.methods.exact_sets import ExactSets
from es_simhash.lab.methods.fingerprint_registry import FINGERPRINT_METHODS
from es_simhash.lab.methods.lcs import LongestCommonSubsequence
from es_simhash.lab.methods.model import Method
from es_simhash.lab.methods.project import ProjectMethod
from es_simhash.lab.methods.spacy_tagger import SpacyTagger
from es_simhash.lab.methods.weighted_simhash import SPACY_NAME, WeightedSimhash

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
