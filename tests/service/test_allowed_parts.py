"""Parts of documents that may leave are those of allowed fields, whatever form the source has."""

from typing import Any

import pytest

from es_simhash.relation.loss import LostText
from es_simhash.relation.relation import Coverage, DocumentContext, Relation
from es_simhash.semantics.semantic_similarity import (
    NearWord,
    NearWords,
    SemanticSimilarity,
    SharedConcept,
)
from es_simhash.service.allowed_parts import AllowedParts, allowed_source
from es_simhash.service.family_names import FamilyNames
from es_simhash.service.service_config import ServiceConfig
from es_simhash.store.config import DocumentFields, IndexConfig


def parts(*fields: str, evidence: bool = True) -> AllowedParts:
    documents = DocumentFields(title="title", date="meta.date", link="https://x/{slug}")
    config = IndexConfig(documents=documents)
    return AllowedParts(config, fields, evidence, FamilyNames(ServiceConfig()))


@pytest.mark.parametrize(
    ("source", "allowed"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}),
        ({"a.b": 1, "a.c": 2}, {"a.b": 1}),
        ({"a": [{"b": 1, "c": 2}, {"c": 3}]}, {"a": [{"b": 1}]}),
        ({"a": "text", "ab": 1}, {}),
    ],
)
def test_a_source_has_the_allowed_fields_alone(source: Any, allowed: Any) -> None:
    assert allowed_source(source, ["a.b"]) == allowed


def test_a_context_has_the_parts_of_allowed_fields() -> None:
    context = DocumentContext(title="T", date="2020-01-01", link="https://x/1", family="f")
    assert parts("title").context(context) == DocumentContext(title="T", family="f")
    assert parts("meta", "slug").context(context) == DocumentContext(
        date="2020-01-01", link="https://x/1", family="f"
    )


def test_what_a_text_has_alone_quotes_texts() -> None:
    lost = LostText(0.2, ("4711",), ("a few words",))
    assert parts().lost(lost) == lost
    assert parts(evidence=False).lost(lost) == LostText(0.2)
    assert parts().lost(None) is None


def near_relation() -> Relation:
    shared = (
        SharedConcept("Ada Lovelace", 0.1, True, "field:people", "text"),
        SharedConcept("Port Ellery", 0.05, True, "title", "text"),
        SharedConcept("crane", 0.02, False, "text", "field:tags.words"),
    )
    near = NearWords((NearWord("quay", 0.03),), (NearWord("dock", 0.04),))
    semantics = SemanticSimilarity(0.5, 0.3, 0.1, 0.1, 0.03, 0.4, shared, near=near)
    return Relation("2", "semantic", 0.4, Coverage(0.0, 0.0), semantics=semantics)


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ((), ["Port Ellery"]),
        (("people",), ["Ada Lovelace", "Port Ellery"]),
        (("tags",), ["Port Ellery", "crane"]),
        (("people", "tags.words"), ["Ada Lovelace", "Port Ellery", "crane"]),
    ],
)
def test_what_a_field_alone_has_leaves_with_the_field(
    fields: tuple[str, ...], left: list[str]
) -> None:
    found = parts(*fields).relation(near_relation()).semantics
    assert found is not None
    assert [concept.text for concept in found.shared] == left
    told = found.vector + sum(concept.contribution for concept in found.shared) + found.others
    assert told == pytest.approx(0.5)


def test_words_of_texts_stay_with_the_evidence() -> None:
    found = parts("people", "tags", evidence=False).relation(near_relation()).semantics
    assert found is not None
    assert (found.shared, found.near) == ((), NearWords())
    assert "quay" not in repr(found)
