"""Who copied whom: found, in which place, and in which time, where it is known.

    python -m tests.bench.copies [--all-pairs]

On terms of service and policies of 24 owners, the pairs of documents of different owners that have
a fifth of the word 5-shingles of the smaller in common: how many are found, in which place of the
list, before and after `families`; with --all-pairs, which takes a minute, each pair of documents.
Then, with nothing changed for it, on texts with passages taken from others (PAN 2013): how many of
the known pairs are found, by how the passages were changed, and how many of the listed are known.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.pairs.copies import CopiesReport
from tests.bench.engines import bench_client
from tests.bench.indexing import filled_index
from tests.bench.program import measure, run
from tests.support import datasets
from tests.support.datasets import Pair, pair

_TERMS, _REUSE = "terms_versions", "pan13_text_alignment"
_INDEX = "bench-copies"
_CONTAINMENT = 0.2
_SHOWN = 5


def expected_pairs() -> set[Pair]:
    """Return the pairs of documents of different owners that share a fifth of the smaller."""
    return {
        pair(row["id1"], row["id2"])
        for row in datasets.rows(_TERMS, "near_across.tsv")
        if row["same_owner"] == "0" and float(row["containment"]) >= _CONTAINMENT
    }


def timed(client: Any, options: CopyOptions) -> CopiesReport:
    """Search, and print the time a document."""
    start = time.perf_counter()
    report = find_copies(client, _INDEX, options=options)
    seconds = time.perf_counter() - start
    print(
        f"  {report.documents} documents in {seconds:.1f} s, "
        f"{1000 * seconds / report.documents:.1f} ms a document; {report.aligned} pairs of texts "
        f"aligned, {len(report.copies)} listed, {len(report.boilerplate)} passages of boilerplate "
        f"and {report.short_boilerplate} short ones"
    )
    return report


def report_chains(report: CopiesReport, chains: dict[str, str]) -> None:
    """Print the place of each expected pair of chains in a list with one pair a family."""
    expected = {pair(chains[one], chains[other]) for one, other in expected_pairs()}
    listed = [pair(chains[copy.a.id], chains[copy.b.id]) for copy in report.copies]
    found = sorted(listed.index(each) + 1 for each in expected if each in listed)
    print(
        f"  pairs of chains: {len(found)} of {len(expected)} found, in places "
        f"{', '.join(map(str, found))}"
    )
    for number, copy in enumerate(report.copies[:_SHOWN], 1):
        print(
            f"    {number}. {copy.longest} letters  {copy.a.id} -> {copy.b.id}"
            f" and {copy.pairs - 1} more"
        )


def report_documents(report: CopiesReport) -> None:
    """Print how many of the expected pairs of documents are listed, and the last place of one."""
    expected = expected_pairs()
    listed = [pair(copy.a.id, copy.b.id) for copy in report.copies]
    places = [place for place, each in enumerate(listed, 1) if each in expected]
    last = max(places, default=0)
    others = last - len(places)
    print(
        f"  pairs of documents: {len(places)} of {len(expected)} found, the last in place {last}; "
        f"{others} others above it"
    )


def report_reuse(report: CopiesReport) -> None:
    """Print how many known pairs of the second set are listed, and how many listed are known."""
    rows = datasets.rows(_REUSE, "pairs.tsv")
    kinds = {pair(row["suspicious"], row["source"]): row["kind"] for row in rows
             if int(row["cases"])}  # fmt: skip
    listed = {pair(copy.a.id, copy.b.id) for copy in report.copies}
    known, found = Counter(kinds.values()), Counter(kinds[each] for each in listed & kinds.keys())
    for kind in sorted(known):
        print(f"  {kind:14s} {found[kind]:3d} of {known[kind]:3d} pairs found")
    print(f"  listed pairs that are known: {len(listed & kinds.keys())} of {len(listed)}")


def main(argv: Sequence[str] | None = None) -> None:
    """Run all parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all-pairs", action="store_true", help="also list each pair of documents")
    options = parser.parse_args(argv)
    with bench_client() as client:
        measure([partial(measure_terms, client, options.all_pairs), partial(measure_reuse, client)])


def measure_terms(client: Any, all_pairs: bool) -> None:
    """Search copies between owners."""
    terms = datasets.documents(_TERMS)
    chains = {each["id"]: each["chain"] for each in terms}
    members = ("id", "text", "owner", "date")
    documents = [{name: each[name] for name in members} for each in terms]
    by_owner = CopyOptions(between="owner.keyword", date_field="date")
    with filled_index(client, _INDEX, documents):
        print(f"\n{_TERMS}, without families")
        report_chains(timed(client, by_owner), chains)
        print(f"\n{_TERMS}, with families")
        find_families(client, _INDEX)
        report_chains(timed(client, by_owner), chains)
        if all_pairs:
            print(f"\n{_TERMS}, each pair of documents")
            every = CopyOptions(between="owner.keyword", date_field="date", all_pairs=True)
            report_documents(timed(client, every))
        client.indices.delete(index=f"{_INDEX}-simhash", ignore_unavailable=True)


def measure_reuse(client: Any) -> None:
    """Search copies between suspicious documents and sources."""
    texts = [
        {name: each[name] for name in ("id", "text", "role")} for each in datasets.documents(_REUSE)
    ]
    with filled_index(client, _INDEX, texts):
        print(f"\n{_REUSE}, between suspicious documents and sources")
        report_reuse(timed(client, CopyOptions(between="role.keyword")))


if __name__ == "__main__":
    run(main)
