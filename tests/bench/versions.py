"""Versions found through a real index, against collections whose versions are known.

    python -m tests.bench.versions

Prints recall, coverage error, false alarms and F1 at the shipped defaults, and, so that nobody has
to take the threshold on trust, the F1 of each set at the threshold that is best for the others.
"""

import statistics
from collections.abc import Iterable

import numpy as np

from es_simhash.evaluation import shingles
from es_simhash.fingerprints.text_fingerprints import fingerprint_texts
from es_simhash.query.options import SearchOptions
from es_simhash.relation.compare import compare, compare_fingerprints
from es_simhash.relation.model import Relation
from es_simhash.relation.thresholds import SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE
from es_simhash.search.index import Index
from tests.bench.engines import bench_client
from tests.bench.indexing import filled_index
from tests.bench.program import run
from tests.support import datasets
from tests.support.datasets import Pair, VersionSet, pair

SETS = ("law_versions_de", "pep_versions", "bbc_news", "law_versions_zh")
# The three whose mean F1 is compared with the best that peers reach at one cut.
COMPARED = SETS[:3]
_BATCH = 20
_CUTS = np.arange(0.30, 0.91, 0.02)


def found_pairs(index: Index, ids: Iterable[str]) -> dict[Pair, Relation]:
    """Ask for every document; of a pair found from both sides the better relation is kept."""
    options = SearchOptions(size=1000, min_score=SHARED_SCORE, evidence=False)
    found: dict[Pair, Relation] = {}
    ids = list(ids)
    for start in range(0, len(ids), _BATCH):
        answers = index.related_to_each(ids[start : start + _BATCH], options=options)
        for id, relations in answers.items():
            for relation in relations:
                key = pair(id, str(relation.id))
                if key not in found or relation.score > found[key].score:
                    found[key] = relation
    return found


def f1(found: dict[Pair, Relation], known: VersionSet, cut: float) -> float:
    """F1 over version pairs when everything from `cut` on is called a version."""
    called = {key for key, relation in found.items() if relation.score >= cut} - known.neither
    return 2 * len(called & known.versions) / (len(called) + len(known.versions))


def report(name: str, found: dict[Pair, Relation], known: VersionSet) -> float:
    """Print the figures of one set and give its F1."""
    score = f1(found, known, VERSION_SCORE)
    called = {key for key, each in found.items() if each.score >= VERSION_SCORE} - known.neither
    right = called & known.versions
    print(f"\n{name}: {len(known.documents)} documents, {len(known.versions)} version pairs")
    print(
        f"  F1 {score:.3f}  precision {len(right) / len(called):.3f}  "
        f"recall {len(right) / len(known.versions):.3f}"
    )
    shown = {key for key, each in found.items() if each.score >= SHOWN_SCORE}
    strangers = shown - known.versions - known.neither
    sets = {
        id: shingles.shingles(known.texts[id], characters=known.characters)
        for id in {id for key in strangers for id in key}
    }
    false = [key for key in strangers if shingles.containment(sets[key[0]], sets[key[1]]) < 0.2]
    print(
        f"  pairs of strangers shown: {len(strangers)}, "
        f"of these sharing less than 0.2 of the smaller: {len(false)} {false[:3]}"
    )
    half = {key: kept for key, kept in known.containment.items() if kept >= 0.5}
    if half:
        errors = [abs(_greater_coverage(found.get(key)) - kept) for key, kept in half.items()]
        print(
            f"  of {len(half)} pairs with containment >= 0.5: recall "
            f"{len(half.keys() & shown) / len(half):.4f} (shown), "
            f"{len(half.keys() & called) / len(half):.4f} (called versions), "
            f"coverage error {statistics.mean(errors):.3f}"
        )
    return score


def _greater_coverage(relation: Relation | None) -> float:
    if relation is None:
        return 0.0
    return max(relation.coverage.of_query, relation.coverage.of_hit)


def report_held_out(scores: dict[str, dict[Pair, Relation]], known: dict[str, VersionSet]) -> None:
    """Print each set's F1 at the cut that is best for the other sets."""
    print("\nF1 of each set at the cut that is best for the others (nothing tuned on itself):")
    curves = {
        name: np.array([f1(scores[name], known[name], cut) for cut in _CUTS]) for name in SETS
    }
    for name in SETS:
        others = np.mean([curves[other] for other in SETS if other != name], axis=0)
        best = int(others.argmax())
        print(
            f"  {name:16s} cut {_CUTS[best]:.2f}  F1 {curves[name][best]:.3f}"
            f"  (best for itself: {curves[name].max():.3f} at {_CUTS[curves[name].argmax()]:.2f})"
        )
    mean = np.mean([curves[name] for name in COMPARED], axis=0)
    wide = [
        f"{cut:.2f}"
        for cut, value, chinese in zip(_CUTS, mean, curves[SETS[3]], strict=True)
        if value >= 0.94 and chinese >= 0.85
    ]
    print(f"  cuts with mean F1 >= 0.94 and Chinese F1 >= 0.85: {', '.join(wide)}")


def report_clough() -> None:
    """Print how well copied answers are told from independent ones, without a cluster."""
    texts = {each["id"]: each["text"] for each in datasets.documents("clough_stevenson")}
    rows = datasets.clough_pairs()
    relations = [compare(texts[row["doc"]], texts[row["source"]], semantics=None) for row in rows]
    copied = np.array([int(row["grade"]) > 0 for row in rows])
    score = np.array([relation.score for relation in relations])
    called = np.array([relation.kind != "none" for relation in relations])
    above, below = score[copied], score[~copied]
    area = (above[:, None] > below).mean() + (above[:, None] == below).mean() / 2
    print(
        f"\nclough_stevenson: copied or not at the default threshold {SHARED_SCORE}: "
        f"accuracy {(called == copied).mean():.3f}, AUC {area:.3f}, "
        f"copies found {int((called & copied).sum())} of {int(copied.sum())}"
    )
    news = [each["text"] for each in datasets.documents("bbc_news")]
    versions = report_strangers(list(texts.values()), news)
    print(f"  bbc_news texts called a version of one of them: {versions}")


def report_strangers(texts: list[str], news: list[str]) -> int:
    """Count the pairs of a text and a news article that are called versions."""
    ours, theirs = list(fingerprint_texts(texts)), list(fingerprint_texts(news))
    return sum(
        compare_fingerprints(one, other).score >= VERSION_SCORE for one in ours for other in theirs
    )


def main() -> None:
    """Run all parts and print the figures."""
    known = {name: datasets.version_set(name) for name in SETS}
    found, scores = {}, {}
    with bench_client() as client:
        for name in SETS:
            with filled_index(client, f"bench-{name}", known[name].documents) as index:
                found[name] = found_pairs(index, known[name].texts)
            scores[name] = report(name, found[name], known[name])
    mean = statistics.mean(scores[name] for name in COMPARED)
    print(f"\nmean F1 of {', '.join(COMPARED)}: {mean:.3f}; law_versions_zh: {scores[SETS[3]]:.3f}")
    report_held_out(found, known)
    report_clough()


if __name__ == "__main__":
    run(main)
