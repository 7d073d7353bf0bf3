"""What a text is about, in the form in which it is stored and compared."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError, SchemeError
from es_simhash.semantics.extraction import Entity

# Concepts kept of a document, and asked for; the tail adds little (docs/semantic-neighbours.md).
# Texts without a vector keep twice as many in its place.
STORED_CONCEPTS, ASKED_CONCEPTS = 40, 160
# Entities kept of a document, those mentioned most.
STORED_ENTITIES = 12
# Elasticsearch refuses terms of more than 32,766 bytes; no name is longer than this.
LONGEST_NAME = 120
WORD_VECTORS = "words256-minilm-l6-v1"
NO_VECTORS = "none"
BUILTIN = "builtin"
# Without jieba Chinese words are pairs of characters; without wordfreq all words of languages
# other than English, German and Spanish are equally rare.
# Each with the extra that installs it.
PACKAGES = {"jieba": "chinese", "wordfreq": "languages"}
# Terms of vocabulary concepts start with this, which no word does.
VOCABULARY_MARK = "#"
_PARAMETERS = ("extractor", "vectors", "dims", "language", "entity_fields", "vocabulary")


@dataclass(frozen=True)
class SemanticScheme:
    """All parameters of what is read from a text; stored with the mapping.

    Attributes:
        extractor: `builtin` with the packages it uses, as in `builtin+jieba`, or `spacy:` and the
            name of a pipeline.
        vectors: `words256-minilm-l6-v1` for the word-vector table, `none`, `field:` with the name
            of a dense_vector field that the documents have, or `python:` with module and function,
            as in `python:my.vectors:embed`, for vectors that a function of yours makes.
        dims: Dimensions of the vectors, a multiple of 8.
        language: ISO 639-1 code when all texts are in one language; empty to guess it.
        entity_fields: Fields of the document that hold entities already; dots lead into objects.
        vocabulary: Digest of the vocabulary whose concepts are weighed too; empty for none.
    """

    extractor: str = BUILTIN
    vectors: str = WORD_VECTORS
    dims: int = 256
    language: str = ""
    entity_fields: tuple[str, ...] = ()
    vocabulary: str = ""

    def __post_init__(self) -> None:
        known = self.extractor.split("+")[0] == BUILTIN and self.packages <= {*PACKAGES}
        if not known and not self.extractor.startswith("spacy:"):
            raise SchemeError(
                f"Unknown extractor {self.extractor!r}; there are {BUILTIN}, "
                f"{'+'.join((BUILTIN, *PACKAGES))} and spacy:PIPELINE."
            )
        if self.vectors not in (WORD_VECTORS, NO_VECTORS) and not self.vectors.startswith(
            ("field:", "python:")
        ):
            raise SchemeError(
                f"Unknown vectors {self.vectors!r}; there are {WORD_VECTORS}, {NO_VECTORS}, "
                "field:NAME and python:MODULE:FUNCTION."
            )
        kind, _, source = self.vectors.partition(":")
        if (kind == "field" and not source) or (kind == "python" and ":" not in source.strip(":")):
            raise SchemeError(
                f"Vectors {self.vectors!r} name no source; write field:NAME or "
                "python:MODULE:FUNCTION."
            )
        if self.vectors == WORD_VECTORS and self.dims != SemanticScheme.dims:
            raise SchemeError(
                f"The vectors {WORD_VECTORS} have {SemanticScheme.dims} dimensions, not "
                f"{self.dims}; leave the number out."
            )
        if not 8 <= self.dims <= 4096 or self.dims % 8:
            raise SchemeError(
                f"Vectors of {self.dims} dimensions cannot be kept; a multiple of 8 up to 4096 can."
            )

    @property
    def packages(self) -> frozenset[str]:
        """Packages that the built-in extractor may use, and must have."""
        if not self.extractor.startswith(BUILTIN):
            return frozenset()
        return frozenset(self.extractor.split("+")[1:])

    @property
    def vector_field(self) -> str | None:
        """The user's own dense_vector field, when that is where vectors are."""
        return self.vectors.removeprefix("field:") if self.vectors.startswith("field:") else None

    @property
    def stores_vectors(self) -> bool:
        """True when our own fields hold vectors."""
        return self.vectors != NO_VECTORS and self.vector_field is None

    @property
    def name(self) -> str:
        """Short name that differs whenever a parameter does."""
        if self == SemanticScheme(self.extractor) and self.extractor.startswith(BUILTIN):
            return f"semantic-{self.extractor}-words256.v1"
        content = "\0".join(str(getattr(self, each)) for each in _PARAMETERS)
        return f"semantic-{hashlib.sha256(content.encode()).hexdigest()[:12]}.v1"

    def to_meta(self) -> dict[str, Any]:
        """Return the parameters as they stand in the mapping's `_meta`."""
        values = {each: getattr(self, each) for each in _PARAMETERS}
        return {"name": self.name, **values, "entity_fields": list(self.entity_fields)}

    @classmethod
    def of_meta(cls, meta: Mapping[str, Any]) -> "SemanticScheme":
        """Read what `to_meta` wrote.

        Raises:
            SchemeError: It was written by another version, or by hand.
        """
        try:
            values = {each: meta[each] for each in _PARAMETERS}
            scheme = cls(**{**values, "entity_fields": tuple(values["entity_fields"])})
        except (KeyError, TypeError) as error:
            raise SchemeError(
                f"The mapping describes the scheme {meta.get('name')!r} in a way this version "
                "does not know; use the version of es-simhash that installed it."
            ) from error
        if scheme.name != meta.get("name"):
            raise SchemeError(
                f"The mapping names the scheme {meta.get('name')!r}, but its parameters make "
                f"{scheme.name!r}; install the fields under another name."
            )
        return scheme


def installed_packages() -> frozenset[str]:
    """Return the packages the built-in extractor can use here."""
    return frozenset(each for each in PACKAGES if find_spec(each))


# What an index is installed with unless something else is asked for.
DEFAULT_SEMANTICS = SemanticScheme("+".join([BUILTIN, *sorted(installed_packages())]))


@dataclass(frozen=True)
class SemanticProfile:
    """What one text is about.

    Attributes:
        language: ISO 639-1 code it was read as; empty when unknown.
        concepts: Weight of each concept, heaviest first, at most 160; the squares of the weights
            of all concepts of the text, kept or not, add up to 1.
        entities: Named entities in the order of their first mention.
        vector: Unit vector; None when no word has one.
        packages: Packages the extractor used.
        kept: How many concepts are kept in the index.
    """

    language: str = ""
    concepts: Mapping[str, float] = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()
    vector: NDArray[np.float32] | None = None
    packages: frozenset[str] = frozenset()
    kept: int = STORED_CONCEPTS

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to compare."""
        return not self.concepts and self.vector is None

    def stored_concepts(self) -> dict[str, float]:
        """Return the concepts kept in the index, scaled so that the squares add up to 1."""
        kept = dict(islice(self.concepts.items(), self.kept))
        norm = sum(weight * weight for weight in kept.values()) ** 0.5
        return {concept: weight / norm for concept, weight in kept.items()}

    def asked_concepts(self) -> dict[str, float]:
        """Return the concepts to ask for: twice as many as are kept of such a text."""
        return dict(islice(self.concepts.items(), 2 * self.kept))

    def stored_entities(self) -> list[str]:
        """Return the names of the entities kept in the index, those mentioned most first."""
        ranked = sorted(self.entities, key=lambda entity: -entity.count)
        names = (safe_name(entity.text) for entity in ranked)
        return list(islice(dict.fromkeys(name for name in names if name), STORED_ENTITIES))


def safe_name(name: str) -> str:
    """Return a name on one line without control characters, cut to 120 characters."""
    flowing = " ".join(name.split())
    if not flowing.isprintable():
        flowing = "".join(c for c in flowing if c.isprintable())
    return flowing[:LONGEST_NAME].strip()


def concept_key(name: str) -> str:
    """Return the term under which a concept is kept; empty when nothing of the name is left.

    A sparse vector takes no dots in its terms, as they would lead into objects.
    """
    return " ".join(safe_name(name).casefold().replace(".", " ").split())


def require_dims(vector: NDArray[Any], dims: int, whose: str) -> None:
    """Refuse a vector of the wrong length.

    Raises:
        InputError: It has another number of dimensions than the index.
    """
    if vector.ndim != 1 or len(vector) != dims:
        raise InputError(
            f"{whose} gave a vector of shape {vector.shape}, but the index has {dims} dimensions; "
            "install the fields with as many dimensions as the vectors have."
        )
