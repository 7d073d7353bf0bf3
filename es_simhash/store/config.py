"""The configuration of an index: what it says of its documents, and how they are read.

What it says is kept in `_meta` of the mapping, in the entry of the `simhash` object, so that it
travels with the index and nobody has to repeat it.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from es_simhash.constraints import constraints
from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.relation.references import LeftOutIndex
from es_simhash.relation.thresholds import FIRST_SCORING, SCORING, VERSION_SCORE
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.added_schemes import AddedScheme, scheme_fields
from es_simhash.store.fields import (
    BLOCKS,
    DEFAULT_FIELD,
    FINGERPRINT,
    LARGE_MEMBERS,
    SCHEME,
    SEMANTIC_SCHEME,
    VECTOR_TABLE,
    field_path,
)
from es_simhash.store.source import field_names

# Imports numpy, which help of a command does without.
if TYPE_CHECKING:
    from es_simhash.semantics.semantic_profile import WordTable

# What is in braces in the pattern of a link.
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# Key of the entry of `_meta`.
DOCUMENT_SETTINGS = "documents"


@dataclass(frozen=True)
class DocumentFields:
    """Fields of the user's documents that give an answer its context; None for no such field.

    Attributes:
        title: Field of the title.
        date: Field of the date, as the engine reads it: it says which version is newer.
        owner: Field of the owner or section: who published a document.
        language: Field of the language.
        link: Pattern of the address of a document, such as `https://example.org/{id}`; in braces
            stand `id` or names of fields.
        identifiers: Field of an identifier, or several as `isbn,doi`: what they say of two
            documents is part of the evidence.
    """

    title: str | None = None
    date: str | None = None
    owner: str | None = None
    language: str | None = None
    link: str | None = None
    identifiers: str | None = None

    @property
    def identifier_fields(self) -> tuple[str, ...]:
        """The fields of identifiers."""
        return () if self.identifiers is None else field_names(self.identifiers)

    def completed(self, others: "DocumentFields") -> "DocumentFields":
        """Return them, and of others those that are not here."""
        named = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(others, **named)


@dataclass(frozen=True)
class DocumentSettings:
    """What is stored of an index; None for what it does not say.

    Attributes:
        text: Field of the text, or several as headline,body.
        title: Field of the title.
        date: Date field that says which document is newer.
        owner: Field of the owner or section.
        language: Field of the language.
        link: Address of a document, as https://example.org/{id}; in braces id or names of fields.
        identifiers: Field of an identifier or a number of the document, or several as isbn,doi.
        representative: Document that represents a family, unless a run names another rule.
        within: Keyword field, as of the owner or the product: documents with different values are
            never of one family, nor versions of each other at ingest.
        min_score: Minimum score of relations, unless a search names another.
        version_threshold: Where versions begin, as `es-simhash lab tune` proposes it; scores are
            rescaled, so that versions still have 0.6 or more.
        scoring: Name of the score that the threshold was stored for; set with it.
    """

    text: str | None = field(
        default=None, metadata=constraints(called="text-field", metavar="FIELD")
    )
    title: str | None = field(
        default=None, metadata=constraints(called="title-field", metavar="FIELD")
    )
    date: str | None = field(
        default=None, metadata=constraints(called="date-field", metavar="FIELD")
    )
    owner: str | None = field(
        default=None, metadata=constraints(called="owner-field", metavar="FIELD")
    )
    language: str | None = field(
        default=None, metadata=constraints(called="language-field", metavar="FIELD")
    )
    link: str | None = field(default=None, metadata=constraints(metavar="PATTERN"))
    identifiers: str | None = field(
        default=None, metadata=constraints(called="identifier-field", metavar="FIELD")
    )
    representative: str | None = field(
        default=None, metadata=constraints(choices=("longest", "newest", "oldest"))
    )
    within: str | None = field(default=None, metadata=constraints(metavar="FIELD"))
    min_score: float | None = field(default=None, metadata=constraints(0, 1))
    version_threshold: float | None = field(default=None, metadata=constraints(above=0, below=1))
    scoring: str | None = None

    @classmethod
    def from_meta(cls, entry: Mapping[str, Any]) -> "DocumentSettings":
        """Return what an entry of `_meta` says; what a later version added is left out."""
        stored = entry.get(DOCUMENT_SETTINGS, {})
        said = {name: stored[name] for name in (*SETTINGS, _SCORING) if name in stored}
        if "version_threshold" in said:
            said.setdefault(_SCORING, FIRST_SCORING)
        return cls(**said)

    def to_meta(self) -> dict[str, Any]:
        """Return what is stored: what the index says, and nothing else."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def fields(self) -> DocumentFields:
        """The fields that give an answer its context."""
        named = {name: getattr(self, name) for name in (*_CONTEXT, "link", "identifiers")}
        return DocumentFields(**named)

    @property
    def field_names(self) -> dict[str, str]:
        """The fields of the documents that it names, by what they mean."""
        named = {name: getattr(self, name) for name in ("text", *_CONTEXT, "identifiers", "within")}
        return {name: field for name, field in named.items() if field is not None}

    def changed(self, changes: Mapping[str, Any]) -> "DocumentSettings":
        """Return them with changes; None removes one, and a new threshold is of today's score.

        Raises:
            InputError: There is no setting of that name.
        """
        if unknown := sorted(changes.keys() - set(SETTINGS)):
            raise InputError(
                f"Unknown setting {unknown[0]!r}; use one of {', '.join(SETTINGS)}.",
                parameter="unset",
            )
        changed = {**asdict(self), **changes}
        if "version_threshold" in changes:
            changed[_SCORING] = None if changes["version_threshold"] is None else SCORING
        return DocumentSettings(**changed)


_SCORING = "scoring"
# What a person sets.
SETTINGS: tuple[str, ...] = tuple(
    each.name for each in fields(DocumentSettings) if each.name != _SCORING
)
_CONTEXT = ("title", "date", "owner", "language")


def link_fields(link: str) -> list[str]:
    """Return what is in braces in the pattern of a link: `id`, or names of fields."""
    return PLACEHOLDER.findall(link)


class _DefaultName(str):
    """A name that nobody gave: what the index says counts in its place."""

    __slots__ = ()


DEFAULT_TEXT_FIELD = _DefaultName("text")


@dataclass(frozen=True)
class IndexConfig:
    """How the documents of an index are read, fingerprinted and stored.

    Attributes:
        scheme: Scheme of the fingerprints.
        text_field: Field of the text, or several, separated by commas, whose texts are joined;
            dots lead into objects. By default what the index is configured with, or else `text`.
        simhash_field: Field of the `simhash` object.
        id_field: Field of the id in documents that are ingested; None for `_id`, `id` or a digest.
        drops_id: Whether the member `id` that became the `_id` of a document is not written: a
            strict mapping without that field would reject the document.
        semantics: Scheme of the semantic profiles; None to find versions alone.
        vocabulary: File of the vocabulary that profiles weigh and evidence names.
        documents: Fields of title, date, owner, language and link; of those that are None, the
            ones that the index is configured with.
        representative: Which document represents a family, unless a run names another rule; by
            default what the index is configured with.
        within: Field that keeps documents apart, unless a run names another; likewise.
        min_score: Minimum score of relations, unless a query names another; likewise.
        version_threshold: Where versions begin, as `es-simhash config` stores it; likewise.
        scoring: Name of the score that it is of.
        schemes: Schemes of methods that documents get in addition.
        table: Word vectors learned from the index, where its semantic scheme has such; None where
            none were learned yet.
        is_stream: Whether it is a data stream, which takes new documents only: one that it has is
            replaced in the index that has it.
        is_alias: Whether it is an alias: a document that one of its indices has is replaced there.
        left_out: Indices behind the name that have no fingerprints of the scheme.
        state_of: Field whose state is continued after an upgrade; None for `simhash_field`.
        learned_of: Field whose background and vectors are continued, likewise.

    Raises:
        InputError: The threshold of versions is not above 0 and below 1.
    """

    scheme: Scheme = DEFAULT
    text_field: str = DEFAULT_TEXT_FIELD
    simhash_field: str = DEFAULT_FIELD
    id_field: str | None = None
    drops_id: bool = False
    semantics: SemanticScheme | None = None
    vocabulary: str | None = None
    documents: DocumentFields = field(default_factory=DocumentFields)
    representative: str | None = None
    within: str | None = None
    min_score: float | None = None
    version_threshold: float | None = None
    scoring: str = SCORING
    schemes: tuple[AddedScheme, ...] = ()
    table: "WordTable | None" = None
    is_stream: bool = False
    is_alias: bool = False
    left_out: tuple[LeftOutIndex, ...] = ()
    state_of: str | None = None
    learned_of: str | None = None

    def __post_init__(self) -> None:
        if self.version_threshold is not None:
            require_threshold(self.version_threshold)

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields of the text."""
        return field_names(self.text_field)

    @property
    def names_text_field(self) -> bool:
        """True when somebody named the field of the text."""
        return not isinstance(self.text_field, _DefaultName)

    def configured(self, settings: DocumentSettings) -> "IndexConfig":
        """Return it with what an index says, in place of what nobody named."""
        return replace(
            self,
            text_field=str(self.text_field) if self.names_text_field else settings.text or "text",
            documents=self.documents.completed(settings.fields),
            representative=self.representative or settings.representative,
            within=settings.within if self.within is None else self.within,
            min_score=_first(self.min_score, settings.min_score),
            version_threshold=_first(self.version_threshold, settings.version_threshold),
            scoring=self._scoring(settings),
        )

    def _scoring(self, settings: DocumentSettings) -> str:
        """Return the score that the threshold is of: the stored one's, where nobody named one."""
        if self.version_threshold is not None or settings.scoring is None:
            return self.scoring
        return settings.scoring

    @property
    def versions_from(self) -> float:
        """Where versions begin, by `version_threshold` or the default."""
        return VERSION_SCORE if self.version_threshold is None else self.version_threshold

    @property
    def other_scoring(self) -> str | None:
        """Name of the score that the threshold of versions is of, where that is not today's."""
        return None if self.scoring == SCORING else self.scoring

    @property
    def state_field(self) -> str:
        """Field by which the state index and audit logs name these fingerprints."""
        return self.state_of or self.simhash_field

    @property
    def learned_field(self) -> str:
        """Field by which the state index names the background and the vectors of the index."""
        return self.learned_of or self.simhash_field

    def path(self, member: str) -> str:
        """Return the full name of a member of the `simhash` object, as queries spell it."""
        return field_path(self.simhash_field, member)

    @property
    def of_scheme(self) -> dict[str, Any]:
        """The filter for documents with fingerprints of the scheme."""
        return {"term": {self.path(SCHEME): self.scheme.name}}

    @cached_property
    def scheme_members(self) -> dict[str, str]:
        """Value of each member of the `simhash` object that names a scheme."""
        names = {SCHEME: self.scheme.name}
        if self.semantics is not None:
            names[SEMANTIC_SCHEME] = self.semantics.name
        if self.table is not None:
            names[VECTOR_TABLE] = self.table.name
        return {**names, **scheme_fields(self.schemes)}

    @cached_property
    def large_members(self) -> tuple[str, ...]:
        """Members of the `simhash` object that are not read with a document."""
        added = (each.member(name) for each in self.schemes for name in (FINGERPRINT, BLOCKS))
        return (*LARGE_MEMBERS, *added)

    @cached_property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of the documents that hold entities already."""
        return self.semantics.entity_fields if self.semantics else ()


def require_threshold(value: object) -> None:
    """Check that a value can be where versions begin.

    Raises:
        InputError: It is no number above 0 and below 1.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1:
        return
    raise InputError(
        f"version_threshold must be above 0 and below 1, got {value!r}.",
        parameter="version_threshold",
    )


def _first(one: float | None, other: float | None) -> float | None:
    return other if one is None else one


@dataclass(frozen=True)
class Installed:
    """An index with `simhash` fields.

    Attributes:
        name: Index that has the texts and the other fields of the user's documents.
        config: How it is read and fingerprinted.
    """

    name: str
    config: IndexConfig
