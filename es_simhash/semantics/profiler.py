"""Semantic profiles of texts, in batches: extraction, weights and vectors of one scheme."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from es_simhash.errors import InputError, MissingExtra
from es_simhash.semantics.batch_weights import are_numbered, batch_weights
from es_simhash.semantics.concept_weights import profile_weights
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.semantics.extractors.builtin import BuiltinExtractor, text_language
from es_simhash.semantics.languages.lexicon import lexicon_of
from es_simhash.semantics.rarity import require_package
from es_simhash.semantics.semantic_profile import (
    STORED_CONCEPTS,
    VOCABULARY_PREFIX,
    Extraction,
    Extractor,
    SemanticProfile,
    WordTable,
    concept_term,
    merge_mentions,
)
from es_simhash.semantics.semantic_scheme import (
    DEFAULT_SEMANTICS,
    WORD_VECTORS,
    SemanticScheme,
    installed_packages,
)
from es_simhash.semantics.vectors import (
    Vector,
    VectorSource,
    WordVectors,
    no_vectors,
    table_counts,
    table_vectors,
    vector_source,
)
from es_simhash.semantics.vocabularies.vocabulary import Vocabulary
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary, vocabulary_digest
from es_simhash.text.lines import title_of

# Weight of a concept of the user's vocabulary compared with that of all words; 0.3 neither helps
# nor harms rankings.
VOCABULARY_WEIGHT = 0.3


@dataclass(frozen=True)
class SemanticProfiler:
    """Computes the semantic profiles of texts by one scheme.

    Attributes:
        scheme: The scheme.
        extractor: Finds words and entities.
        source: Source of the vectors.
        vocabulary: Concepts to add to the words; None for none.
        table: Word vectors learned from the index; None where vectors have another source.
    """

    scheme: SemanticScheme
    extractor: Extractor
    source: VectorSource = no_vectors
    vocabulary: Vocabulary | None = None
    table: WordTable | None = None

    @property
    def word_vectors(self) -> WordVectors | None:
        """The word-vector table; None when the vectors have another source, or there are none."""
        has_part = self.source is table_vectors or self.table is not None
        return WordVectors.load() if has_part else None

    @property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of documents that hold entities."""
        return self.scheme.entity_fields

    @property
    def vector_table(self) -> str:
        """Name of the table that vectors are by, where an index learns its own; else empty."""
        if not self.scheme.is_learned:
            return ""
        return WORD_VECTORS if self.table is None else self.table.name

    def profile(
        self, texts: Sequence[str], sources: Sequence[Mapping[str, Any]] | None = None
    ) -> list[SemanticProfile]:
        """Return the semantic profiles of a batch of texts.

        Args:
            texts: The texts.
            sources: The documents they are from, when the scheme names fields of entities.

        Raises:
            InputError: An entity field or a vector has the wrong shape.
        """
        return self.profiles_of(texts, self.extractions(texts, sources))

    def extractions(
        self, texts: Sequence[str], sources: Sequence[Mapping[str, Any]] | None = None
    ) -> list[Extraction]:
        """Return words, entities and phrases of a batch of texts; as for `profile`."""
        extractions = self.extractor.extract(texts)
        if not self.scheme.entity_fields or sources is None:
            return extractions
        return [
            _with_upstream(extraction, source, self.scheme.entity_fields)
            for extraction, source in zip(extractions, sources, strict=True)
        ]

    def profiles_of(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[SemanticProfile]:
        """Return the semantic profiles of a batch of texts whose words are known.

        Raises:
            InputError: A vector has the wrong shape.
        """
        weights = self._concept_weights(texts, extractions)
        vectors, shipped = self._vectors(texts, extractions)
        return [
            SemanticProfile(
                extraction.language,
                concepts,
                extraction.entities,
                vector,
                self.scheme.packages,
                self._stored_limit(vector),
                vector_table=self.vector_table,
                has_learned_vector=self.table is not None,
                vector_trust=1.0 if self.table is None else self.table.trust(extraction.language),
                shipped_vector=by_shipped,
                extraction=extraction,
            )
            for extraction, concepts, vector, by_shipped in zip(
                extractions, weights, vectors, shipped, strict=True
            )
        ]

    def _vectors(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> tuple[list[Vector | None], list[Vector | None]]:
        """Return the vector of each text, and beside a learned one that by the shipped table."""
        if self.table is not None:
            return self.table.vectors(extractions)
        return self.source(texts, extractions), [None] * len(extractions)

    def word_parts(self, profile: SemanticProfile, vector: Vector) -> dict[str, float]:
        """Return what each word of a text adds to the dot product of its vector and another one.

        Args:
            profile: Profile of the text by this profiler.
            vector: The other vector, of the same space.

        Returns:
            The parts by word, in normal form or as it is inflected; none where vectors are not
            sums of words.
        """
        if profile.extraction is None:
            return {}
        if self.table is not None:
            return self.table.word_parts(profile.extraction, vector)
        if self.source is not table_vectors:
            return {}
        return WordVectors.load().word_parts(table_counts(profile.extraction), vector)

    def _stored_limit(self, vector: Vector | None) -> int:
        """Return how many concepts are stored: twice as many where there is no vector."""
        has_vector = vector is not None or self.scheme.vector_field is not None
        return STORED_CONCEPTS if has_vector else 2 * STORED_CONCEPTS

    def _concept_weights(
        self, texts: Sequence[str], extractions: Sequence[Extraction]
    ) -> list[Mapping[str, float]]:
        """Return the weighted concepts of each text, computed by language."""
        weights: list[Mapping[str, float]] = [{} for _ in extractions]
        by_language: dict[str, list[int]] = defaultdict(list)
        for number, extraction in enumerate(extractions):
            by_language[extraction.language].append(number)
        for language, numbers in by_language.items():
            some = [extractions[number] for number in numbers]
            titles = [title_of(texts[number]) for number in numbers]
            packages = self.scheme.packages
            of_language: Iterator[Mapping[str, float]]
            if self.vocabulary is None and are_numbered(some):
                of_language = batch_weights(some, lexicon_of(language), titles, packages)
            else:
                of_vocabulary = [
                    self._vocabulary_weights(texts[number], language) for number in numbers
                ]
                of_language = profile_weights(some, language, titles, of_vocabulary, packages)
            for number, concepts in zip(numbers, of_language, strict=True):
                weights[number] = concepts
        return weights

    def _vocabulary_weights(self, text: str, language: str) -> dict[str, float]:
        if self.vocabulary is None:
            return {}
        weights: dict[str, float] = {}
        for match in self.vocabulary.find(text, language):
            # Concepts that fall together as terms are one, as they are in an index.
            term = VOCABULARY_PREFIX + concept_term(match.label)
            weights[term] = weights.get(term, 0.0) + match.weight * VOCABULARY_WEIGHT
        return weights


@lru_cache(maxsize=8)
def semantic_profiler(
    scheme: SemanticScheme,
    vocabulary_path: str | None = None,
    table: WordTable | None = None,
) -> SemanticProfiler:
    """Return the profiler of a scheme; it is cached.

    Args:
        scheme: The scheme.
        vocabulary_path: File of the vocabulary, when the scheme has one.
        table: The word vectors learned from the index, when the scheme has such; None for the
            shipped ones in their place.

    Raises:
        MissingExtra: The scheme needs a package that is not installed.
        InputError: The scheme names a function that does not exist, or another vocabulary.
    """
    vocabulary = _scheme_vocabulary(scheme, vocabulary_path)
    extractor = _extractor(scheme)
    if scheme.is_learned:
        return SemanticProfiler(scheme, extractor, table_vectors, vocabulary, table)
    return SemanticProfiler(scheme, extractor, vector_source(scheme), vocabulary)


def _extractor(scheme: SemanticScheme) -> Extractor:
    if scheme.pipeline is not None:
        # An optional extra, and slow to import.
        from es_simhash.semantics.extractors.spacy_pipeline import SpacyExtractor, is_folder

        if is_folder(scheme.pipeline) and "/" not in scheme.pipeline:
            raise InputError(
                f"There is no spaCy pipeline {scheme.pipeline!r}, but a folder of that name; "
                f"write 'spacy:./{scheme.pipeline}', which is stored as an absolute path."
            )
        return SpacyExtractor(scheme.pipeline)
    return BuiltinExtractor(scheme.language, packages=scheme.packages)


def refusal(text: str, scheme: SemanticScheme | None) -> str | None:
    """Return why a text cannot be read here, before that costs anything; None if it can.

    An index is read where not all packages are by which it reads texts: a text that needs one of
    them is refused, so that no machine reads it in another way.
    """
    if scheme is None or not scheme.packages - installed_packages():
        return None
    try:
        require_package(text_language(text, scheme.language), scheme.packages)
    except MissingExtra as error:
        return str(error)
    return None


def _scheme_vocabulary(scheme: SemanticScheme, path: str | None) -> Vocabulary | None:
    if not scheme.vocabulary:
        return None
    if path is None or vocabulary_digest(path) != scheme.vocabulary:
        raise InputError(
            f"The index weighs the vocabulary with digest {scheme.vocabulary}, but "
            f"{'none' if path is None else path} was given. Set vocabulary.",
            parameter="vocabulary",
        )
    return load_vocabulary(path)


def _with_upstream(
    extraction: Extraction, source: Mapping[str, Any], fields: Sequence[str]
) -> Extraction:
    """Return the extraction with the entities that the document already holds."""
    entities = merge_mentions([*extraction.entities, *upstream_entities(source, fields)])
    return replace(extraction, entities=entities)


def profile_texts(
    texts: Sequence[str],
    scheme: SemanticScheme = DEFAULT_SEMANTICS,
    vocabulary: str | None = None,
) -> list[SemanticProfile]:
    """Return the semantic profile of each text, as an index of this scheme has it.

    Args:
        texts: The texts.
        scheme: Scheme of the profiles.
        vocabulary: File of the vocabulary, when the scheme weighs one.

    Raises:
        MissingExtra: The scheme needs a package that is not installed.
        InputError: The scheme names a function that is not there, or another vocabulary.
    """
    return semantic_profiler(scheme, vocabulary).profile(texts)
