"""Passages that two texts share, aligned and found through an index, where they are known.

    python -m tests.bench.passages [--documents 1000] [--documents 100000] [--offline] [--record]

Prints recall, precision, granularity and plagdet by kind of reuse, of `compare` and of the baseline
of the field (equal runs of 50 characters) in the same run; plagdet at thresholds chosen on one half
of the documents and reported on the other, both ways; how often `related` finds the source of a
passage as one that shares passages, with unrelated news and synthetic texts in the index as well,
which must not be found; and milliseconds. `--record` writes the figures of the alignment to
docs/figures.json and docs/passages.md.
"""

import argparse
import hashlib
import random
import statistics
import string
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.questions.index import Index
from es_simhash.relation import thresholds
from es_simhash.relation.alignment import aligned_passages as alignment
from es_simhash.relation.alignment import seeds, stretches
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import aligned_passages
from es_simhash.relation.text_comparison import compare
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.options import SearchOptions
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.figures import Figures, record_tables
from tests.bench.indexing import fill
from tests.bench.plagdet import AlignmentScore, PassagePair, alignment_score
from tests.bench.program import measure, run
from tests.support import datasets

SETS = ("pan13_text_alignment", "plag_id")
_INDEX = "bench-passages"
_RUN = 50
_LEFT_OUT = set(string.punctuation + string.whitespace)
_KINDS = {"exact", "version", "contains", "excerpt_of", "shares_passages"}
# Sentences of 17 words of a synthetic text: 5 KB.
_SENTENCES = 40
_GRID = {
    "SEED_COSINE": (0.24, 0.27, 0.30, 0.33),
    "PASSAGE_COSINE": (0.36, 0.4, 0.44),
    "PASSAGE_INFORMATION": (30.0, 40.0, 50.0),
}

_PAGE = Path(__file__).parents[2] / "docs" / "passages.md"
_COLUMNS = (
    "collection and kind of reuse", "passages", "recall", "precision", "granularity", "plagdet",
    "baseline", "best published",
)  # fmt: skip
# Rows of the page, each with the best published figure (Sanchez-Perez et al. 2014, Table 3).
_ROWS = {
    SETS[0]: {
        "none": ("PAN 2013, word for word", "0.926"),
        "random": ("PAN 2013, words dropped, shuffled and replaced at random", "0.884"),
        "translation": ("PAN 2013, translated through other languages and back", "0.887"),
        "summary": ("PAN 2013, summaries", "0.610"),
        "entire": ("PAN 2013, entire", "0.878"),
    },
    SETS[1]: {"entire": ("Indonesian (plag_id), entire", "–")},
}

Pair = tuple[str, str]
Found = dict[Pair, list[PassagePair]]


@dataclass(frozen=True)
class ReuseSet:
    """Pairs of texts, and the passages they are known to share."""

    name: str

    @cached_property
    def texts(self) -> dict[str, str]:
        """Texts by id."""
        return {each["id"]: each["text"] for each in datasets.documents(self.name)}

    @cached_property
    def sources(self) -> list[dict[str, str]]:
        """The documents that were copied from."""
        documents = datasets.documents(self.name)
        return [
            {"id": each["id"], "text": each["text"]}
            for each in documents
            if each["role"] == "source"
        ]

    @cached_property
    def kinds(self) -> dict[Pair, str]:
        """Kind of each pair."""
        rows = datasets.rows(self.name, "pairs.tsv")
        return {(row["suspicious"], row["source"]): row["kind"] for row in rows}

    def of_kind(self, kind: str) -> list[Pair]:
        """The pairs of a kind, or all of "entire"."""
        return [pair for pair, its in self.kinds.items() if kind in (its, "entire")]

    @cached_property
    def known(self) -> Found:
        """The known passages of each pair that has some."""
        found: Found = defaultdict(list)
        for row in datasets.rows(self.name, "cases.tsv"):
            start, size = int(row["this_offset"]), int(row["this_length"])
            place, length = int(row["source_offset"]), int(row["source_length"])
            passage = PassagePair(start, start + size, place, place + length)
            found[row["suspicious"], row["source"]].append(passage)
        return dict(found)


def report_alignment(known: ReuseSet, name: str, found: Found) -> dict[str, AlignmentScore]:
    """Print the figures of one way of aligning, and return them by kind."""
    print(f"\n{known.name}, {name}")
    scores = {}
    for kind in [*sorted(set(known.kinds.values())), "entire"]:
        pairs = known.of_kind(kind)
        cases = {pair: known.known[pair] for pair in pairs if pair in known.known}
        score = alignment_score(cases, {pair: found[pair] for pair in pairs if found[pair]})
        scores[kind] = score
        print(
            f"  {kind:14s} cases {sum(map(len, cases.values())):4d}  plagdet {score.plagdet:.3f}  "
            f"recall {score.recall:.3f}  precision {score.precision:.3f}  "
            f"granularity {score.granularity:.3f}"
        )
    without = [pair for pair in known.kinds if pair not in known.known]
    false = sum(bool(found[pair]) for pair in without)
    print(f"  pairs without reuse in which something is found: {false} of {len(without)}")
    return scores


def compared(known: ReuseSet) -> Found:
    """Return the passages in the evidence of `compare`."""
    found = {}
    for one, other in known.kinds:
        relation = compare(known.texts[one], known.texts[other], semantics=None)
        found[one, other] = [
            PassagePair(each.query.start, each.query.end, each.hit.start, each.hit.end)
            for each in relation.evidence
        ]
    return found


def baseline(known: ReuseSet) -> Found:
    """Return the equal runs of 50 characters, without spaces and punctuation."""
    letters = {id: _letters(text) for id, text in known.texts.items()}
    return {
        (one, other): list(_equal_runs(*letters[one], *letters[other]))
        for one, other in known.kinds
    }


def _letters(text: str) -> tuple[list[int], str]:
    places = [place for place, letter in enumerate(text) if letter not in _LEFT_OUT]
    return places, "".join(text[place].lower()[0] for place in places)


def _equal_runs(
    places: list[int], query: str, hit_places: list[int], hit: str
) -> Iterator[PassagePair]:
    runs: dict[str, list[int]] = defaultdict(list)
    for start in range(len(hit) - _RUN + 1):
        runs[hit[start : start + _RUN]].append(start)
    at = 0
    while at + _RUN <= len(query):
        best, place = 1, -1
        for start in runs.get(query[at : at + _RUN], ()):
            size = _RUN
            while (
                query[at + size : at + size + 1]
                and query[at + size : at + size + 1] == hit[start + size : start + size + 1]
            ):
                size += 1
            if size > best:
                best, place = size, start
        if place >= 0:
            yield PassagePair(
                places[at],
                places[at + best - 1] + 1,
                hit_places[place],
                hit_places[place + best - 1] + 1,
            )
        at += best


def report_held_out(known: ReuseSet) -> None:
    """Print the figures of each half of the documents at the thresholds best for the other."""
    texts = {id: AnalysedText(text) for id, text in known.texts.items()}
    halves: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in known.kinds:
        halves[hashlib.sha256(pair[0].encode()).digest()[0] % 2].append(pair)
    shipped = {name: getattr(thresholds, name) for name in _GRID}
    grid = {}
    for values in product(*_GRID.values()):
        _set(dict(zip(_GRID, values, strict=True)))
        grid[values] = {pair: _aligned(texts, pair) for pair in known.kinds}
    _set(shipped)
    for half, other in (halves, halves[::-1]):
        best = max(grid, key=lambda values: _entire(known, grid[values], other).plagdet)
        score = _entire(known, grid[best], half)
        ours = _entire(known, grid[tuple(shipped.values())], half)
        print(
            f"  {len(half)} pairs at the thresholds best for the other {len(other)} "
            f"({', '.join(map(str, best))}): plagdet {score.plagdet:.3f}; "
            f"at the shipped ones: {ours.plagdet:.3f}"
        )


def _set(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        for module in (alignment, stretches, seeds):
            if hasattr(module, name):
                setattr(module, name, value)


def _aligned(texts: Mapping[str, AnalysedText], pair: Pair) -> list[PassagePair]:
    query, hit = texts[pair[0]], texts[pair[1]]
    found = []
    for passage in aligned_passages(query, hit):
        (start, end), (first, last) = passage.at.sides
        ours, theirs = query.tokens, hit.tokens
        found.append(
            PassagePair(
                int(ours.starts[start]),
                int(ours.ends[end - 1]),
                int(theirs.starts[first]),
                int(theirs.ends[last - 1]),
            )
        )
    return found


def _entire(known: ReuseSet, found: Found, pairs: Iterable[Pair]) -> Any:
    pairs = list(pairs)
    cases = {pair: known.known[pair] for pair in pairs if pair in known.known}
    return alignment_score(cases, {pair: found[pair] for pair in pairs if found[pair]})


def report_milliseconds(known: ReuseSet) -> None:
    """Print how long it takes to align two texts, read before."""
    for size in (5_000, 1_000_000):
        times = []
        chosen = random.Random(5)
        for _ in range(40 if size < 100_000 else 5):
            one, other = (_text_of(known, size, chosen) for _ in range(2))
            middle = size // 3
            query = AnalysedText(one[:middle] + other[middle : middle + 2_000] + one[middle:])
            hit = AnalysedText(other)
            start = time.perf_counter()
            aligned_passages(query, hit)
            times.append((time.perf_counter() - start) * 1000)
        print(f"  two texts of {size:,} characters: p50 {statistics.median(times):,.1f} ms")


def _text_of(known: ReuseSet, size: int, chosen: random.Random) -> str:
    ids, parts, length = sorted(known.texts), [], 0
    while length < size:
        parts.append(known.texts[chosen.choice(ids)])
        length += len(parts[-1])
    return "\n\n".join(parts)[:size]


def report_index(index: Index, known: ReuseSet, strangers: set[str], documents: int) -> float:
    """Print how often `related` finds the source of a passage, and return its median time."""
    options = SearchOptions(size=20, evidence=False)
    sources: dict[str, list[str]] = defaultdict(list)
    for one, other in known.known:
        sources[one].append(other)
    total, first, found, times, false = Counter[str](), Counter[str](), Counter[str](), [], 0
    for id in sorted(sources):
        start = time.perf_counter()
        answer = index.related(text=known.texts[id], options=options)
        times.append((time.perf_counter() - start) * 1000)
        sharing = [str(each.id) for each in answer if each.kind in _KINDS]
        false += any(other in strangers or other.isdecimal() for other in sharing)
        for source in sources[id]:
            kind = known.kinds[id, source]
            total[kind] += 1
            first[kind] += source in sharing[:5]
            found[kind] += source in sharing
    print(f"\n{known.name}: {len(sources)} questions to {documents:,} documents")
    for kind in sorted(total):
        print(
            f"  {kind:14s} source as one that shares passages: "
            f"among 5 {first[kind] / total[kind]:.3f}, among 20 {found[kind] / total[kind]:.3f}"
        )
    print(f"  questions with an unrelated text as one that shares passages: {false}")
    # The first fifth warms up.
    counted = sorted(times[len(times) // 5 :])
    median = statistics.median(counted)
    print(f"  p50 {median:.1f} ms, p90 {counted[int(len(counted) * 0.9)]:.1f} ms")
    return median


def main(argv: Sequence[str] | None = None) -> None:
    """Run all parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, action="append", help="documents in the index")
    parser.add_argument("--offline", action="store_true", help="align only, without an index")
    parser.add_argument("--record", action="store_true", help="write them to the documentation")
    options = parser.parse_args(argv)
    known = ReuseSet(SETS[0])
    rows: list[tuple[str, ...]] = []
    parts = [partial(measure_alignment, ReuseSet(name), rows) for name in SETS]
    parts.append(partial(measure_thresholds, known))
    if not options.offline:
        parts.append(partial(measure_index, known, options.documents or [1_000]))
    measure(parts)
    if options.record:
        table = Table("Passages", _COLUMNS, tuple(rows))
        figures = Figures("passages", 'make bench-passages ARGS="--offline --record"')
        record_tables(figures, _PAGE, {"alignment": table})


def measure_alignment(known: ReuseSet, rows: list[tuple[str, ...]]) -> None:
    """Align the pairs of a set, and by equal runs; add the rows of the page."""
    ours = report_alignment(known, "compare", compared(known))
    runs = report_alignment(known, "equal runs of 50 characters", baseline(known))
    for kind, (name, published) in _ROWS[known.name].items():
        score = ours[kind]
        cases = sum(len(known.known.get(pair, ())) for pair in known.of_kind(kind))
        values = (score.recall, score.precision, score.granularity, score.plagdet)
        shown = [f"{value:.3f}" for value in (*values, runs[kind].plagdet)]
        rows.append((name, str(cases), *shown, published))


def measure_thresholds(known: ReuseSet) -> None:
    """Measure thresholds on the half they were not chosen on, and the time of alignment."""
    _ = known.known
    print("\nheld out:")
    report_held_out(known)
    report_milliseconds(known)


def measure_index(known: ReuseSet, sizes: Sequence[int]) -> None:
    """Query indices of these sizes."""
    _ = known.known
    news = [{"id": f"news-{each['id']}", "text": each["text"]}
            for each in datasets.documents("bbc_news")]  # fmt: skip
    with bench_client() as client:
        medians = []
        for documents in sizes:
            more = max(0, documents - len(known.sources) - len(news))
            synthetic.grow(
                client, find_engine().url, _INDEX, 0, more, _SENTENCES, DEFAULT_SEMANTICS
            )
            rest = [*known.sources, *(news if documents > len(known.sources) else ())]
            fill(client, _INDEX, rest, semantics=DEFAULT_SEMANTICS)
            strangers = {each["id"] for each in news}
            medians.append(report_index(Index(client, _INDEX), known, strangers, more + len(rest)))
        if len(medians) > 1:
            print(f"p50 of the largest to that of the smallest: {medians[-1] / medians[0]:.2f}")
        client.indices.delete(index=_INDEX)


if __name__ == "__main__":
    run(main)
