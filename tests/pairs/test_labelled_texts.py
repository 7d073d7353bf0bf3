"""Components over arrays are those over dictionaries."""

import numpy as np
import pytest

from es_simhash.pairs.labelled_texts import batches_of_labels, labels_of
from es_simhash.pairs.merging import connected_components, neighbours_of


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("links", [0, 20, 90, 400])
def test_labels_are_the_connected_components(seed: int, links: int) -> None:
    generator = np.random.default_rng(seed)
    one, other = generator.integers(0, 100, (2, links))
    labels = labels_of(100, one, other)
    neighbours = neighbours_of(zip(one.tolist(), other.tolist(), strict=True))
    expected = {frozenset(some) for some in connected_components(range(100), neighbours)}
    groups = {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}
    assert groups == expected
    assert all(labels[text] == min(group) for group in groups for text in group)


def test_a_long_chain_has_one_label() -> None:
    texts = np.random.default_rng(1).permutation(20_000)
    assert not labels_of(20_000, texts[1:], texts[:-1]).any()


def test_no_batch_parts_a_component() -> None:
    labels = np.array([0, 0, 0, 3, 4, 4, 6, 7, 7, 7])
    order = np.argsort(labels, kind="stable")
    assert batches_of_labels(labels, order, 2, 0) == [3, 6, 10]
    assert batches_of_labels(labels, order, 100, 0) == [10]
    assert batches_of_labels(labels, order, 1, 6) == [7, 10]
    assert batches_of_labels(labels[:0], order[:0], 1, 0) == []
