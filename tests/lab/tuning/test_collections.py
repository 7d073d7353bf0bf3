"""Known versions of real collections: a proposal is no worse than the default, held out."""

from pathlib import Path

import numpy as np

from es_simhash.lab.evaluation.pair_measures import Counts, DocumentPairs
from es_simhash.lab.tuning.threshold_proposal import choose_by_labels
from es_simhash.relation.thresholds import VERSION_SCORE
from tests.bench.tune import halves, known_pairs


def test_the_proposal_has_at_least_the_f1_of_the_default(data_dir: Path) -> None:
    assert data_dir
    # `make bench-tune` measures others as well.
    known = known_pairs("licence_versions")
    figures = choose_by_labels(known.pairs, known.values, VERSION_SCORE)
    assert figures.of("proposed").f1.value >= figures.of("default").f1.value
    gains = []
    for seed in range(3):
        ours, others = halves(known.pairs, seed)
        pairs: DocumentPairs = known.pairs.subset(ours)
        cut = choose_by_labels(pairs, known.values[ours], VERSION_SCORE).of("proposed").threshold
        values, labels = known.values[others], known.pairs.labels[others]
        f1 = [Counts.of(values >= at, labels).f1 for at in (cut, VERSION_SCORE)]
        gains.append(f1[0] - f1[1])
    assert np.mean(gains) >= 0
