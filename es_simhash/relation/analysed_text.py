"""A text and everything that is derived from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.text_fingerprints import (
    fingerprint,
    fingerprint_batch,
    fingerprint_texts,
)
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Span
from es_simhash.relation.segmented_text import SegmentedText
from es_simhash.relation.stored_text import FingerprintedParts, StoredParts
from es_simhash.relation.weighted_chunks import WeightedChunks
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.semantic_profile import SemanticProfile, safe_name
from es_simhash.semantics.vectors import TABLE_LANGUAGE, WordVectors
from es_simhash.semantics.vocabularies.vocabulary import ConceptMatch, Vocabulary
from es_simhash.text.limits import require_chunk_count, require_text_size
from es_simhash.text.segmentation import text_batches

# Chunks whose words are counted, for the nearest passages of two texts.
_MAX_PROFILED_CHUNKS = 200


class Profiler(Protocol):
    """Computes semantic profiles, as `semantics.profiler` does."""

    @property
    def word_vectors(self) -> WordVectors | None:
        """The word-vector table; None without one."""

    @property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of documents that hold entities."""

    def word_parts(self, profile: SemanticProfile, vector: NDArray[np.float32]) -> dict[str, float]:
        """Return what each word of a text adds to the dot product of its vector and another one."""

    def profile(
        self, texts: Sequence[str], sources: Sequence[Mapping[str, Any]] | None = None
    ) -> list[SemanticProfile]:
        """Return the profile of each text."""


class AnalysedText(FingerprintedParts, SegmentedText):
    """A text; each part that is derived from it is computed when it is first needed.

    Args:
        text: The text.
        analyser: Derives the parts.
        source: The document the text is from, for entities that it has in fields.
    """

    def __init__(
        self,
        text: str | None,
        analyser: "TextAnalyser | None" = None,
        source: Mapping[str, Any] | None = None,
    ) -> None:
        self.analyser = analyser or TextAnalyser()
        super().__init__(text, self.analyser.scheme)
        self.source = source or {}

    @cached_property
    def fingerprints(self) -> TextFingerprints:
        """Fingerprints of the text."""
        return fingerprint(self.known_text, self.analyser.scheme)

    @property
    def is_empty(self) -> bool:
        """True when the text has no token, so that it never matches anything."""
        return self.fingerprints.is_empty

    @cached_property
    def profile(self) -> SemanticProfile:
        """Semantic profile; empty without a profiler."""
        if self.analyser.profiler is None:
            return SemanticProfile()
        return self.analyser.profiler.profile([require_text_size(self.known_text)], [self.source])[
            0
        ]

    @cached_property
    def entity_names(self) -> Mapping[str, tuple[str, ...]]:
        """Names that fields of the document hold, by field; none where they cannot be read."""
        profiler = self.analyser.profiler
        fields = () if profiler is None or self.profile.is_empty else profiler.entity_fields
        return {
            name: tuple(safe_name(entity.text) for entity in upstream_entities(self.source, [name]))
            for name in fields
        }

    def word_parts(self, vector: NDArray[np.float32] | None) -> dict[str, float]:
        """Return what each word adds to the dot product of the text's vector and another one."""
        if self.analyser.profiler is None or vector is None:
            return {}
        return self.analyser.profiler.word_parts(self.profile, vector)

    @cached_property
    def concepts(self) -> Sequence[ConceptMatch]:
        """Concepts of the user's vocabulary in it."""
        vocabulary = self.analyser.vocabulary
        return vocabulary.find(self.known_text, self.profile.language) if vocabulary else []

    @cached_property
    def chunk_words(self) -> list[dict[str, int]]:
        """Counts of the words of each of its first chunks."""
        bounds = self.tokens.chunks[: _MAX_PROFILED_CHUNKS + 1].tolist()
        spans = [self.span(first, end).text for first, end in pairwise(bounds)]
        return [count_words(span, self.profile.language) for span in spans]

    @cached_property
    def weighted_chunks(self) -> WeightedChunks:
        """The words of its first chunks, weighted."""
        return WeightedChunks.of(self.chunk_words, self.profile.language)

    @cached_property
    def chunk_vectors(self) -> NDArray[np.float32] | None:
        """Vector of each of its first chunks; None without a table of word vectors."""
        table = None if self.analyser.profiler is None else self.analyser.profiler.word_vectors
        if not table or self.profile.vector is None or self.profile.language != TABLE_LANGUAGE:
            return None
        return table.vectors(self.chunk_words)

    def span(self, first: int, end: int) -> Span:
        """Return the stretch of the text from the first token to the one before `end`."""
        start, stop = int(self.tokens.starts[first]), int(self.tokens.ends[end - 1])
        return Span(start, stop, self.known_text[start:stop])

    def chunk_span(self, chunk: int) -> Span:
        """Return the stretch of the text that is one chunk."""
        return self.span(int(self.tokens.chunks[chunk]), int(self.tokens.chunks[chunk + 1]))


@dataclass(frozen=True)
class QueryDocument:
    """A text, and where it is.

    Attributes:
        text: The text.
        ref: Where it is; None for a text that is not stored.
    """

    text: AnalysedText
    ref: DocumentRef | None = None

    @property
    def own_ids(self) -> list[str]:
        """Its id, which is not among its hits."""
        return [] if self.ref is None else [self.ref.id]


@dataclass(frozen=True)
class TextAnalyser:
    """The way texts are analysed, one for all texts of an index.

    Attributes:
        scheme: Scheme of the fingerprints.
        profiler: Computes semantic profiles; None for none.
        vocabulary: The user's vocabulary, for evidence; None for none.
    """

    scheme: Scheme = DEFAULT
    profiler: Profiler | None = None
    vocabulary: Vocabulary | None = field(default=None, repr=False)

    def analyse(
        self,
        texts: Sequence[str],
        sources: Sequence[Mapping[str, Any]] | None = None,
    ) -> list[AnalysedText]:
        """Return analysed texts whose fingerprints were computed together, which is faster.

        Args:
            texts: The texts.
            sources: The documents they are from, for entities that these have in fields.

        Raises:
            InputError: A text has more than 16 MiB or 20,000 chunks.
        """
        documents = sources or [{}] * len(texts)
        analysed = [
            AnalysedText(text, self, source) for text, source in zip(texts, documents, strict=True)
        ]
        prints = fingerprint_texts(map(require_text_size, texts), self.scheme)
        for text, fingerprints in zip(analysed, prints, strict=True):
            require_chunk_count(len(fingerprints.chunks))
            vars(text)["fingerprints"] = fingerprints
        return analysed

    def stored_parts(self, texts: Iterable[str]) -> Iterator[StoredParts | None]:
        """Yield what is stored of each text of a stream; None for one without words."""
        for batch in text_batches(map(require_text_size, texts)):
            yield from StoredParts.of_each(fingerprint_batch(batch, self.scheme))


def read_profiles(texts: Sequence[AnalysedText]) -> None:
    """Compute the semantic profiles of texts of one analyser together, which is faster.

    Raises:
        InputError: An entity field or a vector has the wrong shape.
    """
    if not texts or texts[0].analyser.profiler is None:
        return
    contents = [require_text_size(text.text or "") for text in texts]
    profiles = texts[0].analyser.profiler.profile(contents, [text.source for text in texts])
    for text, profile in zip(texts, profiles, strict=True):
        set_profile(text, profile)


def set_profile(text: AnalysedText, profile: SemanticProfile) -> None:
    """Give a text a profile that was read elsewhere."""
    vars(text)["profile"] = profile
