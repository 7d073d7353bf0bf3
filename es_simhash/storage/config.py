"""The configuration of an index: how its documents are read, fingerprinted and stored."""

from dataclasses import dataclass
from functools import cached_property

from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.semantics.scheme import SemanticScheme
from es_simhash.storage.fields import DEFAULT_FIELD, field_path


@dataclass(frozen=True)
class IndexConfig:
    """How the documents of an index are read, fingerprinted and stored.

    Attributes:
        scheme: Scheme of the fingerprints.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the `simhash` object.
        id_field: Field of the id in documents that are ingested; None for `_id`, `id` or a digest.
        semantics: Scheme of the semantic profiles; None to find versions alone.
        vocabulary: File of the vocabulary that profiles weigh and evidence names.
    """

    scheme: Scheme = DEFAULT
    text_field: str = "text"
    simhash_field: str = DEFAULT_FIELD
    id_field: str | None = None
    semantics: SemanticScheme | None = None
    vocabulary: str | None = None

    def path(self, member: str) -> str:
        """Return the full name of a member of the `simhash` object, as queries spell it."""
        return field_path(self.simhash_field, member)

    @cached_property
    def entity_fields(self) -> tuple[str, ...]:
        """Fields of the documents that hold entities already."""
        return self.semantics.entity_fields if self.semantics else ()
