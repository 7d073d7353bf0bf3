"""Exact resemblance, MinHash signatures and LSH over 410 permutations of a text of 50 words."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.evaluation.pair_measures import Floats
from es_simhash.lab.methods.method_protocol import Pairs
from es_simhash.lab.methods.minhash import (
    SHINGLE_CHARACTERS,
    Banding,
    Uint32s,
    minhash_signatures,
    murmur3,
)
from es_simhash.lab.methods.shingle_sets import exact_sets
from tests.bench.experiments.line_chart import Series, line_chart
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.plot_parts import UNIT, Axis
from tests.support.made_up_texts import make_text
from tests.support.pairs_of_texts import all_pairs

WORDS, BANDING = 50, Banding(20, 10)
# So many texts of each number of exchanges.
_ALIKE = 10
_REPEATS = 3
# Pairs within this of a resemblance count as having it.
NEAR = 0.01
_SHOWN = (0.4, 0.5, 0.6, 0.7, BANDING.threshold, 0.8, 0.9)
_T = TypeVar("_T")


def permutations(texts: int) -> list[str]:
    """Return a text with 0 to 40 exchanges of neighbouring letters, ten texts of each number."""
    original = make_text(50, WORDS)
    made = []
    for number in range(texts):
        letters = list(original)
        for place in random.Random(number).sample(range(len(letters) - 1), number // _ALIKE):
            letters[place : place + 2] = reversed(letters[place : place + 2])
        made.append("".join(letters))
    return made


@dataclass(frozen=True)
class Measured:
    """All pairs of the texts.

    Attributes:
        exact: Their resemblance.
        hits: The share of the draws of hash functions in which LSH found them.
        estimates: The estimate of the first draw.
        seconds: Of processor time to read and to compare: exact, by signatures, and by LSH.
    """

    exact: Floats
    hits: Floats
    estimates: Floats
    seconds: tuple[tuple[float, float], ...]


def measure(texts: int, draws: int) -> Measured:
    """Compare all texts with each other in the three ways."""
    made, pairs = permutations(texts), all_pairs(texts)
    features, reading = _timed(
        lambda: exact_sets("", SHINGLE_CHARACTERS, characters=True).read(made)
    )
    exact, comparing = _timed(lambda: features.score(pairs[:, 0], pairs[:, 1]))
    hits = np.zeros((texts, texts))
    for draw in range(1, draws):
        found = minhash_signatures(made, _draw(draw), BANDING).candidates()
        hits[tuple(found.T)] += 1
    signatures, signing = _timed(lambda: minhash_signatures(made, _draw(0), BANDING))
    found, looking = _timed(signatures.candidates)
    hits[tuple(found.T)] += 1
    estimates, estimating = _timed(lambda: signatures.score(pairs[:, 0], pairs[:, 1]))
    seconds = ((reading, comparing), (signing, estimating), (signing, looking))
    return Measured(exact, hits[tuple(pairs.T)] / draws, estimates, seconds)


def _draw(draw: int) -> Callable[[Uint32s, int], Uint32s]:
    return lambda values, number: murmur3(values, draw * BANDING.hashes + number)


def _timed(call: Callable[[], _T]) -> tuple[_T, float]:
    """Return what a call returns, and the least processor time of some repeats."""
    seconds = []
    for _ in range(_REPEATS):
        started = time.process_time()
        returned = call()
        seconds.append(time.process_time() - started)
    return returned, min(seconds)


def near(measured: Measured, resemblance: float) -> Pairs:
    """Return the numbers of the pairs of about that resemblance."""
    return np.flatnonzero(np.abs(measured.exact - resemblance) <= NEAR)


def run(size: Size) -> Result:
    """Compare the three ways, and the curve of LSH with the one that theory expects."""
    measured = measure(size.permutations, size.draws)
    return Result(
        (_ways(measured), _curve_table(measured)),
        {"": _plot(measured)},
        (
            f"A made-up text of {WORDS} words with 0 to 40 exchanges of neighbouring letters; "
            f"shingles of {SHINGLE_CHARACTERS} characters, {BANDING.hashes} murmur3 hashes, "
            f"{BANDING.bands} bands of {BANDING.rows} rows, {size.draws} draws of the hash "
            "functions for the curve.",
            f"Theory: the threshold (1/b)^(1/r) is {BANDING.threshold:.3f}; the probability that "
            f"is really reached there is {BANDING.probability(BANDING.threshold):.3f}. Times are "
            f"processor time, the least of {_REPEATS} runs.",
        ),
    )


def _ways(measured: Measured) -> Table:
    above = measured.exact >= BANDING.threshold
    called = {
        "exact Jaccard": above,
        "signatures": measured.estimates >= BANDING.threshold,
        "LSH (mean of draws)": measured.hits,
    }
    rows = [
        (
            name,
            f"{np.sum(found * above):,.0f}",
            f"{np.sum((1 - found) * above):,.0f}",
            f"{np.sum(found * ~above):,.0f}",
            f"{reading * 1000:,.0f}",
            f"{comparing * 1000:,.0f}",
        )
        for (name, found), (reading, comparing) in zip(
            called.items(), measured.seconds, strict=True
        )
    ]
    columns = ("way", "found", "missed", "found wrongly", "ms to read", "ms to compare all")
    title = f"Pairs of a resemblance of {BANDING.threshold:.3f} or more"
    return Table(f"{title}, of {len(above):,}", columns, tuple(rows))


def _curve_table(measured: Measured) -> Table:
    rows = []
    for resemblance in _SHOWN:
        some = near(measured, resemblance)
        expected = [BANDING.probability(value) for value in measured.exact[some].tolist()]
        found = measured.hits[some]
        cells = (f"{np.mean(expected):.3f}", f"{found.mean():.3f}") if len(some) else ("–", "–")
        rows.append((f"{resemblance:.3f}", f"{len(some):,}", *cells))
    columns = ("resemblance", "pairs within 0.01", "theory", "measured")
    return Table("Probability that LSH finds a pair", columns, tuple(rows))


def _plot(measured: Measured) -> Picture:
    steps = np.linspace(0, 1, 101)
    bins = np.round(measured.exact * 50) / 50
    dots = [
        (float(measured.exact[bins == each].mean()), float(measured.hits[bins == each].mean()))
        for each in np.unique(bins)
    ]
    threshold = BANDING.threshold
    reached = BANDING.probability(threshold)
    return line_chart(
        "LSH of 20 bands of 10 rows over permutations of a text",
        Axis("resemblance (exact Jaccard)", 0, 1, UNIT),
        Axis("probability of being a candidate", 0, 1, UNIT),
        [
            Series("1 − (1 − s¹⁰)²⁰", [(s, BANDING.probability(s)) for s in steps.tolist()]),
            Series("measured, by steps of 0.02", dots, dots=True),
            Series(f"threshold {threshold:.3f}", [(threshold, 0), (threshold, 1)],
                   is_reference=True),
            Series(f"reached there: {reached:.3f}", [(0, reached), (threshold, reached)],
                   is_reference=True),
        ],
    )  # fmt: skip
