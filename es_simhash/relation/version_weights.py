"""The weights by which evidence makes two texts versions: curves of log-odds that never fall.

Each piece of evidence adds to the log-odds that two texts are versions, as records are linked since
Fellegi and Sunter ("A theory for record linkage", JASA 1969), with curves in place of levels.
`make version-weights` fits them; docs/relations.md has the measurements.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any

_WEIGHTS = "version_weights.json"


@dataclass(frozen=True)
class VersionEvidence:
    """Evidence that two texts are versions of each other; shares from 0 to 1.

    Attributes:
        equal_chunks: Share of one text whose chunks have the fingerprint of a chunk of the other,
            of both directions the greater.
        containment: Share of the shingles of the text with fewer which the other has.
        resemblance: Share of the shingles of both which both have (Jaccard).
        head: Share of the runs of four characters that the two heads have in common (Dice).
        head_numbers: Share of the numbers of the head with fewer which the other head has; None
            where a head has none.
        common_numbers: Numbers that both heads have, as a share of FEW_NUMBERS; None where a head
            has none.
        numbers: As `head_numbers`, for all numbers of the texts.
        words: Share of the longer words of the text with fewer which the other has.
        record: How far they are weighed as records: 1 where both have 128 tokens or fewer, a part
            where one has up to 256, 0 of longer texts.
    """

    equal_chunks: float
    containment: float
    resemblance: float
    head: float
    head_numbers: float | None
    common_numbers: float | None
    numbers: float | None
    words: float
    record: float = 0.0

    def values(self) -> tuple[float | None, ...]:
        """Return what is weighed, in the order of `WEIGHED`."""
        return tuple(getattr(self, name) for name in WEIGHED)


# What each piece of evidence is called where people read it, and where the log-odds start.
EVIDENCE_TITLES = {
    "start": "before any evidence",
    "equal_chunks": "equal chunks",
    "containment": "text of the shorter one in the other",
    "resemblance": "text that both have, of all",
    "head": "beginnings alike",
    "head_numbers": "numbers in the beginnings that agree",
    "common_numbers": "count of numbers in both beginnings",
    "numbers": "numbers that agree",
    "words": "words in common",
}
# Names of the evidence that is weighed.
WEIGHED = tuple(each.name for each in fields(VersionEvidence) if each.name != "record")


@dataclass(frozen=True)
class Curve:
    """Weight of one piece of evidence: log-odds by its value, on straight lines between knots.

    Attributes:
        knots: Values between 0 and 1, ascending, the first 0 and the last 1.
        weights: Log-odds at the knots, which never fall; below 0 they speak against versions.
        absent: Value that counts where texts lack the evidence; None where they cannot.
    """

    knots: tuple[float, ...]
    weights: tuple[float, ...]
    absent: float | None = None

    def at(self, value: float) -> float:
        """Return the log-odds of a value; `np.interp` takes ten times as long for one."""
        place = min(bisect_right(self.knots, value), len(self.knots) - 1)
        low, high = self.knots[place - 1], self.knots[place]
        share = min(1.0, (value - low) / (high - low))
        return self.weights[place - 1] + share * (self.weights[place] - self.weights[place - 1])


@dataclass(frozen=True)
class EvidenceWeights:
    """Weights by which evidence is added up.

    Attributes:
        start: Log-odds of a pair of which nothing speaks for or against versions.
        curves: Weight of each piece of evidence, in the order of `WEIGHED`.
    """

    start: float
    curves: Mapping[str, Curve]

    def add(self, evidence: VersionEvidence, share: float, log_odds: dict[str, float]) -> None:
        """Add a share of what the evidence weighs; what is absent counts where odds start."""
        log_odds["start"] += share * self.start
        for (name, curve), value in zip(self.curves.items(), evidence.values(), strict=True):
            if value is not None:
                log_odds[name] = log_odds.get(name, 0.0) + share * curve.at(value)
            elif curve.absent is not None:
                log_odds["start"] += share * curve.at(curve.absent)


@dataclass(frozen=True)
class VersionWeights:
    """Weights of texts and of records, in which a number says more.

    Attributes:
        texts: Weights of texts.
        records: Weights of short texts, up to 128 tokens.
    """

    texts: EvidenceWeights
    records: EvidenceWeights

    def log_odds(self, evidence: VersionEvidence) -> dict[str, float]:
        """Return what speaks for and against two texts being versions, in log-odds.

        Returns:
            Where the log-odds `start`, and what each piece of evidence adds that the texts have.
        """
        added = {"start": 0.0}
        if evidence.record < 1:
            self.texts.add(evidence, 1 - evidence.record, added)
        if evidence.record > 0:
            self.records.add(evidence, evidence.record, added)
        return added

    def probability(self, evidence: VersionEvidence) -> float:
        """Return how likely two texts with this evidence are versions, from 0 to 1."""
        return 1 / (1 + math.exp(-sum(self.log_odds(evidence).values())))


@lru_cache(maxsize=1)
def version_weights() -> VersionWeights:
    """Return the weights that are shipped."""
    stored = json.loads((files("es_simhash.relation") / "data" / _WEIGHTS).read_text("utf-8"))
    return VersionWeights(*(_evidence_weights(stored[name]) for name in ("texts", "records")))


def _evidence_weights(stored: Mapping[str, Any]) -> EvidenceWeights:
    curves = {}
    for name in WEIGHED:
        curve = stored["curves"][name]
        curves[name] = Curve(tuple(curve["knots"]), tuple(curve["weights"]), curve["absent"])
    return EvidenceWeights(stored["start"], curves)
