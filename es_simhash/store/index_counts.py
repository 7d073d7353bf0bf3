"""Counts of the documents of an index, as a status has them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from es_simhash.relation.references import LeftOutIndex
from es_simhash.relation.thresholds import SCORING


@dataclass(frozen=True)
class SchemeCoverage:
    """How many documents have fields of which scheme.

    Attributes:
        scheme: The scheme of the index.
        current: Documents of that scheme.
        others: Documents of each other scheme.
        none: Documents of no scheme.
    """

    scheme: str
    current: int
    others: Mapping[str, int]
    none: int

    @property
    def another(self) -> int:
        """Documents of another scheme than the one of the index."""
        return sum(self.others.values())


@dataclass(frozen=True)
class MethodCoverage(SchemeCoverage):
    """How many documents have fingerprints of a method.

    Attributes:
        method: Name of the method.
        unreadable: Documents that the method cannot read, among those that are current.
        empty: Documents without words, among those that are current.
    """

    method: str
    unreadable: int
    empty: int


@dataclass(frozen=True)
class BackgroundStatus:
    """The background of an index.

    Attributes:
        name: Its name; None for none.
        date: When it was counted, in ISO 8601 and UTC.
        documents: Different texts that were counted.
        problem: Why the one that is stored cannot be used; None where nothing is wrong.
    """

    name: str | None = None
    date: str | None = None
    documents: int = 0
    problem: str | None = None


@dataclass(frozen=True)
class VectorsStatus:
    """The word vectors that were learned from an index, and how many documents have them.

    Attributes:
        coverage: How many documents were given vectors by which of them; its scheme is the
            name of those that are stored, empty without any.
        date: When they were learned, in ISO 8601 and UTC; None without any.
        documents: Different texts that they were learned from.
        words: Words that have a vector.
        problem: Why those that are stored cannot be used; None where nothing is wrong.
    """

    coverage: SchemeCoverage
    date: str | None = None
    documents: int = 0
    words: int = 0
    problem: str | None = None


@dataclass(frozen=True)
class Status:
    """Counts of the documents of an index.

    Attributes:
        index: Name of the index.
        documents: All documents.
        fingerprints: How many have fingerprints of which scheme.
        empty: Texts without tokens.
        failed: Documents the ingest pipeline could not fingerprint.
        profiles: How many have semantic profiles of which scheme; None when the index finds
            versions alone.
        families: Version families.
        in_families: Documents of them.
        duplicates: Documents flagged as a duplicate of another.
        bytes: Size of each member of the `simhash` object on disk, in one copy of each shard and
            without `_source`; None when it was not requested, or the privilege is missing.
        methods: How many have fingerprints of each method that the index was installed with.
        background: How common words and names are in it was counted; None when the index finds
            versions alone.
        vectors: What vectors were learned from it; None where its vectors are others.
        left_out: Indices behind the name that are in no answer, as they have no fingerprints of
            the scheme.
        scoring: Name of the score of versions.
        other_scoring: Name of the one that the threshold of the index was stored for, where that
            is another; None where it is the same.
        source: Index of the texts, when this one is a sidecar.
    """

    index: str
    documents: int
    fingerprints: SchemeCoverage
    empty: int
    failed: int
    profiles: SchemeCoverage | None
    families: int
    in_families: int
    duplicates: int
    bytes: Mapping[str, int] | None
    methods: tuple[MethodCoverage, ...] = ()
    background: BackgroundStatus | None = None
    vectors: VectorsStatus | None = None
    left_out: tuple[LeftOutIndex, ...] = ()
    scoring: str = SCORING
    other_scoring: str | None = None
    source: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the status as JSON has it."""
        return asdict(self)


def other_threshold(scoring: str, index: str) -> tuple[str, str]:
    """Say that a threshold of versions was stored for another score, and what to do.

    Args:
        scoring: Name of that score.
        index: The index.
    """
    return (
        f"Where versions begin was stored for the score {scoring}, and scores are those of "
        f"{SCORING}.",
        f"Store it anew with `es-simhash lab tune {index} --labels FILE --write`, or run "
        f"`es-simhash config {index} --unset version-threshold`.",
    )
