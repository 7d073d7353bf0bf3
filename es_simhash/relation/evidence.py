"""Evidence added to a relation: passages side by side, and what both texts are about."""

from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.fingerprints.scheme import Scheme
from es_simhash.relation.model import Relation
from es_simhash.relation.passages import ReadText, read, shared_passages
from es_simhash.relation.semantic_evidence import Side, nearest_passages, with_evidence
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.vectors import WordVectors
from es_simhash.semantics.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class Reading:
    """A text, read as far as the evidence needs.

    Attributes:
        text: The text; empty when there is none.
        meaning: What it is about.
        scheme: Scheme of the fingerprints.
        table: The word-vector table; None without one.
        vocabulary: The user's vocabulary; None without one.
    """

    text: str
    semantics: SemanticProfile
    scheme: Scheme
    table: WordVectors | None = None
    vocabulary: Vocabulary | None = None

    @cached_property
    def passages(self) -> ReadText:
        """Its tokens and chunks."""
        return read(self.text, self.scheme)

    @cached_property
    def side(self) -> Side:
        """What its chunks are about."""
        return Side.of(self.passages, self.semantics, self.table, self.vocabulary)


def told(relation: Relation, query: Reading, hit: Reading) -> Relation:
    """Return a relation with its evidence; nothing is added where a text is missing."""
    if not query.text or not hit.text:
        return relation
    semantics = relation.semantics
    if semantics is not None:
        semantics = with_evidence(semantics, query.side, hit.side)
    if relation.kind == "semantic":
        evidence = nearest_passages(query.side, hit.side)
    else:
        evidence = shared_passages(query.passages, hit.passages)
    return replace(relation, evidence=evidence, semantics=semantics)
