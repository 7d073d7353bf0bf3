"""What a sample alone says: gaps of scores, shared blocks, and the k that suits."""

from dataclasses import replace

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.blocks import block_terms
from es_simhash.lab.tuning.distance_figures import SharedBlocks, suggested_k
from es_simhash.lab.tuning.threshold_proposal import find_valley
from es_simhash.lab.tuning.tuning_figures import KFigures, TuneOptions

RANDOM = np.random.default_rng(5)


def around(middle: float, count: int, width: float = 0.15) -> np.ndarray:
    return RANDOM.uniform(middle - width, middle + width, count)


def test_a_clear_gap_is_proposed() -> None:
    # Nothing between 0.71 and 0.79, and many pairs at 0.6.
    values = np.concatenate([around(0.56, 300), around(0.94, 100, 0.06), [0.79, 0.71]])
    found = find_valley(values, 0.6)
    assert found.threshold is not None
    assert 0.71 <= found.threshold <= 0.87
    assert "label pairs" in found.reason


@pytest.mark.parametrize(
    ("values", "part"),
    [
        (around(0.65, 400, 0.3), "no clear gap"),
        (np.concatenate([around(0.45, 200, 0.1), around(0.8, 200, 0.1)]), "where the threshold is"),
        (np.concatenate([around(0.45, 8, 0.1), around(0.8, 8, 0.1)]), "no clear gap"),
        (np.array([]), "no clear gap"),
    ],
)
def test_without_a_clear_gap_elsewhere_the_threshold_stays(values: np.ndarray, part: str) -> None:
    found = find_valley(values, 0.6)
    assert found.threshold is None
    assert part in found.reason


def test_shared_blocks_are_extrapolated_from_the_sample() -> None:
    prints = RANDOM.integers(0, 256, (40, 16), np.uint8)
    prints[:10] = prints[0]
    prints[5, 0] ^= 1
    documents = 4001
    shared = SharedBlocks.of(prints, 8, documents)
    terms = [set(row) for row in block_terms(prints, 8)]
    counts = [
        [len(one & other) for number, other in enumerate(terms) if number != place]
        for place, one in enumerate(terms)
    ]
    for k in range(8):
        enough = np.mean([[count >= 8 - k for count in row] for row in counts])
        assert shared.expected(k) == pytest.approx(1 + enough * 4000)
    assert shared.postings == pytest.approx(8 + np.mean(counts) * 4000)
    assert shared.expected(0) < shared.expected(1)


def test_one_document_shares_blocks_with_itself_alone() -> None:
    shared = SharedBlocks.of(RANDOM.integers(0, 256, (1, 16), np.uint8), 8, 1)
    assert (shared.expected(7), shared.postings) == (1, 8)


def test_the_largest_k_that_is_cheap_and_finds_nothing_by_chance_is_suggested() -> None:
    cheap = KFigures(0, 1, 2, 1.0, 0.0, 0.5, 1.0)
    figures = [replace(cheap, k=k) for k in range(4)]
    assert suggested_k(figures) == 3
    assert suggested_k([*figures[:3], replace(figures[3], unrelated=0.2)]) == 2
    assert suggested_k([*figures[:2], *(replace(each, candidates_p90=60_000)
                                        for each in figures[2:])]) == 1  # fmt: skip


@pytest.mark.parametrize("size", [1, 5_001])
def test_a_sample_of_no_use_is_rejected(size: int) -> None:
    with pytest.raises(InputError, match=f"between 2 and 5000, got {size}"):
        TuneOptions(sample=size)
