"""One method on one collection with known versions: its candidates, their scores, and its costs."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from es_simhash.lab.evaluation.held_out_cuts import f1_at
from es_simhash.lab.evaluation.pair_measures import Curve, Floats, Labels
from es_simhash.lab.methods.method_protocol import Ints
from es_simhash.lab.methods.method_registry import method_named
from es_simhash.store.indexed_methods import NO_WORDS
from tests.bench.peak_memory import own_peak
from tests.support import datasets
from tests.support.datasets import Pair, pair

COPIES = "clough_stevenson"
# Scores are rounded to so many digits, so that millions of pairs make a short curve.
_DIGITS = 4
# A method that cannot read this share of a set is not measured on it.
_MOST_UNREADABLE = 0.5
# Read before the clock starts, so that word lists are loaded.
_WARM_UP = ("The list of the words of this language is loaded now.", "现在加载这种语言的词汇表。")


@dataclass(frozen=True)
class Truth:
    """The texts of a set, and what is known of their pairs.

    Attributes:
        texts: The texts by their ids.
        versions: Pairs that are versions.
        neither: Pairs that do not count.
        only: The pairs that count; None for all.
    """

    texts: dict[str, str]
    versions: set[Pair]
    neither: set[Pair]
    only: set[Pair] | None = None


def truth_of(name: str) -> Truth:
    """Return a set; of the short answers only the pairs with their source are known."""
    if name != COPIES:
        known = datasets.version_set(name)
        return Truth(known.texts, known.versions, known.neither)
    rows = datasets.clough_pairs()
    pairs = {pair(row["doc"], row["source"]): int(row["grade"]) > 0 for row in rows}
    texts = {each["id"]: each["text"] for each in datasets.documents(name)}
    return Truth(texts, {key for key, copied in pairs.items() if copied}, set(), set(pairs))


@dataclass(frozen=True)
class Measured:
    """A method on a set.

    Attributes:
        method: Its name.
        set_name: Of the set.
        curve: Over all candidates; versions that are none are missed at every cut.
        candidate_recall: Share of the versions that are candidates.
        candidates: How many pairs were scored.
        documents: How many texts were read.
        seconds: Of processor time to read them, to find candidates and to score these.
        stored: Bytes of all texts.
        is_readable: Whether the method reads the texts of the set.
        peak: The process that measured, and the most memory it had, in KiB.
    """

    method: str
    set_name: str
    curve: Curve
    candidate_recall: float
    candidates: int
    documents: int
    seconds: tuple[float, float, float]
    stored: int
    is_readable: bool
    peak: tuple[int, int]

    def f1(self, cut: float) -> float:
        """Return F1 at a cut."""
        return float(f1_at(self.curve, np.array([cut]))[0])


def measure(method_name: str, set_name: str) -> Measured:
    """Run a method on a set of the evaluation data."""
    return measure_truth(method_name, set_name, truth_of(set_name))


def measure_truth(method_name: str, set_name: str, truth: Truth) -> Measured:
    """Run a method on the texts of a set, whatever they are."""
    method = method_named(method_name)
    method.read(
        ["Read one text, so that word lists are loaded.", "\u8bfb\u4e00\u6bb5\u6587\u5b57\u3002"]
    )
    texts = list(truth.texts.values())
    clock = [time.process_time()]
    features = method.read(texts)
    clock.append(time.process_time())
    candidates = features.candidates()
    clock.append(time.process_time())
    scores = features.score(candidates[:, 0], candidates[:, 1])
    clock.append(time.process_time())
    keys = candidates[:, 0] << 32 | candidates[:, 1]
    numbers = {id: number for number, id in enumerate(truth.texts)}
    labels = among(keys, pair_keys(truth.versions, numbers))
    counts = ~among(keys, pair_keys(truth.neither, numbers))
    if truth.only is not None:
        counts &= among(keys, pair_keys(truth.only, numbers))
    curve = _curve(scores[counts], labels[counts])
    unreadable = sum(reason != NO_WORDS for reason in features.unreadable.values())
    reading, finding, scoring = np.diff(clock).tolist()
    return Measured(
        method_name,
        set_name,
        replace(curve, versions=float(len(truth.versions))),
        float(labels.sum() / len(truth.versions)),
        len(candidates),
        len(texts),
        (reading, finding, scoring),
        features.nbytes,
        unreadable <= _MOST_UNREADABLE * len(texts),
        own_peak(),
    )


def among(keys: Ints, known: Ints) -> Labels:
    """Check which keys are known; `np.isin` needs several times the memory of the keys."""
    if not len(known):
        return np.zeros(len(keys), bool)
    ordered = np.sort(known)
    places = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.asarray(ordered[places] == keys)


def _curve(scores: Floats, labels: Labels) -> Curve:
    """Return the curve of rounded scores; there are few of them, so nothing is sorted."""
    steps = np.rint(scores * 10**_DIGITS).astype(np.int32)
    right = np.bincount(steps[labels], minlength=10**_DIGITS + 1)[::-1].astype(np.float64)
    wrong = np.bincount(steps[~labels], minlength=10**_DIGITS + 1)[::-1].astype(np.float64)
    some = np.flatnonzero(right + wrong)
    cuts = np.arange(10**_DIGITS, -1, -1)[some] / 10**_DIGITS
    totals = float(right.sum()), float(wrong.sum())
    return Curve(cuts, np.cumsum(right)[some], np.cumsum(wrong)[some], *totals)


def pair_keys(pairs: Iterable[Pair], numbers: dict[str, int]) -> Ints:
    """Return a number for each pair of ids of which both are numbered, in any order."""
    known = [
        sorted((numbers[one], numbers[other]))
        for one, other in pairs
        if one in numbers and other in numbers
    ]
    rows = np.array(known, np.int64).reshape(-1, 2)
    return rows[:, 0] << 32 | rows[:, 1]
