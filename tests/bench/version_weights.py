"""Fit the weights by which evidence makes two texts versions, and print how well they do.

    python -m tests.bench.version_weights [--record] [--write]

Prints, for each collection, F1, precision and recall at the shipped weights, at weights fitted on
all collections, and at weights fitted on all others; how far the scores are from the share of
versions; and the curves. `--write` makes the fitted weights those that are shipped, `--record`
writes the figures to docs/figures.json.

The fit is a logistic regression on pieces of monotone curves. Every collection weighs the same,
whatever its size, but one whose versions are parts of each other, which counts half; all pairs of a
collection weigh the same, but versions weigh PREFERENCE times as much, so that from 0.6 on recall
and precision are balanced.
"""

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.pairs.postings import Postings
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.resemblance import resemblance_of
from es_simhash.relation.scoring import min_shared
from es_simhash.relation.shared_shingles import containment, shared_bound, shared_shingles
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.relation.version_value import evidence_of_pair, shares_enough
from es_simhash.relation.version_weights import (
    WEIGHED,
    Curve,
    EvidenceWeights,
    VersionEvidence,
    VersionWeights,
    version_weights,
)
from tests.bench.figures import Figures, record_tables
from tests.bench.program import measure, run
from tests.support.datasets import pair
from tests.support.judged_sets import MADE, NAMES, JudgedSet, judged_set

WRITTEN = Path(__file__).parents[2] / "es_simhash" / "relation" / "data" / "version_weights.json"
KNOTS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
PAGE = Path(__file__).parents[2] / "docs" / "relations.md"
TITLES = {
    "wire_news": "agency news",
    "bib_digital": "records with and without abstracts",
    "licence_versions": "licences",
    "law_versions_de": "German laws",
    "law_versions_zh": "Chinese laws",
    "pep_versions": "Python proposals",
    "bbc_news": "news",
    "bib_records": "records",
    "terms_versions": "policies and handbooks",
    "ecbplus": "agency stories in several outlets",
    "excerpts": "excerpts and quotations (made)",
    "forms": "revisions and forms (made)",
}
# Evidence that texts may lack, and the value it then counts as. A number that both have, added to
# texts without any, must not speak against them, nor one that only one of them has for them.
ABSENT = {"head_numbers": 1.0, "common_numbers": 0.0, "numbers": 0.5}
PREFERENCE = 3.0
# The same for collections that were made: in these as many pairs are versions as are none.
_MADE_PREFERENCE = 2.0
# Stories that an outlet printed in part are versions in this collection alone.
_SHARES = {"ecbplus": 0.5}
# Weights are too sure of what they did not see: from the cut on, log-odds count this part.
_SHRUNK = 0.6
# Keeps weights of evidence that says nothing near 0.
_PENALTY = 3e-5
# Pairs of one kind and collection that are fitted; more say no more.
_MOST_PAIRS = 4000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of a collection that share enough to be versions, and what is known of them.

    Attributes:
        name: Name of the collection.
        evidence: One row for each pair, one column for each piece of evidence; NaN where absent.
        record: How far each pair is weighed as records.
        is_version: Whether each pair is versions.
        unfound: Versions that share too little, which no weights can find.
    """

    name: str
    evidence: Floats
    record: Floats
    is_version: NDArray[np.bool_]
    unfound: int


def judged_pairs(known: JudgedSet) -> JudgedPairs:
    """Return the pairs of a collection that can be versions, with their evidence."""
    analysed = TextAnalyser().stored_parts(known.texts.values())
    texts = {id: text for id, text in zip(known.texts, analysed, strict=True) if text is not None}
    postings = Postings({id: text.shingles for id, text in texts.items()})
    rows, records, labels = [], [], []
    for id, text in texts.items():
        for other, _ in postings.after(id, min_shared(text)):
            key = pair(id, other)
            if known.is_neither(key):
                continue
            evidence = _evidence(text, texts[other])
            if evidence is not None:
                rows.append([np.nan if each is None else each for each in evidence.values()])
                records.append(evidence.record)
                labels.append(key in known.versions)
    is_version = np.array(labels, bool)
    unfound = len(known.versions) - int(is_version.sum())
    return JudgedPairs(
        known.name, np.array(rows, float), np.array(records, float), is_version, unfound
    )


def _evidence(one: StoredText, other: StoredText) -> VersionEvidence | None:
    bound = shared_bound(one.chunks, other.chunks)
    shared = containment(
        one.chunks, other.chunks, shared_shingles(one.shingles, other.shingles, bound)
    )
    # Most pairs share next to nothing: their chunks need not be compared.
    if shared.share < 0.1:
        return None
    resemblance = resemblance_of(one.chunks, other.chunks)
    if not shares_enough(one, other, shared, resemblance):
        return None
    return evidence_of_pair(one, other, shared, resemblance)


def _pieces(evidence: Floats) -> Floats:
    """Return the columns of the fit: 1, and how far each piece of evidence is past each knot."""
    columns = [np.ones(len(evidence))]
    for values in _filled(evidence).T:
        columns += [np.clip((values - low) / (high - low), 0, 1) for low, high in pairwise(KNOTS)]
    return np.column_stack(columns)


def _filled(evidence: Floats) -> Floats:
    """Return evidence with values where texts lack some."""
    absent = np.array([ABSENT.get(name, np.nan) for name in WEIGHED])
    return np.where(np.isnan(evidence), absent, evidence)


def _columns(evidence: Floats, record: Floats) -> Floats:
    """Return the columns of texts and of records, each pair on the side it belongs to."""
    pieces = _pieces(evidence)
    return np.hstack([pieces * (1 - record)[:, None], pieces * record[:, None]])


def fitted(sets: Iterable[JudgedPairs]) -> VersionWeights:
    """Return the weights that fit some collections best; no curve falls."""
    drawn = np.random.default_rng(1)
    rows, labels, costs = [], [], []
    for each in sets:
        versions = int(each.is_version.sum())
        for kind in (False, True):
            chosen = np.flatnonzero(each.is_version == kind)
            share = len(chosen) / versions * _SHARES.get(each.name, 1.0)
            if kind:
                share *= _MADE_PREFERENCE if each.name in MADE else PREFERENCE
            if len(chosen) > _MOST_PAIRS:
                chosen = drawn.choice(chosen, _MOST_PAIRS, replace=False)
            rows.append(_columns(each.evidence[chosen], each.record[chosen]))
            labels.append(np.full(len(chosen), float(kind)))
            costs.append(np.full(len(chosen), share / max(1, len(chosen))))
    pieces, is_version, cost = map(np.concatenate, (rows, labels, costs))
    solution = _solution(pieces, is_version, cost / cost.sum() * PREFERENCE * 2)
    return _weights(solution, _typical(pieces * solution, is_version, cost))


def _solution(pieces: Floats, is_version: Floats, cost: Floats) -> Floats:
    penalty = np.full(pieces.shape[1], _PENALTY)
    penalty[[0, len(penalty) // 2]] = 0.0

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = pieces @ weights
        missed = cost @ (np.logaddexp(0, odds) - is_version * odds)
        slope = pieces.T @ (cost * (1 / (1 + np.exp(-odds)) - is_version))
        return float(missed + penalty @ weights**2 / 2), slope + penalty * weights

    found = minimize(
        loss,
        np.zeros(pieces.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=2 * _bounds(),
        options={"maxiter": 500},
    )
    return np.asarray(found.x)


def _bounds() -> list[tuple[float | None, float | None]]:
    return [(None, None), *[(0.0, None)] * (len(KNOTS) - 1) * len(WEIGHED)]


def _typical(added: Floats, is_version: Floats, cost: Floats) -> Floats:
    """Return what each piece of evidence adds to texts and to records in the middle of both kinds.

    Weights are told from there, so that evidence of fewer versions than others speaks against.
    """
    side = added.shape[1] // 2
    means = []
    for half in (added[:, :side], added[:, side:]):
        # The first column is where the log-odds start, 0 on the other side.
        share = cost * np.abs(half[:, 0])
        kinds = [np.average(half, axis=0, weights=share * (is_version == kind)) for kind in (0, 1)]
        steps = np.mean(kinds, axis=0)[1:].reshape(len(WEIGHED), -1)
        means.append(steps.sum(axis=1))
    return np.array(means)


def _weights(solution: Floats, typical: Floats) -> VersionWeights:
    return VersionWeights(*map(_evidence_weights, np.split(solution, 2), typical))


def _evidence_weights(solution: Floats, typical: Floats) -> EvidenceWeights:
    steps = solution[1:].reshape(len(WEIGHED), -1)
    weights = np.hstack([np.zeros((len(WEIGHED), 1)), steps.cumsum(axis=1)]) - typical[:, None]
    curves = {
        name: Curve(KNOTS, tuple(row), ABSENT.get(name))
        for name, row in zip(WEIGHED, np.round(_SHRUNK * weights, 3).tolist(), strict=True)
    }
    cut = math.log(VERSION_SCORE / (1 - VERSION_SCORE))
    start = cut + _SHRUNK * (float(solution[0] + typical.sum()) - cut)
    return EvidenceWeights(round(start, 3), curves)


def probabilities(weights: VersionWeights, known: JudgedPairs) -> Floats:
    """Return how likely each pair is versions, as `VersionWeights.probability` does for one."""
    odds = (1 - known.record) * _odds(weights.texts, known.evidence)
    odds += known.record * _odds(weights.records, known.evidence)
    result: Floats = 1 / (1 + np.exp(-odds))
    return result


def _odds(weights: EvidenceWeights, evidence: Floats) -> Floats:
    odds = np.full(len(evidence), weights.start)
    for curve, values in zip(weights.curves.values(), _filled(evidence).T, strict=True):
        odds += np.interp(values, curve.knots, curve.weights)
    return odds


@dataclass(frozen=True)
class Quality:
    """How well versions of a collection are told at the default threshold.

    Attributes:
        f1: F1 over pairs.
        precision: Share of what is called versions that is.
        recall: Share of the versions that is called.
        error: Mean distance of scores and the share of versions, in tenths (expected calibration
            error), over pairs with a score from 0.1.
    """

    f1: float
    precision: float
    recall: float
    error: float


def quality(known: JudgedPairs, weights: VersionWeights) -> Quality:
    """Measure weights on a collection."""
    values = probabilities(weights, known)
    called = values >= VERSION_SCORE
    right = int((called & known.is_version).sum())
    versions = int(known.is_version.sum()) + known.unfound
    return Quality(
        2 * right / max(1, int(called.sum()) + versions),
        right / max(1, int(called.sum())),
        right / versions,
        calibration_error(reliability(values, known.is_version)),
    )


@dataclass(frozen=True)
class Tenth:
    """Pairs whose scores lie in one tenth.

    Attributes:
        pairs: Their number.
        score: Mean score.
        versions: Share that is versions.
    """

    pairs: int
    score: float
    versions: float


def reliability(values: Floats, is_version: NDArray[np.bool_]) -> list[Tenth]:
    """Return the pairs of each tenth of the scores from 0.1 on: as many are versions as it says."""
    tenths = np.minimum((values * 10).astype(int), 9)
    chosen = [tenths == tenth for tenth in range(1, 10)]
    return [
        Tenth(int(each.sum()), float(values[each].mean()), float(is_version[each].mean()))
        for each in chosen
        if each.any()
    ]


def calibration_error(tenths: Sequence[Tenth]) -> float:
    """Return the mean distance of score and share of versions over pairs, from 0 to 1."""
    pairs = sum(tenth.pairs for tenth in tenths)
    distance = sum(tenth.pairs * abs(tenth.score - tenth.versions) for tenth in tenths)
    return distance / max(1, pairs)


def report(sets: Sequence[JudgedPairs]) -> dict[str, Table]:
    """Print and return the quality of each collection, and of weights that did not see it."""
    shipped = version_weights()
    print("F1 / precision / recall / calibration error at the shipped weights; leaving it out:")
    measured: dict[str, tuple[Quality, Quality]] = {}
    values, labels = [], []
    for each in sets:
        weights = fitted(other for other in sets if other is not each)
        measured[each.name] = quality(each, shipped), quality(each, weights)
        print(f"  {each.name:18s}", *map(_line, measured[each.name]), sep="   ")
        if each.name not in MADE:
            values.append(probabilities(weights, each))
            labels.append(each.is_version)
    found = [[astuple(side) for side in measured[each.name]] for each in sets if each.name in NAMES]
    means = [Quality(*side) for side in np.mean(found, axis=0).tolist()]
    measured["mean of all that were not made"] = means[0], means[1]
    print("  mean of all that were not made", *map(_line, means), sep="   ")
    columns = (
        *("collection", "F1", "precision", "recall", "calibration error"),
        *("F1 left out", "precision left out", "recall left out"),
    )
    rows = [
        (TITLES.get(name, name), *_cells(astuple(seen)), *_cells(astuple(apart)[:3]))
        for name, (seen, apart) in measured.items()
    ]
    tenths = reliability(np.concatenate(values), np.concatenate(labels))
    print(f"calibration error over all pairs, each left out: {calibration_error(tenths):.3f}")
    return {"quality": Table("Versions", columns, tuple(rows)), "reliability": _tenths(tenths)}


def _tenths(tenths: Sequence[Tenth]) -> Table:
    columns = "score", "pairs", "share that is versions"
    rows = [(f"{each.score:.2f}", f"{each.pairs}", f"{each.versions:.2f}") for each in tenths]
    rows.append(("calibration error", "", f"{calibration_error(tenths):.3f}"))
    for row in rows:
        print("  ", *row)
    return Table("Reliability", columns, tuple(rows))


def _cells(values: Iterable[float]) -> Iterator[str]:
    return (f"{value:.3f}" for value in values)


def _line(measured: Quality) -> str:
    return " ".join(f"{value:.3f}" for value in asdict(measured).values())


def print_curves(name: str, weights: EvidenceWeights) -> None:
    """Print what each piece of evidence adds to the log-odds."""
    print(f"\n{name}: log-odds where nothing speaks for or against {weights.start}")
    for evidence, curve in weights.curves.items():
        points = zip(curve.knots, curve.weights, strict=True)
        steps = "  ".join(f"{knot:g}: {weight:.2f}" for knot, weight in points)
        absent = "" if curve.absent is None else f"  absent: as {curve.absent:g}"
        print(f"  {evidence:14s} {steps}{absent}")


def write(weights: VersionWeights, path: Path = WRITTEN) -> None:
    """Make weights those that are shipped."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(asdict(weights), indent=1) + "\n", "utf-8")


def _read(name: str) -> JudgedPairs:
    return judged_pairs(judged_set(name))


def main() -> None:
    """Fit, print, and write down what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="ship the fitted weights")
    parser.add_argument("--record", action="store_true", help="write to docs/figures.json")
    options = parser.parse_args()
    sets = measure([partial(_read, name) for name in (*NAMES, *MADE)])
    if options.write:
        write(fitted(sets))
        version_weights.cache_clear()
    tables = report(sets)
    print_curves("texts", version_weights().texts)
    print_curves("records, up to 128 tokens", version_weights().records)
    if options.record:
        figures = Figures("version-weights", "make version-weights ARGS=--record")
        record_tables(figures, PAGE, tables)


if __name__ == "__main__":
    run(main)
