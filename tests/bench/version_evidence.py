"""The score of versions on every collection whose pairs are known, beside curves that were fitted.

    python -m tests.bench.version_evidence [--record]

Prints, for each collection, F1, precision and recall of the shipped score from 0.6 on, and how far
scores are from the share of versions; the same of a sum of monotone curves, one for each piece of
evidence, fitted on all collections and on all others; and the curves. Records, up to 128 tokens,
have curves of their own. `--record` writes the figures of the shipped score to docs/figures.json
and docs/relations.md.

The fit is a logistic regression on pieces of the curves, which never fall. Every collection weighs
the same, whatever its size; its versions weigh PREFERENCE times as much, so that recall and
precision are balanced from 0.6 on.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
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
from es_simhash.relation.shared_shingles import (
    ALL_SHINGLES,
    containment,
    shared_bound,
    shared_shingles,
)
from es_simhash.relation.thresholds import LARGER_RECORD_WEIGHT, RECORD_LEVEL, VERSION_SCORE
from es_simhash.relation.version_value import (
    head_letters,
    number_overlap,
    value_of_pair,
    word_overlap,
)
from tests.bench.figures import Figures, record_tables
from tests.bench.program import measure, run
from tests.support.datasets import pair
from tests.support.judged_sets import MADE, NAMES, JudgedSet, judged_set

EVIDENCE = (
    "equal chunks", "containment", "resemblance", "head", "head numbers", "common numbers",
    "numbers", "words",
)  # fmt: skip
# Evidence that texts may lack.
OPTIONAL = ("head numbers", "numbers")
KNOTS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
PREFERENCE = 2.75
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
MEAN = "mean of those that were not made"
# Keeps weights of evidence that says nothing near 0.
_PENALTY = 3e-5
# Pairs of one kind and collection that are fitted; more say no more.
_MOST_PAIRS = 4000
# Pairs that share less of the shorter text are no versions, whatever else they have in common.
_LEAST_SHARE = 0.1
# One number may agree by chance; so many do not.
_FEW_NUMBERS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of a collection that share enough to be versions, and what is known of them.

    Attributes:
        name: Name of the collection.
        scores: Shipped value of each pair, before any threshold.
        evidence: One row for each pair, one column for each piece of evidence; NaN where absent.
        record: How far each pair is weighed as records.
        is_version: Whether each pair is versions.
        unfound: Versions that share too little, which no weights can find.
    """

    name: str
    scores: Floats
    evidence: Floats
    record: Floats
    is_version: NDArray[np.bool_]
    unfound: int


def judged_pairs(known: JudgedSet) -> JudgedPairs:
    """Return the pairs of a collection that may be versions, with their evidence."""
    analysed = TextAnalyser().stored_parts(known.texts.values())
    texts = {id: text for id, text in zip(known.texts, analysed, strict=True) if text is not None}
    postings = Postings({id: text.shingles for id, text in texts.items()})
    rows, labels = [], []
    for id, text in texts.items():
        for other, _ in postings.after(id, min_shared(text)):
            key = pair(id, other)
            row = None if known.is_neither(key) else _evidence(text, texts[other])
            if row is not None:
                rows.append(row)
                labels.append(key in known.versions)
    table, is_version = np.array(rows), np.array(labels, bool)
    unfound = len(known.versions) - int(is_version.sum())
    return JudgedPairs(known.name, table[:, 0], table[:, 2:], table[:, 1], is_version, unfound)


def _evidence(one: StoredText, other: StoredText) -> tuple[float, ...] | None:
    """Return the value of a pair, how far it is one of records, and its evidence."""
    bound = shared_bound(one.chunks, other.chunks)
    common = shared_shingles(one.shingles, other.shingles, bound)
    shared = containment(one.chunks, other.chunks, common)
    if shared.share < _LEAST_SHARE:
        return None
    chunks = resemblance_of(one.chunks, other.chunks)
    same = one.content_hash == other.content_hash
    level = max(one.chunks.level, other.chunks.level)
    more = max(int(text.chunks.shingle_counts[level]) for text in (one, other))
    union = shared.fewer + more * bound / ALL_SHINGLES - shared.shared
    compared, agreeing = number_overlap(one.sketch, other.sketch)
    numbers = one.sketch.head_numbers, other.sketch.head_numbers
    in_heads = len(numbers[0] & numbers[1])
    return (
        1.0 if same else value_of_pair(one, other, shared, chunks),
        _record_share(one.chunks.level, other.chunks.level),
        max(chunks.equal.of_query, chunks.equal.of_hit),
        shared.share,
        min(1.0, shared.shared / max(1.0, union)),
        head_letters(one.sketch, other.sketch),
        in_heads / min(map(len, numbers)) if all(numbers) else np.nan,
        min(1.0, in_heads / _FEW_NUMBERS),
        agreeing / compared if compared else np.nan,
        max(word_overlap(one.sketch, other.sketch) or 0.0, shared.share),
    )


def _record_share(level: int, other_level: int) -> float:
    fewer, more = sorted((level, other_level))
    if more <= RECORD_LEVEL:
        return 1.0
    return LARGER_RECORD_WEIGHT if fewer <= RECORD_LEVEL and more == RECORD_LEVEL + 1 else 0.0


def _pieces(evidence: Floats) -> Floats:
    """Return the columns of the fit: 1, and of each piece of evidence how far it is past each knot.

    The last column of evidence that texts may lack is 1 where it is absent.
    """
    columns = [np.ones(len(evidence))]
    for name, values in zip(EVIDENCE, evidence.T, strict=True):
        absent = np.isnan(values)
        known = np.where(absent, 0.0, values)
        columns += [np.clip((known - low) / (high - low), 0, 1) for low, high in pairwise(KNOTS)]
        if name in OPTIONAL:
            columns.append(absent.astype(float))
    return np.column_stack(columns)


def _columns(evidence: Floats, record: Floats) -> Floats:
    """Return the columns of texts and of records, each pair on the side it belongs to."""
    pieces = _pieces(evidence)
    return np.hstack([pieces * (1 - record)[:, None], pieces * record[:, None]])


def fitted(sets: Iterable[JudgedPairs]) -> Floats:
    """Return the weights of the columns that fit some collections best; no curve falls."""
    drawn = np.random.default_rng(1)
    columns, labels, costs = [], [], []
    for each in sets:
        versions = int(each.is_version.sum())
        for kind in (False, True):
            chosen = np.flatnonzero(each.is_version == kind)
            share = len(chosen) / versions
            # What was made is made to be told apart.
            if kind and each.name not in MADE:
                share *= PREFERENCE
            if len(chosen) > _MOST_PAIRS:
                chosen = drawn.choice(chosen, _MOST_PAIRS, replace=False)
            columns.append(_columns(each.evidence[chosen], each.record[chosen]))
            labels.append(np.full(len(chosen), float(kind)))
            costs.append(np.full(len(chosen), share / max(1, len(chosen))))
    rows, is_version, cost = map(np.concatenate, (columns, labels, costs))
    return _solution(rows, is_version, cost / cost.sum() * PREFERENCE * 2)


def _solution(rows: Floats, is_version: Floats, cost: Floats) -> Floats:
    penalty = np.full(rows.shape[1], _PENALTY)
    penalty[[0, len(penalty) // 2]] = 0.0

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = rows @ weights
        missed = cost @ (np.logaddexp(0, odds) - is_version * odds)
        slope = rows.T @ (cost * (1 / (1 + np.exp(-odds)) - is_version))
        return float(missed + penalty @ weights**2 / 2), slope + penalty * weights

    found = minimize(
        loss,
        np.zeros(rows.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=2 * _bounds(),
        options={"maxiter": 500},
    )
    return np.asarray(found.x)


def _bounds() -> list[tuple[float | None, float | None]]:
    bounds: list[tuple[float | None, float | None]] = [(None, None)]
    for name in EVIDENCE:
        bounds += [(0.0, None)] * (len(KNOTS) - 1)
        if name in OPTIONAL:
            bounds.append((None, None))
    return bounds


def probabilities(weights: Floats, known: JudgedPairs) -> Floats:
    """Return how likely each pair is versions."""
    result: Floats = 1 / (1 + np.exp(-(_columns(known.evidence, known.record) @ weights)))
    return result


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


def quality(known: JudgedPairs, values: Floats) -> Quality:
    """Measure the values of the pairs of a collection."""
    called = values >= VERSION_SCORE
    right = int((called & known.is_version).sum())
    versions = int(known.is_version.sum()) + known.unfound
    tenths = np.minimum((values * 10).astype(int), 9)
    distances = [abs((values - known.is_version)[tenths == tenth].sum()) for tenth in range(1, 10)]
    return Quality(
        2 * right / max(1, int(called.sum()) + versions),
        right / max(1, int(called.sum())),
        right / versions,
        float(sum(distances)) / max(1, int((tenths > 0).sum())),
    )


def report(sets: Sequence[JudgedPairs]) -> Table:
    """Print the quality of all scores on each collection; return that of the shipped one."""
    together = fitted(sets)
    print("F1 / precision / recall / calibration error: shipped; fitted on all; on all others")
    measured: dict[str, tuple[Quality, ...]] = {}
    for each in sets:
        apart = fitted(other for other in sets if other is not each)
        scores = (each.scores, probabilities(together, each), probabilities(apart, each))
        measured[each.name] = tuple(quality(each, values) for values in scores)
        print(f"  {each.name:18s}", *map(_line, measured[each.name]), sep="   ", flush=True)
    figures = [list(map(astuple, row)) for name, row in measured.items() if name not in MADE]
    measured[MEAN] = tuple(Quality(*means) for means in np.mean(figures, axis=0).tolist())
    print(f"  {'mean':18s}", *map(_line, measured[MEAN]), sep="   ")
    print_curves(together)
    columns = ("collection", "F1", "precision", "recall", "calibration error")
    rows = [(TITLES.get(name, name), *_cells(row[0])) for name, row in measured.items()]
    return Table("Versions", columns, tuple(rows))


def _line(measured: Quality) -> str:
    return " ".join(_cells(measured))


def _cells(measured: Quality) -> Iterator[str]:
    return (f"{value:.3f}" for value in astuple(measured))


def print_curves(weights: Floats) -> None:
    """Print what each piece of evidence adds to the log-odds."""
    for name, side in zip(("texts", "records"), np.split(weights, 2), strict=True):
        values = iter(side.tolist())
        print(f"\n{name}: log-odds of a pair without evidence {next(values):.2f}")
        for evidence in EVIDENCE:
            steps = np.cumsum([next(values) for _ in KNOTS[1:]]).tolist()
            points = zip(KNOTS[1:], steps, strict=True)
            shown = "  ".join(f"{knot:g}: {weight:.2f}" for knot, weight in points)
            absent = f"  absent: {next(values):.2f}" if evidence in OPTIONAL else ""
            print(f"  {evidence:14s} {shown}{absent}")


def _read(name: str) -> JudgedPairs:
    return judged_pairs(judged_set(name))


def main() -> None:
    """Fit, print, and record what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="write to the documentation")
    options = parser.parse_args()
    sets = measure([partial(_read, name) for name in (*NAMES, *MADE)])
    table = report(sets)
    if options.record:
        figures = Figures("version-evidence", "make bench-version-evidence ARGS=--record")
        record_tables(figures, PAGE, {"quality": table})


if __name__ == "__main__":
    run(main)
