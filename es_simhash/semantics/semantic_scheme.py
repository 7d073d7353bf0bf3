"""Semantic schemes: all parameters of a semantic profile, published under one name."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.errors import SchemeError, nearest_note

BUILTIN = "builtin"
# Optional packages of the built-in extractor, each with the extra that installs it. Without jieba
# Chinese words are pairs of characters; without wordfreq all words of languages other than
# English, German and Spanish are equally rare.
OPTIONAL_PACKAGES = {"jieba": "chinese", "wordfreq": "languages"}
# The published table of word vectors.
WORD_VECTORS = "words256-minilm-l6-v1"
WORD_VECTOR_DIMENSIONS = 256
NO_VECTORS = "none"
# Vectors by a table that is learned from the texts of the index (`vector_learning`); of their
# dimensions these are those of the published table, reduced (docs/semantic-neighbours.md).
INDEX_VECTORS = "index"
INDEX_DIMENSIONS, SHIPPED_DIMENSIONS = 96, 24
# What names of schemes call the two.
_SHORT = {WORD_VECTORS: "words256", INDEX_VECTORS: "index"}
_FIELD, _PYTHON, _SPACY = "field:", "python:", "spacy:"
_MIN_DIMENSIONS, _MAX_DIMENSIONS = 8, 4096
# The first did not know titles, nor lines that were cut; the second left out the stop words of
# short texts; the third took English headlines and notices for texts of other languages.
_VERSION = "v4"
_PARAMETERS = ("extractor", "vectors", "dims", "language", "entity_fields", "vocabulary")


@dataclass(frozen=True)
class SemanticScheme:
    """All parameters of the semantic profiles of an index; stored in the mapping.

    Attributes:
        extractor: What finds concepts and names: `builtin` with the packages it uses, as in
            `builtin+jieba`, or `spacy:` and the name of an installed pipeline, or the path of its
            folder. A relative path, which has a slash, is made absolute: the index is used from
            other folders.
        vectors: Where vectors come from: `words256-minilm-l6-v1` for the word-vector table, `index`
            for a table that is learned from the texts of the index, the first of these until it has
            enough of them, `none`, `field:` with the name of a dense_vector field that the
            documents have, or `python:` with module and function, as in `python:my.vectors:embed`,
            for vectors that your own function computes.
        dims: Dimensions of the vectors, a multiple of 8.
        language: ISO 639-1 code when all texts are in one language; empty to detect it.
        entity_fields: Fields of the document that already hold entities; dots lead into objects.
        vocabulary: Digest of the vocabulary whose concepts are added; empty for none.
    """

    extractor: str = BUILTIN
    vectors: str = INDEX_VECTORS
    dims: int = field(
        default=WORD_VECTOR_DIMENSIONS, metadata=constraints(_MIN_DIMENSIONS, _MAX_DIMENSIONS)
    )
    language: str = ""
    entity_fields: tuple[str, ...] = ()
    vocabulary: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extractor", _located(self.extractor))
        known = self.extractor.split("+")[0] == BUILTIN and self.packages <= {*OPTIONAL_PACKAGES}
        if not known and self.pipeline is None:
            raise SchemeError(
                f"Unknown extractor {self.extractor!r}; there are {BUILTIN}, "
                f"{'+'.join((BUILTIN, *OPTIONAL_PACKAGES))} and spacy:PIPELINE"
                f"{nearest_note(self.extractor, [BUILTIN])}."
            )
        known_sources = (WORD_VECTORS, INDEX_VECTORS, NO_VECTORS)
        if self.vectors not in known_sources and not self.vectors.startswith((_FIELD, _PYTHON)):
            raise SchemeError(
                f"Unknown vectors {self.vectors!r}; there are {', '.join(known_sources)}, "
                f"field:NAME and python:MODULE:FUNCTION{nearest_note(self.vectors, known_sources)}."
            )
        kind, _, source = self.vectors.partition(":")
        if (kind == "field" and not source) or (kind == "python" and ":" not in source.strip(":")):
            raise SchemeError(
                f"Vectors {self.vectors!r} name no source; write field:NAME or "
                "python:MODULE:FUNCTION."
            )
        if self.is_learned and self.dims == WORD_VECTOR_DIMENSIONS:
            # Nobody named another number.
            object.__setattr__(self, "dims", INDEX_DIMENSIONS)
        fixed = {WORD_VECTORS: WORD_VECTOR_DIMENSIONS, INDEX_VECTORS: INDEX_DIMENSIONS}
        if self.dims != fixed.get(self.vectors, self.dims):
            raise SchemeError(
                f"The vectors {self.vectors} have {fixed[self.vectors]} dimensions, not "
                f"{self.dims}; leave the number out."
            )
        if not _MIN_DIMENSIONS <= self.dims <= _MAX_DIMENSIONS or self.dims % 8:
            raise SchemeError(
                f"Vectors of {self.dims} dimensions cannot be stored; "
                f"choose a multiple of 8 up to {_MAX_DIMENSIONS}."
            )

    @property
    def pipeline(self) -> str | None:
        """The spaCy pipeline, a name or an absolute path; None with the built-in extractor."""
        return self.extractor.removeprefix(_SPACY) if self.extractor.startswith(_SPACY) else None

    @property
    def packages(self) -> frozenset[str]:
        """Optional packages that the built-in extractor uses, and requires."""
        if not self.extractor.startswith(BUILTIN):
            return frozenset()
        return frozenset(self.extractor.split("+")[1:])

    @property
    def vector_field(self) -> str | None:
        """The user's own dense_vector field; None when the vectors come from elsewhere."""
        return self.vectors.removeprefix(_FIELD) if self.vectors.startswith(_FIELD) else None

    @property
    def vector_function(self) -> str | None:
        """Module and function that compute the vectors; None when they come from elsewhere."""
        return self.vectors.removeprefix(_PYTHON) if self.vectors.startswith(_PYTHON) else None

    @property
    def is_learned(self) -> bool:
        """True when the vectors are by a table learned from the texts of the index."""
        return self.vectors == INDEX_VECTORS

    @property
    def stores_vectors(self) -> bool:
        """True when the `simhash.*` fields hold vectors."""
        return self.vectors != NO_VECTORS and self.vector_field is None

    @property
    def name(self) -> str:
        """Short name that differs whenever a parameter does."""
        short = _SHORT.get(self.vectors)
        is_plain = short is not None and self == SemanticScheme(self.extractor, self.vectors)
        if is_plain and self.extractor.startswith(BUILTIN):
            return f"semantic-{self.extractor}-{short}.{_VERSION}"
        content = "\0".join(str(getattr(self, parameter)) for parameter in _PARAMETERS)
        return f"semantic-{hashlib.sha256(content.encode()).hexdigest()[:12]}.{_VERSION}"

    def to_meta(self) -> dict[str, Any]:
        """Return the parameters for the `_meta` of the mapping."""
        values = {parameter: getattr(self, parameter) for parameter in _PARAMETERS}
        return {"name": self.name, **values, "entity_fields": list(self.entity_fields)}

    @classmethod
    def from_meta(cls, meta: Mapping[str, Any]) -> "SemanticScheme":
        """Return the scheme that `to_meta` wrote.

        Raises:
            SchemeError: It was written by another version, or by hand.
        """
        scheme = cls.renewed(meta)
        if scheme.name != meta.get("name"):
            raise SchemeError(
                f"The mapping names the scheme {meta.get('name')!r}, and this version makes "
                f"{scheme.name!r} of its parameters; run `es-simhash upgrade` on the index."
            )
        return scheme

    @classmethod
    def renewed(cls, meta: Mapping[str, Any]) -> "SemanticScheme":
        """Return the scheme of this version with the parameters that `to_meta` of any wrote.

        Raises:
            SchemeError: This version does not know them.
        """
        try:
            values = {parameter: meta[parameter] for parameter in _PARAMETERS}
            scheme = cls(**{**values, "entity_fields": tuple(values["entity_fields"])})
            _ = scheme.name  # that of a lone surrogate cannot be written
        except (AttributeError, KeyError, TypeError, UnicodeError, SchemeError) as error:
            name = meta.get("name") if isinstance(meta, Mapping) else meta
            raise SchemeError(
                f"The mapping describes the scheme {name!r} in a way this version "
                "does not know; use the version of es-simhash that installed it."
            ) from error
        if scheme.extractor != values["extractor"]:
            raise SchemeError(
                f"The mapping stores {values['extractor']!r}, a path that depends on the "
                "folder it is read from; install the fields under another name."
            )
        return scheme


def _located(extractor: str) -> str:
    pipeline = extractor.removeprefix(_SPACY)
    if not extractor.startswith(_SPACY) or "/" not in pipeline:
        return extractor
    return _SPACY + os.path.abspath(os.path.expanduser(pipeline))


def installed_packages() -> frozenset[str]:
    """Return the optional packages of the built-in extractor that are installed."""
    return frozenset(package for package in OPTIONAL_PACKAGES if find_spec(package))


def absent_extras(scheme: SemanticScheme) -> tuple[str, ...]:
    """Return the extras that this machine lacks to read every text of an index."""
    absent = {OPTIONAL_PACKAGES[package] for package in scheme.packages - installed_packages()}
    if scheme.pipeline is not None and find_spec("spacy") is None:
        absent.add("spacy")
    return tuple(sorted(absent))


# The default of an installation.
DEFAULT_SEMANTICS = SemanticScheme("+".join([BUILTIN, *sorted(installed_packages())]))
