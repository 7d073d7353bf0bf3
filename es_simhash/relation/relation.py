"""Relations: kinds, coverage, evidence, and why two documents are related."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from es_simhash.relation.field_evidence import FieldEvidence
from es_simhash.relation.thresholds import (
    BOILERPLATE,
    PASSAGE_INFORMATION,
    SHOWN_SCORE,
    SHOWN_SIMILARITY,
    VERSION_SCORE,
    ReuseKind,
)
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.text.counting import percent

Kind = Literal["exact", "version", "contains", "excerpt_of", "shares_passages", "semantic", "none"]
KINDS: tuple[Kind, ...] = (
    "exact",
    "version",
    "contains",
    "excerpt_of",
    "shares_passages",
    "semantic",
)
VERSION_KINDS: tuple[Kind, ...] = KINDS[:4]
Direction = Literal["older", "newer", "same"]
# Names and terms of a phrase, and characters of a passage.
_MAX_TERMS, _MAX_CHARACTERS = 3, 80


@dataclass(frozen=True)
class Coverage:
    """Share of each text, by characters and from 0 to 1, that appears in the other."""

    of_query: float
    of_hit: float

    def __str__(self) -> str:
        return (
            f"{percent(self.of_query)} of A appears in B, {percent(self.of_hit)} of B appears in A"
        )


_UNCOVERED = Coverage(0.0, 0.0)


@dataclass(frozen=True)
class Span:
    """A stretch of a text: offsets in characters of the original, and the words themselves."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class SharedPassage:
    """Two stretches that go together.

    Attributes:
        query: Where it is in the query.
        hit: Where it is in the hit.
        kind: verbatim (all but a few words equal, in order), edited, paraphrased (or summarised);
            `nearest` of a semantic neighbour: nothing was copied, they are nearest in meaning.
        score: Likeness from 0 to 1, which is word for word.
        changed: Share of their tokens that is not in a run of four that both have, from 0 to 1.
    """

    query: Span
    hit: Span
    kind: Literal["verbatim", "edited", "paraphrased", "nearest"]
    score: float
    changed: float


@dataclass(frozen=True)
class Reuse:
    """Share of two texts that is passages of the other, by how these were changed.

    Attributes:
        kind: The way most of the text was reused, by characters.
        verbatim: Share of each text in passages that are word for word in the other.
        edited: Share of each text in passages that were edited.
        paraphrased: Share of each text in passages that were paraphrased or summarised.
        information: Weight of the words that the passages share, in nats.
    """

    kind: ReuseKind
    verbatim: Coverage
    edited: Coverage
    paraphrased: Coverage
    information: float


@dataclass(frozen=True)
class DocumentContext:
    """Data of a document from the fields an index is configured with; None for no value.

    Attributes:
        title: Its title.
        date: Its date in ISO 8601, in UTC; of several the latest.
        owner: Its owner or section.
        language: Its language.
        link: Its address.
        family: Name of its version family.
    """

    title: str | None = None
    date: str | None = None
    owner: str | None = None
    language: str | None = None
    link: str | None = None
    family: str | None = None


@dataclass(frozen=True)
class Relation:
    """One answer, the same from Python and the command line.

    Attributes:
        id: Id of the hit; None when two texts were compared.
        kind: exact, version, contains (the query contains the hit), excerpt_of (the query is an
            excerpt of the hit), shares_passages, semantic (about the same in other words);
            `none` only from `compare`.
        score: From 0 to 1; versions start at 0.6, semantic neighbours end there.
        coverage: Share of each that appears in the other.
        evidence: The passages they share, those that share most first; of a semantic neighbour
            the pair of passages that are nearest in meaning.
        index: Index of the hit.
        source: Requested fields of the hit.
        truncated: True when a limit cut the candidates this relation was chosen from.
        semantics: Similarity of the semantic profiles, when these were compared.
        copies: Further neighbours, not shown, that are versions of this one.
        dismissed: True when a person dismissed the two documents: they are not versions.
        joined: True when a person joined the two documents: they are versions, whatever their
            texts share.
        common: Share of the text they share that other documents of the index have as well, from 0
            to 1; None where nothing is shared or no index was queried.
        reuse: Changes of the passages they share; None where their texts share none, or
            were not aligned.
        direction: Whether the hit is older or newer than the query, or of the same date; None where
            one of the two has no date that is known.
        document: Title, date and so on of the hit; None where they were not read.
        fields: What the fields of owner and identifiers say, of a query that is a document; empty
            where the index is configured with none.
        log_odds: What each piece of evidence adds to the log-odds that the two are versions, and
            where these `start`; their sum as a probability is the score of versions before the
            threshold of an index. None where two documents were not compared alone, or share no
            text.
    """

    id: str | None
    kind: Kind
    score: float
    coverage: Coverage
    evidence: tuple[SharedPassage, ...] = ()
    index: str | None = None
    source: dict[str, Any] = field(default_factory=dict)
    truncated: bool = False
    semantics: SemanticSimilarity | None = None
    copies: int = 0
    dismissed: bool = False
    joined: bool = False
    common: float | None = None
    reuse: Reuse | None = None
    direction: Direction | None = None
    document: DocumentContext | None = None
    fields: tuple[FieldEvidence, ...] = ()
    log_odds: Mapping[str, float] | None = None

    @property
    def is_boilerplate(self) -> bool:
        """True when the two share passages, and nearly all of these are common.

        What is common is counted by equal words, which do not say that of a paraphrase.
        """
        if self.kind != "shares_passages" or (self.common or 0.0) < BOILERPLATE:
            return False
        return self.reuse is None or self.reuse.kind != "paraphrased"

    @property
    def leads(self) -> bool:
        """True of versions, and of texts that share passages by more than chance: they come before
        what is only nearer in meaning.

        Passages of short texts may share less, as in forms that are filled in; so may what is
        common.
        """
        if self.kind != "shares_passages":
            return self.kind != "semantic"
        is_by_chance = self.reuse is not None and self.reuse.information < PASSAGE_INFORMATION
        return not is_by_chance and not self.is_boilerplate

    @property
    def coverage_sentence(self) -> str:
        """How much of each text appears in the other; of passages, which may be edited, how much
        of each text they are. Empty of semantic neighbours.
        """
        if self.kind == "semantic":
            return ""
        if self.kind != "shares_passages":
            return str(self.coverage)
        shares = percent(self.coverage.of_query), percent(self.coverage.of_hit)
        return f"{shares[0]} of A and {shares[1]} of B are shared passages"

    def by_place(self) -> "Relation":
        """Return the relation with its passages in the order of the query."""
        ordered = sorted(
            self.evidence, key=lambda passage: (passage.query.start, passage.hit.start)
        )
        return replace(self, evidence=tuple(ordered))

    def to_dict(self) -> dict[str, Any]:
        """Return the relation as it is printed in JSON."""
        return asdict(self)


@lru_cache(maxsize=1 << 10)
def semantic_score(similarity: float) -> float:
    """Return the score of a similarity in meaning, from 0 to just below that of versions.

    It is piecewise linear, so that it correlates with people as the similarity itself does. A
    question asks several times for that of each of its hits.
    """
    if similarity < SHOWN_SIMILARITY:
        score = SHOWN_SCORE * similarity / SHOWN_SIMILARITY
    else:
        above = (similarity - SHOWN_SIMILARITY) / (1 - SHOWN_SIMILARITY)
        score = SHOWN_SCORE + (VERSION_SCORE - SHOWN_SCORE) * above
    return min(round(score, 4), VERSION_SCORE - 0.0001)


def reason(relation: Relation) -> str:
    """Return why a relation is one, in one English phrase about the hit.

    With evidence it quotes the passage that shares most, or names what both texts mention; without,
    it gives the shares of the texts alone.

    >>> from es_simhash import compare
    >>> reason(compare("The harbour opens at six.", "the  HARBOUR opens at six."))
    'the same text'
    """
    coverage = relation.coverage
    if relation.kind == "exact":
        return "the same text"
    if relation.kind == "version":
        of_query, of_hit = percent(coverage.of_query), percent(coverage.of_hit)
        return f"has {of_query} of this text; {of_hit} of it is from here"
    if relation.kind == "contains":
        return f"{percent(coverage.of_hit)} of it appears in this text"
    if relation.kind == "excerpt_of":
        return f"{percent(coverage.of_query)} of this text appears in it"
    if relation.kind == "shares_passages":
        return _shared_passage(relation)
    if relation.kind == "semantic":
        return _shared_subjects(relation)
    return "not related"


def _shared_passage(relation: Relation) -> str:
    how = "" if relation.reuse is None else f", {relation.reuse.kind}"
    if not relation.evidence:
        return f"shares passages with {percent(relation.coverage.of_query)} of this text{how}"
    text = " ".join(relation.evidence[0].hit.text.split())
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS].rsplit(' ', 1)[0]} …"
    return f"shares a passage{how}: “{text}”"


def _shared_subjects(relation: Relation) -> str:
    shared = () if relation.semantics is None else relation.semantics.shared
    terms = [term.text for term in shared[:_MAX_TERMS]]
    return f"both mention {', '.join(terms)}" if terms else "about the same subject"


def semantic_relation(
    id: str | None,
    index: str | None,
    semantics: SemanticSimilarity,
    coverage: Coverage = _UNCOVERED,
    common: float | None = None,
) -> Relation:
    """Return the relation of a document that is near in meaning.

    Args:
        id: Id of the document.
        index: Index of the document.
        semantics: Similarity of the semantic profiles.
        coverage: Share of each text that resembles the other.
        common: Share of what it shares that other documents have as well.
    """
    score = semantic_score(semantics.similarity)
    if semantics.score != score:
        semantics = replace(semantics, score=score)
    return Relation(
        id, "semantic", score, coverage, index=index, semantics=semantics, common=common
    )


def combine(by_shingles: Relation, semantic: Relation) -> Relation:
    """Return the relation to show: a version is not shown again as a neighbour.

    A document that shares a passage worth showing says so, however near it is in meaning; its score
    is the higher of both.
    """
    if not _prevails(by_shingles, semantic):
        # `replace` would take three times as long, for dozens of hits.
        assert semantic.semantics is not None
        return semantic_relation(
            semantic.id,
            semantic.index,
            semantic.semantics,
            by_shingles.coverage,
            by_shingles.common,
        )
    score = by_shingles.score
    if by_shingles.kind not in VERSION_KINDS:
        score = max(score, semantic.score)
    return replace(by_shingles, score=score, semantics=semantic.semantics)


def as_joined(relation: Relation) -> Relation:
    """Return the relation of two documents that a person joined: they are versions."""
    if relation.kind in VERSION_KINDS:
        return replace(relation, joined=True)
    score = max(relation.score, VERSION_SCORE)
    return replace(relation, kind="version", score=score, joined=True)


def _prevails(by_shingles: Relation, semantic: Relation) -> bool:
    if by_shingles.kind == "none":
        return False
    return by_shingles.score >= SHOWN_SCORE or by_shingles.score >= semantic.score
