"""Parts of answers that may leave the service: allowed fields, passages, names of families."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeVar

from es_simhash.relation.family_history import FamilyMember, NearDocument
from es_simhash.relation.loss import LostText
from es_simhash.relation.relation import DocumentContext, Relation
from es_simhash.semantics.semantic_similarity import (
    NearWords,
    SemanticSimilarity,
    SharedConcept,
)
from es_simhash.semantics.word_places import FIELD
from es_simhash.service.family_names import FamilyNames
from es_simhash.store.config import DocumentFields, IndexConfig, link_fields

# Of a difference, what is left of equal numbers is not 0.
_DIGITS = 10

Member = TypeVar("Member", FamilyMember, NearDocument)


@dataclass(frozen=True)
class AllowedParts:
    """What may leave the service of documents and of what relates them.

    Attributes:
        config: Names of the fields.
        fields: Fields that may leave.
        evidence: Whether passages, and what texts have in common, may leave.
        names: Names of families as callers see them.
    """

    config: IndexConfig
    fields: tuple[str, ...]
    evidence: bool
    names: FamilyNames

    def relation(self, relation: Relation) -> Relation:
        """Return a relation with what may leave alone."""
        context, semantics = relation.document, relation.semantics
        if semantics is not None:
            semantics = self._semantics(semantics)
        return replace(
            relation,
            source=allowed_source(relation.source, self.fields),
            document=None if context is None else self.context(context),
            fields=tuple(each for each in relation.fields if self.allows(each.field)),
            direction=relation.direction if self.context_fields.date else None,
            evidence=relation.evidence if self.evidence else (),
            semantics=semantics,
        )

    def _semantics(self, semantics: SemanticSimilarity) -> SemanticSimilarity:
        """Return what texts have in common, without what only fields that may not leave have."""
        if not self.evidence:
            return replace(semantics, shared=(), shared_vocabulary=(), near=NearWords())
        left_out = [concept for concept in semantics.shared if not self._allows_place(concept)]
        hidden = sum(concept.contribution for concept in left_out)
        return replace(
            semantics,
            shared=tuple(concept for concept in semantics.shared if concept not in left_out),
            others=round(semantics.others + hidden, _DIGITS),
        )

    def _allows_place(self, concept: SharedConcept) -> bool:
        places = (concept.in_query, concept.in_hit)
        fields = [place.removeprefix(FIELD) for place in places if place.startswith(FIELD)]
        return all(map(self.allows, fields))

    def context(self, context: DocumentContext) -> DocumentContext:
        """Return the context of a document, without the parts from fields that may not leave."""
        allowed = self.context_fields
        hidden = {
            part.name: None for part in fields(context) if not getattr(allowed, part.name, None)
        }
        return replace(context, **{**hidden, "family": self.family(context.family)})

    def lost(self, lost: LostText | None) -> LostText | None:
        """Return what only a text has; its words tell which words another one has not."""
        if lost is None or self.evidence:
            return lost
        return LostText(lost.share)

    def family(self, name: str | None) -> str | None:
        """Return the name of a family as callers see it."""
        return None if name is None else self.names.shown(name)

    @property
    def context_fields(self) -> DocumentFields:
        """Return the fields of the index's configuration that may leave."""
        named = asdict(self.config.documents)
        link = named.pop("link")
        allowed = {name: field for name, field in named.items() if field and self.allows(field)}
        parts = [] if link is None else [name for name in link_fields(link) if name != "id"]
        if link is not None and all(self.allows(name) for name in parts):
            allowed["link"] = link
        return DocumentFields(**allowed)

    def allows(self, field: str) -> bool:
        """Check whether a field may leave: by its name, or by that of an object it is in."""
        return any(field == name or field.startswith(f"{name}.") for name in self.fields)

    def member(self, member: Member) -> Member:
        """Return a member of a family, or a document near it, with what may leave alone."""
        allowed = self.context_fields
        return replace(
            member,
            title=member.title if allowed.title else None,
            date=member.date if allowed.date else None,
        )


def allowed_source(source: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Return a document with these fields alone.

    Args:
        source: The document, nested or with dots in its names, as it was written.
        fields: Full names of fields, or of objects with all that is in them.
    """
    return _allowed(source, fields, "")


def _allowed(source: Mapping[str, Any], fields: Sequence[str], prefix: str) -> dict[str, Any]:
    allowed: dict[str, Any] = {}
    for name, value in source.items():
        path = f"{prefix}{name}"
        if any(path == field or path.startswith(f"{field}.") for field in fields):
            allowed[name] = value
        elif any(field.startswith(f"{path}.") for field in fields):
            inner = _within(value, fields, f"{path}.")
            if inner:
                allowed[name] = inner
    return allowed


def _within(value: Any, fields: Sequence[str], prefix: str) -> Any:
    if isinstance(value, dict):
        return _allowed(value, fields, prefix)
    if isinstance(value, list):
        inner = (_within(item, fields, prefix) for item in value)
        return [item for item in inner if item]
    return None
