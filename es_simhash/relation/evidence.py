"""Evidence added to a relation: aligned passages, and shared concepts."""

from dataclasses import replace

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import Relation
from es_simhash.relation.passages import shared_passages
from es_simhash.relation.semantic_evidence import nearest_passages, semantic_evidence


def with_evidence(relation: Relation, query: AnalysedText, hit: AnalysedText) -> Relation:
    """Return a relation with its evidence; nothing is added where a text is missing."""
    if not query.text or not hit.text:
        return relation
    semantics = relation.semantics
    if semantics is not None:
        semantics = semantic_evidence(semantics, query, hit)
    find = nearest_passages if relation.kind == "semantic" else shared_passages
    return replace(relation, evidence=find(query, hit), semantics=semantics)
