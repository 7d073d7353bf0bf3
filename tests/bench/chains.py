"""The versions of each document in order of date, where the chains are known.

    python -m tests.bench.chains

On 893 successive versions of policies and handbooks, each is queried with
`related --sort date --kind version`: how many members of its chain are listed that have half of
the smaller text in common, how many questions list a document of another owner, and whether the
dates are in order, also when the list is read in pages of ten.
"""

import statistics
import time
from collections import defaultdict
from typing import Any

from es_simhash import Index, SearchOptions
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.store.installation.document_settings import configure
from tests.bench.engines import bench_client
from tests.bench.indexing import filled_index
from tests.bench.program import run
from tests.support import datasets
from tests.support.datasets import pair

_SET = "terms_versions"
_INDEX = "bench-chains"
_CONTAINMENT = 0.5
# Of so many questions one is answered page by page as well.
_PAGED = 20
_VERSIONS = SearchOptions(kinds=VERSION_KINDS, sort="date", size=100, evidence=False)
_PAGES = SearchOptions(kinds=VERSION_KINDS, sort="date", size=10, evidence=False)


def main() -> None:
    """Index the versions, query each, and print the figures."""
    documents = {str(each["id"]): each for each in datasets.documents(_SET)}
    near = {
        pair(row["older"], row["newer"])
        for row in datasets.rows(_SET, "pairs.tsv")
        if float(row["containment"]) >= _CONTAINMENT
    }
    with bench_client() as client, filled_index(client, _INDEX, list(documents.values())):
        configure(client, _INDEX, {"date": "date", "owner": "owner"})
        report(Index(client, _INDEX), documents, near)


def report(index: Index, documents: dict[str, Any], near: set[tuple[str, str]]) -> None:
    """Print what is listed for each document."""
    chains: dict[str, set[str]] = defaultdict(set)
    for one, other in near:
        chains[one].add(other)
        chains[other].add(one)
    expected = found = strangers = disordered = differing = 0
    times = []
    for id, document in documents.items():
        start = time.perf_counter()
        answer = index.related(id=id, options=_VERSIONS)
        times.append((time.perf_counter() - start) * 1000)
        listed = [str(relation.id) for relation in answer]
        expected += len(chains[id])
        found += len(chains[id] & set(listed))
        strangers += any(documents[other]["owner"] != document["owner"] for other in listed)
        dates = [documents[other]["date"] for other in listed]
        disordered += dates != sorted(dates)
        if len(times) % _PAGED == 0:
            pages = index.pages(id=id, options=_PAGES)
            differing += listed != [str(relation.id) for page in pages for relation in page]
    print(
        f"{_SET}: {len(documents)} documents, {found} of {expected} members of their chains with "
        f"containment from {_CONTAINMENT} listed ({found / expected:.3f})\n"
        f"  questions that list a document of another owner: {strangers}; not in order of date: "
        f"{disordered}; different in pages of ten: {differing}\n"
        f"  p50 {statistics.median(times):.0f} ms, all versions in one answer"
    )


if __name__ == "__main__":
    run(main)
