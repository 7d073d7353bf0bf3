"""Suggestions of `tune` for an index, and the figures they rest on."""

from dataclasses import asdict, dataclass, field
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.lab.evaluation.evaluation_figures import rounded
from es_simhash.relation.thresholds import VERSION_SCORE

MAX_SAMPLE = 5_000


@dataclass(frozen=True)
class TuneOptions:
    """Options of `tune`.

    Attributes:
        sample: Documents to draw, from 2 to 5,000.
        seed: Seed of the sample; the same one draws the same documents, unless these were written
            again.
    """

    sample: int = field(default=300, metadata=constraints(2, MAX_SAMPLE))
    seed: int = field(default=0, metadata=constraints(0))

    def __post_init__(self) -> None:
        require_valid(self)


@dataclass(frozen=True)
class Measure:
    """A figure with its interval of 95 %, by bootstrap over documents; nan where there is none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ThresholdFigures:
    """Quality of a threshold on pairs that it was not chosen on.

    Attributes:
        name: `proposed`, `present` or `default`.
        threshold: Where versions begin.
        f1: F1.
        precision: Share of the pairs called versions that are versions.
        recall: Share of the versions that are called versions.
    """

    name: str
    threshold: float
    f1: Measure
    precision: Measure
    recall: Measure


@dataclass(frozen=True)
class LabelledFigures:
    """Thresholds on labelled pairs, all on the same held-out pairs.

    Attributes:
        pairs: Labelled pairs of documents of the index.
        versions: Those that are versions.
        documents: Their documents.
        thresholds: The proposed one, that of the index, and the default.
        gain: F1 of the proposed threshold less that of the default.
    """

    pairs: int
    versions: int
    documents: int
    thresholds: tuple[ThresholdFigures, ...]
    gain: Measure

    def of(self, name: str) -> ThresholdFigures:
        """Return the figures of the proposed, the present or the default threshold."""
        return next(figures for figures in self.thresholds if figures.name == name)


@dataclass(frozen=True)
class ThresholdProposal:
    """Where versions should begin.

    Attributes:
        value: The proposed threshold.
        present: That of the index.
        reason: Why, as a sentence.
        figures: Figures of the labels; None without labels.
    """

    value: float
    present: float
    reason: str
    figures: LabelledFigures | None = None


@dataclass(frozen=True)
class KFigures:
    """A Hamming distance, and what a search within it costs and finds.

    Attributes:
        k: Hamming distance of document fingerprints.
        candidates: Documents that a search examines, counted in the index: the median of the
            queries of the sample.
        candidates_p90: The 90th percentile.
        expected: The same number, on average, by the distances in the sample extrapolated to the
            size of the index.
        unrelated: Unrelated documents within k of a document, on average, by their distances.
        versions: Share of the pairs of versions of the sample that are within k; nan without any.
        took: Median milliseconds of a search, as the cluster reports it.
    """

    k: int
    candidates: int
    candidates_p90: int
    expected: float
    unrelated: float
    versions: float
    took: float


@dataclass(frozen=True)
class BlockFigures:
    """A number of blocks, and what searches by them cost and find; from the sample alone.

    Attributes:
        blocks: Number of blocks of the document fingerprint.
        max_k: Hamming distance that they guarantee.
        candidates: Documents that a search within `max_k` examines, extrapolated.
        postings: Postings that a search visits, extrapolated.
        versions: Share of the pairs of versions of the sample within `max_k`; nan without any.
    """

    blocks: int
    max_k: int
    candidates: float
    postings: float
    versions: float


@dataclass(frozen=True)
class SchemeFigures:
    """A scheme, and how many labelled versions are found with it.

    Attributes:
        scheme: Name of the scheme.
        found: Labelled versions that share enough shingles, or are within the largest k.
        versions: All labelled versions.
        shingles: Shingles of a document, on average.
    """

    scheme: str
    found: int
    versions: int
    shingles: float


@dataclass(frozen=True)
class SchemeProposal:
    """The scheme to use.

    Attributes:
        name: Name of the proposed scheme.
        present: That of the index.
        reason: Why, as a sentence.
        compared: Schemes that were compared, with labels.
    """

    name: str
    present: str
    reason: str
    compared: tuple[SchemeFigures, ...] = ()


@dataclass(frozen=True)
class Tuning:
    """Suggestions of `tune` for an index; none of them is stored.

    Attributes:
        index: Name of the index.
        documents: Documents with fingerprints of its scheme.
        sampled: Documents of the sample with fingerprints.
        seed: Seed of the sample.
        pairs: Pairs of documents of which one is in the sample, that share shingles.
        candidates: Documents that share enough shingles with one, median of the sample.
        took: Median milliseconds of the search for these, as the cluster reports it.
        scheme: The scheme to use.
        k: Suggested Hamming distance for `related`.
        max_k: The largest that the scheme guarantees, which is the default of `related`.
        distances: Figures of each k.
        blocks: Figures of numbers of blocks.
        threshold: Where versions should begin.
        problems: One sentence for each label that was left out.
    """

    index: str
    documents: int
    sampled: int
    seed: int
    pairs: int
    candidates: float
    took: float
    scheme: SchemeProposal
    k: int
    max_k: int
    distances: tuple[KFigures, ...]
    blocks: tuple[BlockFigures, ...]
    threshold: ThresholdProposal
    problems: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """Changes for `configure`: None for the default, nothing for no change."""
        if self.threshold.value == self.threshold.present:
            return {}
        value = self.threshold.value
        return {"version_threshold": None if value == VERSION_SCORE else value}

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is printed in JSON."""
        tuning: dict[str, Any] = rounded({**asdict(self), "settings": self.settings})
        return tuning
