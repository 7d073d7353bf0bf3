"""The configuration of an index: how its documents are read, fingerprinted and stored."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.relation.thresholds import VERSION_SCORE, require_threshold
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.added_schemes import AddedScheme, scheme_fields
from es_simhash.store.document_fields import DocumentFields, DocumentSettings
from es_simhash.store.fields import DEFAULT_FIELD, SCHEME, SEMANTIC_SCHEME, field_path
from es_simhash.store.source import field_names


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
        min_score: Minimum score of relations, unless a query names another; likewise.
        version_threshold: Where versions begin, as `es-simhash config` stores it; likewise.
        schemes: Schemes of methods that documents get in addition.

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
    min_score: float | None = None
    version_threshold: float | None = None
    schemes: tuple[AddedScheme, ...] = ()

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
            min_score=_first(self.min_score, settings.min_score),
            version_threshold=_first(self.version_threshold, settings.version_threshold),
        )

    @property
    def versions_from(self) -> float:
        """Where versions begin, by `version_threshold` or the default."""
        return VERSION_SCORE if self.version_threshold is None else self.version_threshold

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
        return {**names, **scheme_fields(self.schemes)}

    @cached_property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of the documents that hold entities already."""
        return self.semantics.entity_fields if self.semantics else ()


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
