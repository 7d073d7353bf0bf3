"""How well a peer finds the versions of a set: at its default, and at any cut of its scores."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from es_simhash.lab.evaluation.held_out_cuts import f1_at, left_out_cut
from es_simhash.lab.evaluation.pair_measures import Curve, Labels
from es_simhash.lab.methods.method_protocol import Pairs
from tests.bench.method_runs import Truth, among, pair_keys, truth_of
from tests.bench.peak_memory import own_peak
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Scored
from tests.bench.peers.registry import peers

# Scores are rounded to so many digits, so that curves are short.
_DIGITS = 4


@dataclass(frozen=True)
class Quality:
    """A peer on a set.

    Attributes:
        peer: Its name.
        set_name: Of the set.
        default: F1 of what the peer brings with its defaults.
        curve: Over all scored pairs; versions that are none of them are missed at every cut.
        failures: How many texts it fails on, by the reason.
        peak: The process that measured, and the most memory it had, in KiB.
    """

    peer: str
    set_name: str
    default: float
    curve: Curve = field(repr=False)
    failures: dict[str, int]
    peak: tuple[int, int]

    def f1(self, cut: float) -> float:
        """Return F1 at a cut."""
        return float(f1_at(self.curve, np.array([cut]))[0])


def measure_sets(peer: str, sets: Sequence[str], engines: Engines) -> list[Quality]:
    """Run a peer on sets of the evaluation data."""
    return [measure_truth(peer, name, truth_of(name), engines) for name in sets]


def measure_truth(peer: str, set_name: str, truth: Truth, engines: Engines) -> Quality:
    """Run a peer on the texts of a set, whatever they are."""
    with closing(peers(engines)[peer].build(list(truth.texts.values()))) as collection:
        called, scored = collection.called(), collection.scored()
        failures = dict(collection.failures)
    default, curve = f1_of(called, truth), curve_of(scored, truth)
    return Quality(peer, set_name, default, curve, failures, own_peak())


def f1_of(called: Pairs, truth: Truth) -> float:
    """Return F1 when these pairs, and no others, are called versions."""
    labels, counts = _labels(called, truth)
    right, wrong = int((labels & counts).sum()), int((~labels & counts).sum())
    return 2 * right / (right + wrong + len(truth.versions))


def curve_of(scored: Scored, truth: Truth) -> Curve:
    """Return the curve of scored pairs against the truth of a set."""
    labels, counts = _labels(scored.pairs, truth)
    curve = Curve.of(np.round(scored.scores[counts], _DIGITS), labels[counts])
    return replace(curve, versions=float(len(truth.versions)))


def _labels(pairs: Pairs, truth: Truth) -> tuple[Labels, Labels]:
    """Return which pairs are versions, and which count at all."""
    numbers = {id: number for number, id in enumerate(truth.texts)}
    keys = pairs[:, 0] << 32 | pairs[:, 1]
    labels = among(keys, pair_keys(truth.versions, numbers))
    counts = ~among(keys, pair_keys(truth.neither, numbers))
    if truth.only is not None:
        counts &= among(keys, pair_keys(truth.only, numbers))
    return labels, counts


@dataclass(frozen=True)
class Cuts:
    """A peer on all sets, at cuts that are the same for several of them."""

    by_set: dict[str, Quality]

    @cached_property
    def single(self) -> float:
        """The one cut with the highest mean F1 over all sets."""
        return left_out_cut([quality.curve for quality in self.by_set.values()])

    def held_out(self, set_name: str) -> float:
        """Return the F1 on a set at the cut with the highest mean F1 on the others."""
        others = [each.curve for name, each in self.by_set.items() if name != set_name]
        return self.by_set[set_name].f1(left_out_cut(others))
