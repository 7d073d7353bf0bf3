"""From texts to what they are about: extraction, weights, vectors, for whole batches."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError, MissingExtra
from es_simhash.semantics.entities.document_fields import join_mentions, upstream_entities
from es_simhash.semantics.extraction import Entity, Extraction, Extractor
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.profile import (
    ASKED_CONCEPTS,
    PACKAGES,
    STORED_CONCEPTS,
    VOCABULARY_MARK,
    WORD_VECTORS,
    SemanticProfile,
    SemanticScheme,
    concept_key,
    installed_packages,
    require_dims,
)
from es_simhash.semantics.rarity import rarity
from es_simhash.semantics.vocabulary.files import load_vocabulary
from es_simhash.semantics.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from es_simhash.semantics.vectors import WordVectors

Embed: TypeAlias = Callable[[Sequence[str]], Any]
# A word of an entity counts this much more than another word of its frequency
# (docs/semantic-neighbours.md).
ENTITY_BOOST = 0.3
# A concept of the user's vocabulary beside the words; 0.3 neither helps nor harms rankings.
VOCABULARY_WEIGHT = 0.3
# How much more a Chinese word counts that is repeated (docs/semantic-neighbours.md).
CHINESE_POWER = 0.7
# Language of the word-vector table.
TABLE_LANGUAGE = "en"


@dataclass(frozen=True)
class SemanticProfiler:
    """Reads what texts are about, as one scheme says.

    Attributes:
        scheme: The scheme.
        extractor: What finds words and entities.
        vectors: The word-vector table; None when the scheme has another source, or none.
        embed: Function that gives the vectors of texts; None when the scheme has none.
        vocabulary: Concepts to weigh beside the words; None for none.
    """

    scheme: SemanticScheme
    extractor: Extractor
    vectors: "WordVectors | None" = None
    embed: Embed | None = None
    vocabulary: Vocabulary | None = None

    def read(
        self, texts: Sequence[str], sources: Sequence[Mapping[str, Any]] | None = None
    ) -> list[SemanticProfile]:
        """Read a batch of texts.

        Args:
            texts: The texts.
            sources: The documents they are from, when the scheme names fields of entities.

        Raises:
            InputError: An entity field or a vector has the wrong shape.
        """
        extractions = self.extractor.extract(texts)
        if self.scheme.entity_fields and sources is not None:
            extractions = [
                _with_upstream(extraction, source, self.scheme.entity_fields)
                for extraction, source in zip(extractions, sources, strict=True)
            ]
        concepts = self._weighed(texts, extractions)
        vectors = self._vectors(texts, extractions)
        return [
            SemanticProfile(
                extraction.language,
                weighed,
                extraction.entities,
                vector,
                self.scheme.packages,
                self._kept(vector),
            )
            for extraction, weighed, vector in zip(extractions, concepts, vectors, strict=True)
        ]

    def _kept(self, vector: NDArray[np.float32] | None) -> int:
        """Texts without a vector keep twice as many concepts in its place."""
        has_vector = vector is not None or self.scheme.vector_field is not None
        return STORED_CONCEPTS if has_vector else 2 * STORED_CONCEPTS

    def _weighed(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[dict[str, float]]:
        """Concepts of each text by falling weight, the squares of all of them adding up to 1."""
        found: list[dict[str, float]] = [{} for _ in extractions]
        packages = self.scheme.packages
        by_language: dict[str, list[int]] = defaultdict(list)
        for number, extraction in enumerate(extractions):
            by_language[extraction.language].append(number)
        for language, numbers in by_language.items():
            group = [extractions[number] for number in numbers]
            extra = [self._vocabulary_weights(texts[number], language) for number in numbers]
            for number, weighed in zip(
                numbers, _weights(group, language, extra, packages), strict=True
            ):
                found[number] = weighed
        return found

    def _vocabulary_weights(self, text: str, language: str) -> dict[str, float]:
        if self.vocabulary is None:
            return {}
        return {
            VOCABULARY_MARK + concept_key(each.label): each.weight * VOCABULARY_WEIGHT
            for each in self.vocabulary.find(text, language)
        }

    def _vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[NDArray[np.float32] | None]:
        if self.embed is not None:
            return _own_vectors(self.embed, texts, self.scheme)
        if self.vectors is None:
            return [None] * len(texts)
        # A table of one language says nothing about words of another that look alike.
        counts = [
            (each.forms or each.words) if each.language == TABLE_LANGUAGE else {}
            for each in extractions
        ]
        rows = self.vectors.vectors(counts)
        return [row if row.any() else None for row in rows]


@lru_cache(maxsize=8)
def semantic_profiler(
    scheme: SemanticScheme, vocabulary_path: str | None = None
) -> SemanticProfiler:
    """Return the reader of a scheme; it is made once.

    Args:
        scheme: The scheme.
        vocabulary_path: File of the vocabulary, when the scheme weighs one.

    Raises:
        MissingExtra: The scheme needs a package that is not installed.
        InputError: The scheme names a function that is not there, or another vocabulary.
    """
    vocabulary = _weighed_vocabulary(scheme, vocabulary_path)
    extractor = _extractor(scheme)
    if scheme.vectors.startswith("python:"):
        embed = _function(scheme.vectors.removeprefix("python:"))
        return SemanticProfiler(scheme, extractor, embed=embed, vocabulary=vocabulary)
    from es_simhash.semantics.vectors import WordVectors

    vectors = WordVectors.load() if scheme.vectors == WORD_VECTORS else None
    return SemanticProfiler(scheme, extractor, vectors, vocabulary=vocabulary)


def _extractor(scheme: SemanticScheme) -> Extractor:
    if scheme.extractor.startswith("spacy:"):
        from es_simhash.semantics.extractors.spacy_pipeline import SpacyExtractor

        return SpacyExtractor(scheme.extractor.removeprefix("spacy:"))
    from es_simhash.semantics.extractors.builtin import BuiltinExtractor

    for package in sorted(scheme.packages - installed_packages()):
        raise MissingExtra(
            f"The index was installed where the package {package!r} is, and reads texts with it; "
            f"run `pip install 'es-simhash[{PACKAGES[package]}]'` here too."
        )
    return BuiltinExtractor(scheme.language, packages=scheme.packages)


def vocabulary_digest(path: str) -> str:
    """Return the digest by which a scheme names the vocabulary in a file.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(
            f"The vocabulary {path} cannot be read ({error.strerror}); name another file."
        ) from error


def _weighed_vocabulary(scheme: SemanticScheme, path: str | None) -> Vocabulary | None:
    if not scheme.vocabulary:
        return None
    if path is None or vocabulary_digest(path) != scheme.vocabulary:
        raise InputError(
            f"The index weighs the vocabulary with digest {scheme.vocabulary}, but "
            f"{'none' if path is None else path} was given; name that file with --vocabulary."
        )
    return load_vocabulary(path)


def _function(path: str) -> Embed:
    module, _, name = path.partition(":")
    try:
        found: Embed = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"There is no function {path!r} ({error}); name one as module:function, "
            "in a module that Python can import."
        ) from error
    return found


def _own_vectors(
    embed: Embed, texts: Sequence[str], scheme: SemanticScheme
) -> list[NDArray[np.float32] | None]:
    try:
        rows = [np.asarray(row, np.float32) for row in embed(texts)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{scheme.vectors} gave no vectors ({error}); a list of numbers for each text "
            "is needed."
        ) from error
    if len(rows) != len(texts):
        raise InputError(
            f"{scheme.vectors} gave {len(rows)} vectors for {len(texts)} texts; one each is needed."
        )
    found: list[NDArray[np.float32] | None] = []
    for row in rows:
        require_dims(row, scheme.dims, scheme.vectors)
        if not np.isfinite(row).all():
            raise InputError(
                f"{scheme.vectors} gave a vector with NaN or an infinite number; "
                "repair the function."
            )
        norm = float(np.linalg.norm(row.astype(np.float64)))
        found.append((row / norm).astype(np.float32) if norm > 0 else None)
    return found


def _with_upstream(
    extraction: Extraction, source: Mapping[str, Any], fields: Sequence[str]
) -> Extraction:
    """Add the entities that the document has already to those found in its text."""
    entities = join_mentions([*extraction.entities, *upstream_entities(source, fields)])
    return replace(extraction, entities=entities)


def _weights(
    extractions: Sequence[Extraction],
    language: str,
    extra: Sequence[Mapping[str, float]],
    packages: frozenset[str],
) -> Iterator[dict[str, float]]:
    """Weigh the words of texts of one language: (1 + ln frequency) x rarity, entities more."""
    mentions = [_entity_words(each.entities, language) for each in extractions]
    # Entities that come with the document may have words that its text lacks.
    names = [
        [*each.words, *(word for word in mentioned if word not in each.words)]
        for each, mentioned in zip(extractions, mentions, strict=True)
    ]
    words = list(chain.from_iterable(names))
    counts = chain.from_iterable(
        map(each.words.get, own, [0] * len(own))
        for each, own in zip(extractions, names, strict=True)
    )
    mentioned = chain.from_iterable(
        map(each.get, own, [0] * len(own)) for each, own in zip(mentions, names, strict=True)
    )
    weights = _damped(counts, len(words), language)
    weights += ENTITY_BOOST * _damped(mentioned, len(words), language)
    weights *= rarity(words, language, packages)
    bounds = np.cumsum([0, *map(len, names)])
    for number, added in enumerate(extra):
        yield _heaviest(words[bounds[number] : bounds[number + 1]],
                        weights[bounds[number] : bounds[number + 1]], added)  # fmt: skip


def _damped(counts: Iterator[int], size: int, language: str) -> NDArray[np.float32]:
    """1 + ln of each count, of Chinese words its power of 0.7; 0 where there is none."""
    found = np.fromiter(counts, np.float32, size)
    if language == "zh":
        damped = found**CHINESE_POWER
    else:
        damped = np.where(found > 0, 1 + np.log(np.maximum(found, 1)), 0)
    return damped.astype(np.float32)


def _entity_words(entities: Sequence[Entity], language: str) -> dict[str, int]:
    if language == "zh":
        # Names are words there, cut by jieba; weighing them more does not help.
        return {}
    mentions = " ".join(f"{each.text} " * min(each.count, 50) for each in entities)
    return count_words(mentions, language) if mentions else {}


def _heaviest(
    words: Sequence[str], weights: NDArray[np.float32], extra: Mapping[str, float]
) -> dict[str, float]:
    """The heaviest concepts, scaled by the norm of all; equal weights in the order of the text."""
    norm = float(np.sqrt(np.square(weights).sum()))
    if extra:
        # Vocabulary concepts are weighed beside the words as a whole.
        words = [*words, *extra]
        weights = np.concatenate([weights, norm * np.array([*extra.values()], np.float32)])
        norm = float(np.sqrt(np.square(weights).sum()))
    if not norm:
        return {}
    order = np.argsort(-weights, kind="stable")[:ASKED_CONCEPTS]
    order = order[weights[order] > 0]
    scaled = (weights[order] / norm).tolist()
    return {words[place]: weight for place, weight in zip(order.tolist(), scaled, strict=True)}
