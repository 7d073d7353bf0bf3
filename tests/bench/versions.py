"""Versions found through a real index, against collections whose versions are known.

    python -m tests.bench.versions [--record]

Prints recall, coverage error, false alarms and F1 at the shipped defaults, and, so that nobody has
to take the threshold on trust, the F1 of each set at the threshold that is best for the others.
`--record` writes the figures to docs/figures.json.
"""

import argparse
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from math import sqrt

import numpy as np

from es_simhash.questions.index import Index
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.relation import Relation
from es_simhash.relation.scoring import compare_fingerprints
from es_simhash.relation.text_comparison import compare
from es_simhash.relation.thresholds import SHARED_SCORE, SHOWN_SCORE, VERSION_SCORE
from es_simhash.store.options import SearchOptions
from scripts.local_node.engine import find_engine
from tests.bench import exact_shingles
from tests.bench.engines import bench_client
from tests.bench.figures import Figures
from tests.bench.indexing import filled_index
from tests.bench.program import measure, run
from tests.bench.same_answer import report_differences
from tests.support import datasets
from tests.support.datasets import Pair, VersionSet, pair

SETS = (
    *("law_versions_de", "pep_versions", "bbc_news", "law_versions_zh"),
    *("terms_versions", "licence_versions"),
)
# The three whose mean F1 is compared with the best that peers reach at one cut.
COMPARED = SETS[:3]
_LAWS = "law_versions_zh"
_BATCH = 20
_CUTS = np.arange(0.30, 0.91, 0.02)


def answers_of(index: Index, ids: Iterable[str]) -> dict[Pair, Relation]:
    """Ask for every document; return what is said of it (the first id) and another."""
    options = SearchOptions(size=1000, min_score=SHARED_SCORE, evidence=False, passages=False)
    ids = list(ids)
    return {
        (id, str(relation.id)): relation
        for start in range(0, len(ids), _BATCH)
        for id, relations in index.related_to_each(
            ids[start : start + _BATCH], options=options
        ).items()
        for relation in relations
    }


def found_pairs(answers: dict[Pair, Relation]) -> dict[Pair, Relation]:
    """Return the relation of each pair, which is the same from either side."""
    return {pair(*key): relation for key, relation in answers.items()}


def f1(found: dict[Pair, Relation], known: VersionSet, cut: float) -> float:
    """F1 over version pairs when everything from `cut` on is called a version."""
    called = {key for key, relation in found.items() if relation.score >= cut} - known.neither
    return 2 * len(called & known.versions) / (len(called) + len(known.versions))


def report(name: str, found: dict[Pair, Relation], known: VersionSet, figures: Figures) -> float:
    """Print the figures of one set and give its F1."""
    score = f1(found, known, VERSION_SCORE)
    called = {key for key, each in found.items() if each.score >= VERSION_SCORE} - known.neither
    right = called & known.versions
    print(f"\n{name}: {len(known.documents)} documents, {len(known.versions)} version pairs")
    print(
        f"  F1 {score:.3f}  precision {len(right) / len(called):.3f}  "
        f"recall {len(right) / len(known.versions):.3f}"
    )
    figures.add(f"{name}/f1", score)
    shown = {key for key, each in found.items() if each.score >= SHOWN_SCORE}
    strangers = shown - known.versions - known.neither
    sets = {
        id: exact_shingles.shingles(known.texts[id], characters=known.characters)
        for id in {id for key in strangers for id in key}
    }
    false = [
        key for key in strangers if exact_shingles.containment(sets[key[0]], sets[key[1]]) < 0.2
    ]
    print(
        f"  pairs of strangers shown: {len(strangers)}, "
        f"of these sharing less than 0.2 of the smaller: {len(false)} {false[:3]}"
    )
    figures.add(f"{name}/strangers", len(strangers))
    figures.add(f"{name}/unlike_strangers", len(false))
    half = {key: kept for key, kept in known.containment.items() if kept >= 0.5}
    if half:
        errors = [abs(_greater_coverage(found.get(key)) - kept) for key, kept in half.items()]
        figures.add(f"{name}/recall_shown", len(half.keys() & shown) / len(half))
        figures.add(f"{name}/recall_called", len(half.keys() & called) / len(half))
        figures.add(f"{name}/coverage_error", statistics.mean(errors))
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


def report_held_out(
    scores: dict[str, dict[Pair, Relation]], known: dict[str, VersionSet], figures: Figures
) -> None:
    """Print each set's F1 at the cut that is best for the other sets."""
    print("\nF1 of each set at the cut that is best for the others (nothing tuned on itself):")
    curves = {
        name: np.array([f1(scores[name], known[name], cut) for cut in _CUTS]) for name in known
    }
    for name in known:
        others = np.mean([curves[other] for other in known if other != name], axis=0)
        best = int(others.argmax())
        figures.add(f"{name}/held_out_f1", float(curves[name][best]))
        print(
            f"  {name:16s} cut {_CUTS[best]:.2f}  F1 {curves[name][best]:.3f}"
            f"  (best for itself: {curves[name].max():.3f} at {_CUTS[curves[name].argmax()]:.2f})"
        )
    if known.keys() < set(SETS):
        return
    mean = np.mean([curves[name] for name in COMPARED], axis=0)
    wide = [
        f"{cut:.2f}"
        for cut, value, chinese in zip(_CUTS, mean, curves[SETS[3]], strict=True)
        if value >= 0.94 and chinese >= 0.9
    ]
    print(f"  cuts with mean F1 >= 0.94 and Chinese F1 >= 0.90: {', '.join(wide)}")


def report_provinces(found: dict[Pair, Relation], known: VersionSet) -> None:
    """Print how many laws of two provinces on one subject are called versions."""
    subjects = {each["id"]: (each["regional_topic"], each["province"]) for each in known.documents}
    wrong = [
        key
        for key, relation in found.items()
        if relation.score >= VERSION_SCORE
        and subjects[key[0]][0]
        and subjects[key[0]][0] == subjects[key[1]][0]
        and subjects[key[0]][1] != subjects[key[1]][1]
    ]
    print(f"Chinese laws of two provinces on one subject called versions: {len(wrong)} {wrong[:3]}")


def report_calibration(
    found: dict[str, dict[Pair, Relation]], known: dict[str, VersionSet]
) -> None:
    """Print the share of versions among the pairs of a score, with intervals of 95 % (Wilson)."""
    print("\nshare of the pairs of a score that are versions, and its interval:")
    bounds = (0.3, 0.45, *(VERSION_SCORE + step / 10 for step in range(4)), 1.01)
    print(
        "  score          "
        + "  ".join(f"{low:.2f}-{min(high, 1):.2f}     " for low, high in pairwise(bounds))
    )
    for name in known:
        cells = []
        for low, high in pairwise(bounds):
            inside = [
                key
                for key, relation in found[name].items()
                if low <= relation.score < high and key not in known[name].neither
            ]
            right = sum(key in known[name].versions for key in inside)
            cells.append(_share(right, len(inside)))
        print(f"  {name:16s}", *cells)


def _share(right: int, total: int) -> str:
    if not total:
        return "-".ljust(14)
    z = 1.96
    share = right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{share:.2f} {max(0, middle - half):.2f}-{min(1, middle + half):.2f}"


def report_clough(figures: Figures) -> None:
    """Print how well copied answers are told from independent ones, without a cluster."""
    texts = {each["id"]: each["text"] for each in datasets.documents("clough_stevenson")}
    rows = datasets.clough_pairs()
    relations = [compare(texts[row["doc"]], texts[row["source"]], semantics=None) for row in rows]
    copied = np.array([int(row["grade"]) > 0 for row in rows])
    score = np.array([relation.score for relation in relations])
    called = np.array([relation.kind != "none" for relation in relations])
    above, below = score[copied], score[~copied]
    figures.add("clough_stevenson/accuracy", float((called == copied).mean()))
    area = (above[:, None] > below).mean() + (above[:, None] == below).mean() / 2
    figures.add("clough_stevenson/auc", float(area))
    print(
        f"\nclough_stevenson: copied or not at the default threshold {SHARED_SCORE}: "
        f"accuracy {(called == copied).mean():.3f}, AUC {area:.3f}, "
        f"copies found {int((called & copied).sum())} of {int(copied.sum())}"
    )


def report_strangers() -> None:
    """Print how many pairs of an answer and a news article are called versions."""
    texts = [each["text"] for each in datasets.documents("clough_stevenson")]
    news = [each["text"] for each in datasets.documents("bbc_news")]
    analyser = TextAnalyser()
    ours, theirs = analyser.analyse(texts), analyser.analyse(news)
    versions = sum(
        compare_fingerprints(one, other).score >= VERSION_SCORE for one in ours for other in theirs
    )
    print(f"  bbc_news texts called a version of one of them: {versions}")


def _complete_set(name: str) -> VersionSet:
    """Read a set with all of its files, so that what is missing is known at once."""
    known = datasets.version_set(name)
    _ = known.versions, known.neither, known.containment
    return known


def report_versions(figures: Figures) -> None:
    """Print the figures of all sets through an index."""
    known = {each.name: each for each in measure(partial(_complete_set, name) for name in SETS)}
    found, scores, differences, relations = {}, {}, 0, 0
    with bench_client() as client:
        figures.engine = f"Elasticsearch {find_engine().version}"
        for name in known:
            with filled_index(client, f"bench-{name}", known[name].documents) as index:
                answers = answers_of(index, known[name].texts)
            found[name] = found_pairs(answers)
            scores[name] = report(name, found[name], known[name], figures)
            differences += report_differences(known[name].texts, answers)
            relations += len(answers)
    figures.add("relations", relations)
    figures.add("differing_relations", differences)
    print(f"\nrelations that differ by where they are asked: {differences}")
    if known.keys() >= set(COMPARED):
        mean = statistics.mean(scores[name] for name in COMPARED)
        figures.add("mean/f1", mean)
        print(f"mean F1 of {', '.join(COMPARED)}: {mean:.3f}")
    if _LAWS in known:
        report_provinces(found[_LAWS], known[_LAWS])
    if len(known) > 1:
        report_held_out(found, known, figures)
    report_calibration(found, known)


def main(argv: Sequence[str] | None = None) -> None:
    """Run all parts, and print or record the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write them to docs/figures.json")
    options = parser.parse_args(argv)
    figures = Figures("versions", "make bench-versions ARGS=--record")
    reports = (report_versions, report_clough)
    parts: list[Callable[[], None]] = [partial(report, figures) for report in reports]
    measure([*parts, report_strangers])
    if options.record:
        figures.record()


if __name__ == "__main__":
    run(main)
