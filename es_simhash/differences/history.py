"""The history of a document, and since when each of its sentences has been there; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from es_simhash.differences.alignment import Alignment
from es_simhash.differences.difference import Changes
from es_simhash.differences.text_alignment import align_texts
from es_simhash.differences.text_changes import ReadText, changes_of
from es_simhash.differences.text_units import Units
from es_simhash.relation.relation import Span
from es_simhash.text.tokens import Ints


@dataclass(frozen=True)
class Version:
    """A version of a document.

    Attributes:
        id: Its id.
        date: Its date, as ISO 8601 in UTC; of a field of numbers, the number. None without one.
    """

    id: str
    date: str | None = None


@dataclass(frozen=True)
class HistoryStep:
    """Changes from one version of a document to the next."""

    older: Version
    newer: Version
    changes: Changes


@dataclass(frozen=True)
class History:
    """The versions of a document, oldest first, and what changed at each step.

    Attributes:
        family: Name of the family.
        date_field: Field of the dates; None when the versions are in the order of their ids.
        versions: The versions; those without a date come first, by their ids.
        steps: Changes, one step fewer than there are versions.
    """

    family: str
    date_field: str | None
    versions: tuple[Version, ...]
    steps: tuple[HistoryStep, ...]

    @property
    def undated(self) -> tuple[str, ...]:
        """Ids of the versions without a date, when the order is that of the dates."""
        return undated(self.date_field, self.versions)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "family": self.family,
            "date_field": self.date_field,
            "undated": list(self.undated),
            "versions": [asdict(version) for version in self.versions],
            "steps": [
                {"older": step.older.id, "newer": step.newer.id, **step.changes.to_dict()}
                for step in self.steps
            ],
        }


@dataclass(frozen=True)
class BlamedSentence:
    """A sentence, and the versions it comes from.

    Attributes:
        sentence: Where it is, and its words.
        since: The version that first has it as it is, but for white space, there or at the place
            that it was moved from.
        first: The oldest version that any of its words comes from.
    """

    sentence: Span
    since: Version
    first: Version


@dataclass(frozen=True)
class Blame:
    """Since when each sentence of a version has been there.

    Attributes:
        family: Name of the family.
        date_field: Field of the dates; None without one.
        version: The version whose sentences these are.
        versions: It and the older ones, oldest first.
        sentences: Its sentences, in order.
    """

    family: str
    date_field: str | None
    version: Version
    versions: tuple[Version, ...]
    sentences: tuple[BlamedSentence, ...]

    @property
    def undated(self) -> tuple[str, ...]:
        """Ids of the versions without a date, when the order is that of the dates."""
        return undated(self.date_field, self.versions)

    def of_text(self, text: str) -> tuple[BlamedSentence, ...]:
        """Return the sentences that have some words, whatever their case and the white space."""
        words = " ".join(text.split()).casefold()
        return tuple(
            blamed
            for blamed in self.sentences
            if words in " ".join(blamed.sentence.text.split()).casefold()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "family": self.family,
            "date_field": self.date_field,
            "undated": list(self.undated),
            "version": asdict(self.version),
            "versions": [asdict(version) for version in self.versions],
            "sentences": [asdict(blamed) for blamed in self.sentences],
        }


def undated(date_field: str | None, versions: Sequence[Version]) -> tuple[str, ...]:
    """Return the ids of versions without a date; none where dates are not used."""
    if date_field is None:
        return ()
    return tuple(version.id for version in versions if version.date is None)


def steps_of(versions: Sequence[Version], texts: Sequence[ReadText]) -> Iterator[HistoryStep]:
    """Yield what changed from each version to the next."""
    for (older, a), (newer, b) in pairwise(zip(versions, texts, strict=True)):
        yield HistoryStep(older, newer, changes_of(a, b))


def blamed_sentences(
    versions: Sequence[Version], texts: Sequence[ReadText]
) -> tuple[BlamedSentence, ...]:
    """Return since when each sentence of the last version has been there.

    Args:
        versions: The versions, oldest first.
        texts: Their texts.
    """
    units = texts[-1].units
    origins = _Origins.of_first(texts[0].units)
    for number, (a, b) in enumerate(pairwise(texts), 1):
        origins = origins.after(align_texts(a.units, b.units), number)
    return tuple(
        BlamedSentence(
            units.span(start, end),
            versions[int(origins.since(start, end))],
            versions[int(origins.brought[start:end].min())],
        )
        for start, end in pairwise(units.sentences.tolist())
        if start < end
    )


@dataclass(frozen=True)
class _Origins:
    """Where the units of a version come from.

    Attributes:
        brought: Number of the version that brought each unit.
        joined: Number of the version from which on each unit follows the one before it. What was
            taken out between two units leaves no unit behind, and is a change all the same.
    """

    brought: Ints
    joined: Ints

    @classmethod
    def of_first(cls, units: Units) -> "_Origins":
        """Return those of the oldest version."""
        zeros = np.zeros(len(units), np.int64)
        return cls(zeros, zeros)

    def after(self, alignment: Alignment, number: int) -> "_Origins":
        """Return those of the next version; moved blocks keep theirs.

        Args:
            alignment: Alignment of this version and the next one.
            number: Number of the next one.
        """
        brought = np.full(len(alignment.b), number)
        joined = brought.copy()
        for a, b, size in alignment.blocks:
            brought[b : b + size] = self.brought[a : a + size]
            joined[b + 1 : b + size] = self.joined[a + 1 : a + size]
        return _Origins(brought, joined)

    def since(self, start: int, end: int) -> int:
        """Return the first version that has units as they are."""
        newest = self.brought[start:end].max()
        return max(int(newest), int(self.joined[start + 1 : end].max(initial=0)))
