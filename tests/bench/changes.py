"""What changed between versions: whether nothing is lost, how much is marked, how long it takes.

    python -m tests.bench.changes [--offline]

All steps between neighbouring versions of the policies and handbooks: whether both texts follow
from the changes, and the words that are marked, to those of a minimal diff of words (a longest
common subsequence), over all steps and in the worst. Sections of these texts that are put
elsewhere, as they are and with a word edited: how many are found as moved. Texts of 1 MB, and the
memory they take. Through an index: changes of two documents, the history and the blame of sixty
versions of 20 KB.
"""

import argparse
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from es_simhash.differences.difference import Changes
from es_simhash.differences.sequence_alignment import longest_common_subsequence
from es_simhash.differences.text_changes import changes
from es_simhash.differences.text_units import Units
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import Index
from es_simhash.store.installation.install import install
from tests.bench.engines import bench_client
from tests.bench.indexing import fill
from tests.bench.program import measure, run
from tests.bench.timing import percentiles
from tests.support import datasets
from tests.support.made_up_texts import make_text, revise

_SET = "terms_versions"
_INDEX = "bench-changes"
_VERSIONS, _SIZE = 60, 20_000
_MEGABYTE = 1_000_000
_MOST_MARKED = 1.1
# Words of a section that is put elsewhere, and sections that it passes.
_SECTION_WORDS, _FAR = 8, 4


def words_of(text: str) -> list[str]:
    """Return the words of a text, without marks."""
    units = Units.of(text)
    keys = list(units.vocabulary)
    return [keys[number] for number in units.numbers[units.is_word].tolist()]


def marked(found: Changes) -> int:
    """Return how many words of both texts are marked as changed; a moved block counts its edits."""
    return sum(len(words_of(side.text)) for edit in found.edits for side in (edit.a, edit.b))


def least(a: str, b: str) -> int:
    """Return how many words a minimal diff of words marks."""
    numbers: dict[str, int] = {}
    ours, theirs = (
        np.array([numbers.setdefault(word, len(numbers)) for word in words_of(text)], np.int64)
        for text in (a, b)
    )
    return len(ours) + len(theirs) - 2 * len(longest_common_subsequence(ours, theirs))


def report_steps() -> None:
    """Print what is marked over all steps between neighbours."""
    known = datasets.version_set(_SET)
    counts: list[tuple[int, int, str]] = []
    lost = 0
    moves = 0
    seconds = 0.0
    for chain in known.chains.values():
        for one, other in pairwise(chain):
            a, b = known.texts[one], known.texts[other]
            start = time.perf_counter()
            found = changes(a, b)
            seconds += time.perf_counter() - start
            lost += (found.text_a, found.text_b) != (a, b)
            moves += len(found.moves)
            counts.append((marked(found), least(a, b), other))
    total, minimal = sum(ours for ours, _, _ in counts), sum(less for _, less, _ in counts)
    most, least_marked, id = max(counts, key=lambda each: each[0] / max(1, each[1]))
    print(f"{len(counts)} steps, texts that do not follow from the changes: {lost}")
    print(f"  words marked {total:,}, by a minimal diff {minimal:,}: {total / minimal:.3f} of it")
    above = sum(ours > _MOST_MARKED * less for ours, less, _ in counts)
    print(f"  steps with more than {_MOST_MARKED} of it: {above}")
    print(f"  worst step: {most} to {least_marked} ({id}); moved blocks: {moves}")
    print(f"  {seconds / len(counts) * 1000:.1f} ms a step")


def moved_cases(edited: bool) -> Iterator[tuple[str, str, list[str]]]:
    """Yield texts, each with one to three of its sections elsewhere, and these sections."""
    known = datasets.version_set(_SET)
    for seed, chain in enumerate(known.chains.values()):
        text = known.texts[chain[0]]
        sections = text.split("\n\n")
        long = [
            place
            for place, section in enumerate(sections)
            if len(section.split()) >= _SECTION_WORDS and sections.count(section) == 1
        ]
        if len(sections) < 12 or len(long) < 3:
            continue
        for count in (1, 2, 3):
            chosen = random.Random(1000 * seed + count)
            picked = sorted(chosen.sample(long, count))
            rest = [section for place, section in enumerate(sections) if place not in picked]
            moved = []
            for place in picked:
                words = sections[place].split(" ")
                if edited:
                    words[chosen.randrange(len(words))] = "REWORDED"
                moved.append(" ".join(words))
                far = [n for n in range(len(rest) + 1) if abs(n - place) > _FAR]
                rest.insert(chosen.choice(far), moved[-1])
            yield text, "\n\n".join(rest), moved


def report_moves() -> None:
    """Print how many sections that stand elsewhere are found as moved."""
    for edited in (False, True):
        total = found = 0
        for a, b, moved in moved_cases(edited):
            blocks = [move.b.text for move in changes(a, b).moves]
            total += len(moved)
            found += sum(any(section.strip() in block for block in blocks) for section in moved)
        what = "with a word edited" if edited else "as they were"
        print(
            f"sections elsewhere, {what}: found as moved {found} of {total} = {found / total:.3f}"
        )


def large_cases() -> dict[str, tuple[str, str]]:
    """Return pairs of texts of 1 MB, good and bad."""
    known = datasets.version_set(_SET)
    text = "\n\n".join(known.texts.values())[:_MEGABYTE]
    news = "\n\n".join(each["text"] for each in datasets.documents("bbc_news"))[:_MEGABYTE]
    laws = "\n".join(each["text"] for each in datasets.documents("law_versions_zh"))
    chosen = random.Random(1)
    words = text.split()
    shuffled = list(words)
    chosen.shuffle(shuffled)
    edited = [word if chosen.random() > 0.05 else "edited" for word in words]
    few = [" ".join(chosen.choices(WORDS_50, k=_MEGABYTE // 4)) for _ in range(2)]
    return {
        "itself": (text, text),
        "every 20th word edited": (" ".join(words), " ".join(edited)),
        "other line breaks": (text, " ".join(words)),
        "policies and news": (text, news),
        "its words in any order": (text, " ".join(shuffled)),
        "no common word": (text, "".join(chr(ord(c) + 0x350) if c.isalpha() else c for c in text)),
        "one word 200,000 times": ("word " * 200_000, "word " * 190_000),
        "50 words in any order": (few[0], few[1]),
        "Chinese laws": (laws[: _MEGABYTE // 3], laws[_MEGABYTE : _MEGABYTE + _MEGABYTE // 3]),
    }


WORDS_50 = [f"w{number}" for number in range(50)]


def report_large() -> None:
    """Print seconds and memory for texts of 1 MB."""
    print("two texts of 1 MB:")
    for name, (a, b) in large_cases().items():
        start = time.perf_counter()
        changes(a, b)
        seconds = time.perf_counter() - start
        tracemalloc.start()
        changes(a, b)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"  {name:24s} {seconds:5.2f} s, {peak / 1e6:4.0f} MB at most")


def versions() -> list[dict[str, Any]]:
    """Return sixty versions of a text of 20 KB, of which each edits the one before."""
    paragraphs = [make_text(seed, 60) for seed in range(_SIZE // 420)]
    found = []
    for number in range(_VERSIONS):
        place = number % len(paragraphs)
        paragraphs[place] = revise(paragraphs[place], number, 0.1)
        date = f"{2000 + number // 12}-{number % 12 + 1:02d}-01"
        text = "\n\n".join(paragraphs)
        found.append({"id": f"v{number:02d}", "text": text, "published": date})
    return found


def report_index() -> None:
    """Print how long changes, history and blame take through an index."""
    with bench_client() as client:
        client.indices.delete(index=f"{_INDEX},{_INDEX}-simhash", ignore_unavailable=True)
        properties = {"published": {"type": "date"}}
        client.indices.create(index=_INDEX, mappings={"properties": properties})
        install(client, _INDEX, semantics=None)
        documents = versions()
        fill(client, _INDEX, documents)
        find_families(client, _INDEX)
        index = Index(client, _INDEX)
        size = sum(len(each["text"]) for each in documents) / len(documents)
        print(f"{len(documents)} versions of {size / 1000:.0f} KB in an index:")
        pairs = list(pairwise(each["id"] for each in documents))
        _print_times("changes of two", lambda pair: index.changes(*pair), pairs)
        ids = [each["id"] for each in documents[:10]]
        _print_times("history", lambda id: index.history(id, date_field="published"), ids)
        _print_times("blame", lambda id: index.blame("v59", date_field="published"), ids)
        assert len(index.history("v00", date_field="published").steps) == _VERSIONS - 1
        client.indices.delete(index=f"{_INDEX},{_INDEX}-simhash", ignore_unavailable=True)


def _print_times(name: str, call: Callable[[Any], object], arguments: Sequence[Any]) -> None:
    median, slow = percentiles(call, arguments)
    print(f"  {name:15s} p50 {median:6.1f} ms, p90 {slow:6.1f} ms")


def main(argv: Sequence[str] | None = None) -> None:
    """Run all parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--offline", action="store_true", help="without an index")
    options = parser.parse_args(argv)
    parts = [report_steps, report_moves, report_large]
    measure(parts if options.offline else [*parts, report_index])


if __name__ == "__main__":
    run(main)
