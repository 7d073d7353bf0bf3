"""Copies, boilerplate, and the report of a search for them, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from es_simhash.relation.references import Key
from es_simhash.relation.relation import SharedPassage, Span
from es_simhash.relation.thresholds import ReuseKind

# Whether dates say which side was first: they do, both have the same, or a side has none.
Order = Literal["by_date", "same_date", "undated"]


@dataclass(frozen=True)
class CopySide:
    """One of the two documents of a pair.

    Attributes:
        id: Its id.
        index: Its index.
        values: Its values of the field `between`; empty where families are compared.
        family: Its family; None without one.
        date: Its date in ISO 8601, or as a number where the field holds numbers; None without one.
        since: The earliest date of a version of it, in the same family, that has at least half of
            what the two share; None where no such version has a date.
        since_id: Id of that version.
        coverage: Share of its text that is in the passages, from 0 to 1.
        title: Its title; None without one.
    """

    id: str
    index: str
    values: tuple[str, ...]
    family: str | None
    date: str | float | None
    since: str | float | None
    since_id: str | None
    coverage: float
    title: str | None = None


@dataclass(frozen=True)
class CopiedPassage:
    """A passage that two documents share.

    Attributes:
        a: Where it is in document a.
        b: Where it is in document b.
        kind: verbatim, edited or paraphrased, as in `SharedPassage`.
        score: How alike they are, from 0 to 1 when word for word.
        changed: Share of their words that is in no run of four that both have, from 0 to 1.
        letters: Letters in runs of eight and more equal words, without spaces and punctuation.
    """

    a: Span
    b: Span
    kind: ReuseKind
    score: float
    changed: float
    letters: int

    def swapped(self) -> "CopiedPassage":
        """Return it with the sides exchanged."""
        return replace(self, a=self.b, b=self.a)

    def as_shared(self) -> SharedPassage:
        """Return it as the passage of a relation, with a as the query."""
        return SharedPassage(self.a, self.b, self.kind, self.score, self.changed)


@dataclass(frozen=True)
class Copy:
    """Two documents that share passages.

    Attributes:
        a: The document whose side had the passages first, where dates say so; otherwise the one
            whose index and id come first.
        b: The other one.
        order: Whether dates say which side was first.
        longest: Letters of the longest passage, as `CopiedPassage.letters`.
        letters: Letters of all passages.
        pairs: Pairs of documents of the same two families that share text, with this one.
        boilerplate: Passages of the two that were left out as boilerplate.
        passages: The passages they share, the longest first.
    """

    a: CopySide
    b: CopySide
    order: Order
    longest: int
    letters: int
    pairs: int
    boilerplate: int
    passages: tuple[CopiedPassage, ...]


@dataclass(frozen=True)
class Boilerplate:
    """A passage that many have, so that it says nothing about two of them.

    Attributes:
        text: The passage, as a document has it.
        id: Id of that document.
        index: Its index.
        start: Where it begins in that document, in characters.
        end: Where it ends.
        groups: How many values of `between`, or families, have at least half of it.
        documents: How many documents have at least half of it.
    """

    text: str
    id: str
    index: str
    start: int
    end: int
    groups: int
    documents: int


@dataclass(frozen=True)
class LeftOut:
    """Documents that match the filter and were not compared, and why.

    Attributes:
        without_fingerprints: How many have no fingerprints of the index's scheme.
        without_words: How many have no words.
        changed: Ids of those whose text is missing or is not the one that was fingerprinted.
        without_value: Ids of those without a value of the field `between`.
        without_family: Ids of those without a family, where families are compared.
    """

    without_fingerprints: int = 0
    without_words: int = 0
    changed: tuple[str, ...] = ()
    without_value: tuple[str, ...] = ()
    without_family: tuple[str, ...] = ()


@dataclass(frozen=True)
class CopiesReport:
    """What a search for copied passages found.

    Attributes:
        copies: Pairs of documents that share passages, those with the longest passage first.
        boilerplate: Passages that many have, those that most have first.
        between: The field whose values were compared; None for families.
        documents: Documents that match the filter.
        compared: Those of them that were compared.
        groups: Values of `between`, or families, of these.
        undated: Those of them without a date, where there is a field of dates.
        unfamilied: Those of them without a family, each compared by itself.
        aligned: Pairs of texts that were aligned.
        short_boilerplate: Boilerplate too short to be listed: turns of phrase.
        left_out: Documents that were not compared.
        since: From when on documents are new, where only these were compared with all: the counts
            and `left_out` are of them, and no boilerplate is listed. None for all documents.
    """

    copies: tuple[Copy, ...]
    boilerplate: tuple[Boilerplate, ...]
    between: str | None
    documents: int
    compared: int
    groups: int
    undated: int
    unfamilied: int
    aligned: int
    short_boilerplate: int
    left_out: LeftOut
    since: str | None = None

    @property
    def ids(self) -> set[str]:
        """Ids of the documents of the pairs."""
        return {side.id for copy in self.copies for side in (copy.a, copy.b)}

    def with_titles(self, titles: Mapping[Key, str | None]) -> "CopiesReport":
        """Return the report with these titles of its documents, by index and id."""
        copies = tuple(
            replace(copy, a=_titled(copy.a, titles), b=_titled(copy.b, titles))
            for copy in self.copies
        )
        return replace(self, copies=copies)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return asdict(self)

    def to_lines(self) -> list[dict[str, Any]]:
        """Return it as JSON Lines: each pair, each boilerplate passage, and at last the counts."""
        counts = self.to_dict()
        del counts["copies"], counts["boilerplate"]
        return [
            *({"type": "copy", **asdict(copy)} for copy in self.copies),
            *({"type": "boilerplate", **asdict(passage)} for passage in self.boilerplate),
            {"type": "report", **counts},
        ]


def _titled(side: CopySide, titles: Mapping[Key, str | None]) -> CopySide:
    return replace(side, title=titles.get((side.index or None, side.id)))
