"""Two texts side by side as a page of HTML that needs nothing else: no script, no request."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from es_simhash.differences.difference import Changes, KeyChange
from es_simhash.differences.rendering.hunks import counted_key_changes
from es_simhash.differences.rendering.paired_rows import Row, RowGroup, row_groups, row_of, rows
from es_simhash.differences.rendering.pictures import (
    ChangeMark,
    DotPicture,
    EvidenceBar,
    Strip,
    change_marks,
    dot_pictures,
    evidence_bars,
    strip,
)
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.pages.rendering import render_page
from es_simhash.relation.relation import Relation, SharedPassage

# Ids of an older and a newer document to the address of the page that compares them, if any.
Address = Callable[[str, str], str | None]


@dataclass(frozen=True)
class Step:
    """A step from the two versions that are compared to others.

    Attributes:
        name: `Older` or `Newer`.
        rel: The same as the relation of a link.
        older: The older one of the two that it leads to.
        newer: The newer one.
    """

    name: str
    rel: str
    older: DatedVersion
    newer: DatedVersion


@dataclass(frozen=True)
class ComparisonPage:
    """Two texts, as a page shows them.

    Attributes:
        changes: The changes from one to the other.
        name_a: Name of the older text.
        name_b: Name of the newer text.
        relation: Relation of the older text to the newer one, with their coverage; None without.
        timeline: Timeline of the two, if they are versions of one document; None otherwise.
        address: Function that returns the address at which a server compares two documents, given
            the ids of the older and the newer one; None without a server.
    """

    changes: Changes
    name_a: str
    name_b: str
    relation: Relation | None = None
    timeline: Timeline | None = None
    address: Address | None = None

    @cached_property
    def key_changes(self) -> list[tuple[KeyChange, int]]:
        """Numbers, dates and names that changed, each with how often."""
        return counted_key_changes(self.changes)

    @cached_property
    def _rows(self) -> list[Row]:
        return list(rows(self.changes))

    @cached_property
    def groups(self) -> list[RowGroup]:
        """Both texts in rows."""
        return list(row_groups(self._rows))

    @property
    def count(self) -> int:
        """How many changes there are in a row."""
        return sum(group.change > 0 for group in self.groups)

    @property
    def marks(self) -> list[ChangeMark]:
        """The places of the changes among the rows."""
        return change_marks(self.groups)

    @property
    def is_about_the_same(self) -> bool:
        """True when the two share no text, but what they are about."""
        return self.relation is not None and self.relation.kind == "semantic"

    @property
    def subjects(self) -> list[tuple[str, list[str]]]:
        """What two semantic neighbours both mention, and which of their words are near."""
        semantics = None if self.relation is None else self.relation.semantics
        if semantics is None:
            return []
        names = [concept.text for concept in semantics.shared if concept.is_entity]
        terms = [concept.text for concept in semantics.shared if not concept.is_entity]
        near = semantics.near
        listed = [
            ("Both name", names),
            ("Both mention", terms),
            ("Near in meaning, in A", [word.text for word in near.of_query]),
            ("Near in meaning, in B", [word.text for word in near.of_hit]),
        ]
        return [(title, words) for title, words in listed if words]

    @property
    def nearest(self) -> list[SharedPassage]:
        """The passages of two semantic neighbours that are nearest in meaning.

        Those that are both texts as a whole are left out, as the page has these anyway.
        """
        evidence = () if self.relation is None else self.relation.evidence
        texts = self.changes.text_a.strip(), self.changes.text_b.strip()
        return [
            passage
            for passage in evidence
            if passage.kind == "nearest"
            and (passage.query.text.strip(), passage.hit.text.strip()) != texts
        ]

    @cached_property
    def shared(self) -> Sequence[SharedPassage]:
        """The passages that the two share, in the order of the older one."""
        evidence = () if self.relation is None else self.relation.evidence
        shared = [passage for passage in evidence if passage.kind != "nearest"]
        return sorted(shared, key=lambda passage: passage.query.start)

    @cached_property
    def passages(self) -> list[tuple[SharedPassage, int, int]]:
        """The shared passages, each with the rows in which it begins, in A and in B."""
        return [
            (
                passage,
                row_of(self._rows, passage.query.start, "a"),
                row_of(self._rows, passage.hit.start, "b"),
            )
            for passage in self.shared
        ]

    @cached_property
    def linked(self) -> set[int]:
        """Numbers of the rows that a shared passage leads to."""
        return {number for _, row_a, row_b in self.passages for number in (row_a, row_b)}

    @property
    def strip(self) -> Strip | None:
        """The places of the common parts; None if both texts are empty."""
        return strip(self.changes, self.shared)

    @property
    def evidence(self) -> list[EvidenceBar]:
        """What speaks for and against versions; empty where no text is shared."""
        log_odds = None if self.relation is None else self.relation.log_odds
        return evidence_bars(log_odds) if log_odds else []

    @property
    def dots(self) -> list[DotPicture]:
        """The versions by date."""
        return [] if self.timeline is None else dot_pictures(self.timeline)

    @property
    def steps(self) -> list[Step]:
        """The steps to the version before the two, and to the one after them."""
        if self.timeline is None:
            return []
        steps = [("Older", "prev", self.timeline.older), ("Newer", "next", self.timeline.newer)]
        return [Step(name, rel, *pair) for name, rel, pair in steps if pair is not None]

    @property
    def contents(self) -> list[tuple[str, str]]:
        """Ids and titles of the sections below the texts."""
        is_version = not self.is_about_the_same
        sections = [
            ("keys", "numbers, dates and names", is_version and self.key_changes),
            ("passages", "shared passages", is_version and self.passages),
            ("where", "where the common parts lie", is_version and self.strip),
            ("timeline", "versions of this document", self.timeline),
            ("evidence", "what speaks for versions", self.evidence),
        ]
        return [(id, title) for id, title, is_shown in sections if is_shown]

    def command(self, step: Step) -> str:
        """Return the command that compares two documents; none where it cannot be typed."""
        index = "" if self.timeline is None else self.timeline.index
        ids = step.older.id, step.newer.id
        if not all(name.isprintable() for name in (index, *ids)):
            return ""
        return shlex.join(["es-simhash", "changes", index, "--format", "html", "--", *ids])

    @property
    def versions(self) -> list[tuple[DatedVersion, str | None]]:
        """All versions, the newest first, each with the address of what changed in it."""
        if self.timeline is None:
            return []
        dated = self.timeline.dated
        before = dict(zip(dated[1:], dated, strict=False))
        addresses = {
            version: self.address(older.id, version.id)
            for version, older in before.items()
            if self.address is not None
        }
        undated = [version for version in self.timeline.versions if version.place is None]
        return [(version, addresses.get(version)) for version in (*reversed(dated), *undated)]

    def mark(self, version: DatedVersion) -> str:
        """Return which of the two a version is."""
        assert self.timeline is not None
        sides = {"A": self.timeline.a, "B": self.timeline.b}
        return " and ".join(side for side, id in sides.items() if id == version.id)


def changes_html(
    changes: Changes,
    name_a: str,
    name_b: str,
    relation: Relation | None = None,
    timeline: Timeline | None = None,
    address: Address | None = None,
) -> str:
    """Return two texts side by side as one HTML page; see `ComparisonPage` for the arguments."""
    comparison = ComparisonPage(changes, name_a, name_b, relation, timeline, address)
    return render_page("comparison.html", comparison=comparison)
