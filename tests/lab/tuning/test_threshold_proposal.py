"""Where versions begin by labels: another threshold only where it is clearly better, held out."""

import numpy as np
import pytest

from es_simhash.lab.evaluation.pair_measures import Counts, DocumentPairs, Floats
from es_simhash.lab.tuning.threshold_proposal import choose_by_labels
from es_simhash.relation.thresholds import VERSION_SCORE

# Families of two documents, each paired with the other and with a document of the next families.
FAMILIES = 60


def pairs_of(families: int = FAMILIES) -> DocumentPairs:
    first, second, labels = [], [], []
    for number in range(families):
        for step, is_version in ((0, True), (1, False), (2, False)):
            first.append(2 * number)
            second.append(2 * ((number + step) % families) + 1)
            labels.append(is_version)
    return DocumentPairs(
        np.array(first), np.array(second), np.array(labels), documents=2 * families
    )


def values_of(pairs: DocumentPairs, versions: float, others: float, seed: int = 1) -> Floats:
    """Return values around these two, each within 0.1."""
    noise = np.random.default_rng(seed).uniform(-0.1, 0.1, len(pairs.labels))
    return np.where(pairs.labels, versions, others) + noise


@pytest.mark.parametrize(("versions", "others"), [(0.9, 0.68), (0.45, 0.2)])
def test_a_threshold_that_separates_is_proposed_in_place_of_one_that_does_not(
    versions: float, others: float
) -> None:
    pairs = pairs_of()
    values = values_of(pairs, versions, others)
    figures = choose_by_labels(pairs, values, VERSION_SCORE)
    proposed, default = figures.of("proposed"), figures.of("default")
    assert others + 0.09 < proposed.threshold < versions - 0.09
    assert (proposed.f1.value, proposed.precision.value, proposed.recall.value) == (1, 1, 1)
    counts = Counts.of(values >= VERSION_SCORE, pairs.labels)
    assert default.f1.value == pytest.approx(counts.f1)
    assert default.f1.value < 0.9
    assert figures.gain.value == pytest.approx(1 - counts.f1)
    assert 0 < figures.gain.low <= figures.gain.value <= figures.gain.high
    assert (figures.pairs, figures.versions, figures.documents) == (180, 60, 120)


@pytest.mark.parametrize("present", [VERSION_SCORE, 0.55])
def test_a_threshold_that_separates_as_well_stays(present: float) -> None:
    pairs = pairs_of()
    figures = choose_by_labels(pairs, values_of(pairs, 0.85, 0.4), present)
    assert figures.of("proposed").threshold == present
    assert figures.gain.value == 0


def test_the_default_is_proposed_where_the_present_threshold_is_worse() -> None:
    pairs = pairs_of()
    figures = choose_by_labels(pairs, values_of(pairs, 0.75, 0.4), present=0.82)
    assert figures.of("present").f1.value < 0.5
    assert figures.of("proposed").threshold == VERSION_SCORE
    assert figures.of("proposed").f1 == figures.of("default").f1


@pytest.mark.parametrize("seed", range(10))
def test_labels_that_say_nothing_change_nothing(seed: int) -> None:
    """By chance some cut is better on the pairs themselves, and none is on others."""
    pairs = pairs_of()
    values = np.random.default_rng(seed).uniform(0.3, 0.9, len(pairs.labels))
    labels = np.random.default_rng(100 + seed).permutation(pairs.labels)
    shuffled = DocumentPairs(pairs.first, pairs.second, labels, pairs.documents)
    figures = choose_by_labels(shuffled, values, VERSION_SCORE)
    proposed, default = figures.of("proposed"), figures.of("default")
    assert proposed.f1.value >= default.f1.value


def test_few_pairs_are_no_evidence() -> None:
    pairs = pairs_of(2)
    figures = choose_by_labels(pairs, values_of(pairs, 0.95, 0.7), VERSION_SCORE)
    assert figures.of("proposed").threshold == VERSION_SCORE


def test_figures_of_the_proposal_know_nothing_of_the_pairs_they_are_of() -> None:
    """One family alone calls for a low cut; it does not move the cut that it is called with."""
    pairs = pairs_of()
    values = values_of(pairs, 0.9, 0.68)
    values[0] = 0.5  # A version that is below every cut that the others call for.
    figures = choose_by_labels(pairs, values, VERSION_SCORE)
    assert figures.of("proposed").recall.value == pytest.approx(59 / 60)
    assert figures.of("proposed").precision.value == 1
