"""Thresholds that `tune` proposes for collections with known versions, beside the default.

    python -m tests.bench.tune [--sets NAME,...] [--record]

Each collection is in an index of its own. First all pairs that share text are labels: the figures
are those of `tune`, held out. Then the documents are divided into two halves, whole families
together, again and again: `tune` gets the labels of one half, and F1 is that of the pairs of the
other, which it never saw. `--record` writes the figures to docs/figures.json.
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import elasticsearch
import numpy as np

from es_simhash.lab.evaluation.pair_measures import Counts, DocumentPairs, Floats, Labels
from es_simhash.lab.methods.project_method import read_texts
from es_simhash.lab.tuning.tune import tune
from es_simhash.lab.tuning.tuning_figures import Measure, TuneOptions, Tuning
from es_simhash.relation.scoring import version_value
from es_simhash.relation.thresholds import VERSION_SCORE
from scripts.local_node.engine import find_engine
from tests.bench.engines import bench_client
from tests.bench.figures import Figures
from tests.bench.indexing import filled_index
from tests.bench.program import measure, run
from tests.support.datasets import VersionSet, version_set

SETS = ("licence_versions", "bib_records", "terms_versions")
_HALVES = 10
# Nobody labels pairs that share less than this.
_LEAST_VALUE = 0.2


@dataclass(frozen=True)
class KnownPairs:
    """Pairs of a collection of which it is known whether they are versions.

    Attributes:
        ids: Of the documents of the pairs, by their numbers.
        pairs: All versions, and all others that share text.
        values: How far they are versions, before any threshold.
    """

    ids: tuple[str, ...]
    pairs: DocumentPairs
    values: Floats

    def write(self, path: Path, which: Labels) -> None:
        """Write some of the pairs as a file of labels."""
        pairs = self.pairs.first[which], self.pairs.second[which], self.pairs.labels[which]
        lines = (
            f"{self.ids[one]}\t{self.ids[other]}\t{label}\n"
            for one, other, label in np.stack(pairs, axis=1).astype(int).tolist()
        )
        path.write_text("".join(lines), "utf-8")


def known_pairs(name: str) -> KnownPairs:
    """Return the pairs of a collection.

    Raises:
        MissingData: It is not there.
    """
    known = version_set(name)
    ids = sorted(known.texts)
    features = read_texts([known.texts[id] for id in ids])
    found = {(ids[one], ids[other]) for one, other in features.candidates().tolist()}
    numbers = {id: number for number, id in enumerate(ids)}
    rows, values = [], []
    for one, other in sorted((found - known.neither) | known.versions):
        texts = features.texts[numbers[one]], features.texts[numbers[other]]
        value = 0.0 if texts[0] is None or texts[1] is None else version_value(texts[0], texts[1])
        is_version = (one, other) in known.versions
        if is_version or value >= _LEAST_VALUE:
            rows.append((numbers[one], numbers[other], is_version))
            values.append(value)
    first, second, labels = np.array(rows, np.int64).T
    pairs = DocumentPairs(first, second, labels.astype(bool), len(ids))
    return KnownPairs(tuple(ids), pairs, np.array(values))


def halves(pairs: DocumentPairs, seed: int) -> tuple[Labels, Labels]:
    """Return the pairs of two halves of the documents, whole families together."""
    families = pairs.families
    sides = np.random.default_rng(seed).integers(0, 2, int(families.max()) + 1)[families]
    one, other = sides[pairs.first], sides[pairs.second]
    return (one == 0) & (other == 0), (one == 1) & (other == 1)


def f1_at(known: KnownPairs, which: Labels, threshold: float) -> float:
    """Return F1 of some pairs at a threshold."""
    return Counts.of(known.values[which] >= threshold, known.pairs.labels[which]).f1


def measure_set(client: elasticsearch.Elasticsearch, name: str, figures: Figures) -> None:
    """Print and add the figures of one collection."""
    collection: VersionSet = version_set(name)
    known = known_pairs(name)
    documents = [{"id": id, "text": text} for id, text in collection.texts.items()]
    index = f"bench-tune-{name.replace('_', '-')}"
    with tempfile.TemporaryDirectory() as folder, filled_index(client, index, documents):
        labels = Path(folder) / "pairs.tsv"
        known.write(labels, np.ones(len(known.values), bool))
        tuned = tune(client, index, labels=labels)
        _report(name, tuned, tune(client, index), figures)
        gains = []
        for seed in range(_HALVES):
            ours, others = halves(known.pairs, seed)
            known.write(labels, ours)
            half = tune(client, index, labels=labels, options=TuneOptions(sample=20, seed=seed))
            proposed = half.threshold.value
            reached = [f1_at(known, others, cut) for cut in (proposed, VERSION_SCORE)]
            gains.append((*reached, proposed))
    f1, default, cuts = np.array(gains).T.tolist()
    changed = sum(cut != VERSION_SCORE for cut in cuts)
    print(
        f"  other half, {_HALVES} times: F1 {statistics.mean(f1):.3f} ({min(f1):.3f} to "
        f"{max(f1):.3f}), default {statistics.mean(default):.3f} ({min(default):.3f} to "
        f"{max(default):.3f}); another threshold was proposed {changed} times"
    )
    figures.add(f"{name}/half_f1", statistics.mean(f1), f1)
    figures.add(f"{name}/half_default_f1", statistics.mean(default), default)
    figures.add(f"{name}/half_changed", changed)


def _report(name: str, tuned: Tuning, alone: Tuning, figures: Figures) -> None:
    labelled = tuned.threshold.figures
    assert labelled is not None
    proposed, default = labelled.of("proposed"), labelled.of("default")
    print(
        f"\n{name}: {labelled.pairs} labelled pairs, {labelled.versions} of them versions, of "
        f"{labelled.documents} documents\n"
        f"  threshold {proposed.threshold:g}, without labels {alone.threshold.value:g}\n"
        f"  held-out F1 {_shown(proposed.f1)}, default {_shown(default.f1)}, "
        f"difference {_shown(labelled.gain)}\n"
        f"  precision {_shown(proposed.precision)}, default {_shown(default.precision)}\n"
        f"  recall {_shown(proposed.recall)}, default {_shown(default.recall)}"
    )
    for scheme in tuned.scheme.compared:
        print(f"  {scheme.scheme}: {scheme.found} of {scheme.versions} versions found")
    figures.add(f"{name}/pairs", labelled.pairs)
    figures.add(f"{name}/versions", labelled.versions)
    figures.add(f"{name}/threshold", proposed.threshold)
    figures.add(f"{name}/threshold_without_labels", alone.threshold.value)
    for which in (proposed, default):
        for measured in ("f1", "precision", "recall"):
            estimate: Measure = getattr(which, measured)
            bounds = estimate.low, estimate.high
            figures.add(f"{name}/{which.name}_{measured}", estimate.value, bounds)
    gain = labelled.gain
    figures.add(f"{name}/gain", gain.value, (gain.low, gain.high))


def _shown(estimate: Measure) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all collections, and print or record the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--record", action="store_true", help="write them to docs/figures.json")
    options = parser.parse_args(arguments)
    figures = Figures("tune", "make bench-tune ARGS=--record")
    with bench_client() as client:
        figures.engine = f"Elasticsearch {find_engine().version}"
        measure(partial(measure_set, client, name, figures) for name in options.sets.split(","))
    if options.record:
        figures.record()


if __name__ == "__main__":
    run(main)
