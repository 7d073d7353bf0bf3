"""Figures of methods on labelled pairs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from es_simhash.lab.evaluation.pair_measures import Curve, DocumentPairs, Floats, Labels
from es_simhash.relation.thresholds import SCORE_DIGITS


@dataclass(frozen=True)
class LabelledSet:
    """Labelled pairs and the texts of their documents.

    Attributes:
        name: Name of the file of the pairs.
        ids: Ids of the documents, by their numbers.
        texts: Texts of the documents.
        pairs: The pairs, by the numbers of documents.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...] = field(repr=False)
    pairs: DocumentPairs = field(repr=False)

    @property
    def versions(self) -> int:
        """Pairs labelled as versions."""
        return int(self.pairs.labels.sum())


@dataclass(frozen=True)
class Interval:
    """Where 95 % of the bootstrap samples lie."""

    low: float
    high: float


@dataclass(frozen=True)
class Costs:
    """Time and bytes that a method takes.

    Attributes:
        reading: Seconds to read all texts.
        scoring: Seconds to score the labelled pairs.
        bytes_per_document: Bytes stored of a text, on average.
    """

    reading: float
    scoring: float
    bytes_per_document: float


@dataclass(frozen=True)
class ScoredSet:
    """A labelled set as one method sees it.

    Attributes:
        scores: Scores of the labelled pairs.
        is_candidate: Whether the method finds each pair without being shown it.
        unreadable: Ids of texts that the method cannot read, each with the reason.
        costs: Time and bytes that it took.
    """

    scores: Floats = field(repr=False)
    is_candidate: Labels = field(repr=False)
    unreadable: Mapping[str, str]
    costs: Costs

    def curve(self, labels: Labels) -> Curve:
        """Return what is called a version at each cut."""
        return Curve.of(self.scores, labels)


@dataclass(frozen=True)
class MethodFigures:
    """How good a method is on a set.

    Attributes:
        name: Name of the method.
        note: Remark for readers of its figures; empty for none.
        threshold: Its own threshold.
        cuts: The cut of each pair, not chosen on that pair.
        scored: The set as the method sees it.
        held_out: Measures at those cuts, and those that need none.
        at_threshold: Measures at its own threshold.
        intervals: Intervals of `held_out`, by bootstrap over documents.
        roc_cut: Cut that the ROC curve of this very set suggests, for later use, not for figures.
        candidate_recall: Share of the versions that are candidates.
        found_recall: Share of the versions that are candidates and called versions.
        found_f1: F1 where no pair is called a version that is no candidate, as in a search.
    """

    name: str
    note: str
    threshold: float
    cuts: Floats = field(repr=False)
    scored: ScoredSet = field(repr=False)
    held_out: Mapping[str, float]
    at_threshold: Mapping[str, float]
    intervals: Mapping[str, Interval]
    roc_cut: float
    candidate_recall: float
    found_recall: float
    found_f1: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as they are printed in JSON."""
        costs = self.scored.costs
        return {
            "method": self.name,
            "note": self.note,
            "held_out": rounded({**self.held_out, "cuts": [self.cuts.min(), self.cuts.max()]}),
            "intervals": {
                name: rounded([interval.low, interval.high])
                for name, interval in self.intervals.items()
            },
            "at_threshold": {**rounded(self.at_threshold), "threshold": self.threshold},
            "roc_cut": rounded(self.roc_cut),
            "candidate_recall": rounded(self.candidate_recall),
            "found_recall": rounded(self.found_recall),
            "found_f1": rounded(self.found_f1),
            "seconds_reading": round(costs.reading, 3),
            "seconds_scoring": round(costs.scoring, 3),
            "bytes_per_document": round(costs.bytes_per_document),
            "unreadable": dict(self.scored.unreadable),
        }


@dataclass(frozen=True)
class WrongPair:
    """A pair that the first method gets wrong.

    Attributes:
        first: Id of a document.
        second: Id of the other.
        label: Whether they are versions.
        score: Score of the method.
        cut: Its cut for this pair.
        is_candidate: Whether the method finds the pair by itself.
        kind: Kind of relation that `compare` returns.
        passages: Passages that both share, in the words of each, those that share most first.
        scores: Scores of the other methods.
    """

    first: str
    second: str
    label: bool
    score: float
    cut: float
    is_candidate: bool
    kind: str
    passages: tuple[tuple[str, str], ...]
    scores: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as it is printed in JSON."""
        pair: dict[str, Any] = rounded(vars(self))
        return pair


@dataclass(frozen=True)
class SetEvaluation:
    """All methods on one set.

    Attributes:
        labelled: The set.
        methods: Figures of each method, in the requested order.
        wrong: Pairs that the first method gets wrong, the worst first.
        wrong_total: How many there are.
        cut_rule: How the cuts were chosen, as a sentence.
    """

    labelled: LabelledSet
    methods: tuple[MethodFigures, ...]
    wrong: tuple[WrongPair, ...]
    wrong_total: int
    cut_rule: str

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as it is printed in JSON."""
        return {
            "pairs": self.labelled.name,
            "documents": len(self.labelled.ids),
            "labelled_pairs": len(self.labelled.pairs.labels),
            "versions": self.labelled.versions,
            "cut_rule": self.cut_rule,
            "methods": [figures.to_dict() for figures in self.methods],
            "wrong_total": self.wrong_total,
            "wrong": [pair.to_dict() for pair in self.wrong],
        }


def rounded(value: Any) -> Any:
    """Return a value for JSON, with rounded numbers; None, which JSON has, for nan."""
    if isinstance(value, Mapping):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(inner) for inner in value]
    if isinstance(value, float):
        return None if math.isnan(value) else round(float(value), SCORE_DIGITS)
    return value
