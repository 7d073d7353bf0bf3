"""Evidence added to a relation: passages side by side, and what both texts are about."""

from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.concepts.meaning import Meaning
from es_simhash.concepts.vectors import WordVectors
from es_simhash.concepts.vocabulary import Vocabulary
from es_simhash.evidence import ReadText, read, shared_passages
from es_simhash.evidence_meaning import Side, nearest_passages, with_evidence
from es_simhash.relation import Relation
from es_simhash.scheme import Scheme


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
    meaning: Meaning
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
        return Side.of(self.passages, self.meaning, self.table, self.vocabulary)


def told(relation: Relation, query: Reading, hit: Reading) -> Relation:
    """Give a relation with its evidence; nothing is added where a text is missing."""
    if not query.text or not hit.text:
        return relation
    meaning = relation.meaning
    if meaning is not None:
        meaning = with_evidence(meaning, query.side, hit.side)
    if relation.kind == "semantic":
        evidence = nearest_passages(query.side, hit.side)
    else:
        evidence = shared_passages(query.passages, hit.passages)
    return replace(relation, evidence=evidence, meaning=meaning)
