"""What the fingerprints of methods cost in an index, and what its searches find.

    python -m tests.bench.schemes [--set bbc_news] [--queries 200] [--method token-simhash]

For each method an index of its own, of one shard and one segment, beside one without: bytes a
document in all (with `_source`), block keys a document, the time the engine took for a search and
how many documents it matched, and how many of the ten best versions of the method are left by the
default limit of candidates. Without evaluation data the texts are made up.
"""

import argparse
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS, fingerprint_method
from es_simhash.questions.index import Index
from es_simhash.store.installation.install import install
from es_simhash.store.options import Limits, SearchOptions
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.support import datasets
from tests.support.datasets import MissingData

_SETS = ("bbc_news", "terms_versions")
_SENTENCES, _MADE_UP = 20, 3_000
_ALL = Limits(candidates=10_000)


@dataclass(frozen=True)
class Row:
    """What was measured of a method.

    Attributes:
        method: Its name.
        size: Bytes a document in addition to those of the index without it.
        keys: Block keys a document.
        took: Median and 90th percentile of what the engine took, in milliseconds.
        matched: Median of the documents that a search matched.
        found: Share of the ten best versions found with the default limit; None without any.
    """

    method: str
    size: float
    keys: float
    took: tuple[float, float]
    matched: float
    found: float | None


def read_texts(names: Iterable[str], most: int) -> dict[str, str]:
    """Return the texts of sets of known versions by id; made-up ones where there are none."""
    found: dict[str, str] = {}
    for name in names:
        try:
            texts = datasets.version_set(name).texts
        except MissingData as error:
            print(f"{error} Texts are made up.")
            made_up = synthetic.texts(0, _MADE_UP, _SENTENCES)
            return {str(number): text for number, text in enumerate(made_up)}
        found |= {f"{name}/{id}": text for id, text in texts.items()}
    return dict(list(found.items())[:most])


def filled(client: Any, name: str, texts: dict[str, str], schemes: Sequence[str]) -> float:
    """Write the texts to an index with some schemes, and return its bytes a document."""
    client.indices.delete(index=name, ignore_unavailable=True)
    install(client, name, scheme=schemes, semantics=None)
    documents: Iterator[dict[str, str]] = ({"_id": id, "text": text} for id, text in texts.items())
    failed = sum(not each.ok for each in ingest(client, name, documents))
    assert not failed, f"{failed} documents were not written"
    client.indices.refresh(index=name)
    client.indices.forcemerge(index=name, max_num_segments=1)
    client.indices.refresh(index=name)
    stats = client.indices.stats(index=name, metric="store").body
    return float(stats["_all"]["primaries"]["store"]["size_in_bytes"]) / len(texts)


def measured(client: Any, name: str, texts: dict[str, str], method: str, queries: int) -> Row:
    """Query an index that has a method, and return what its searches took and found."""
    index = Index(client, name)
    features = fingerprint_method(method).read(list(texts.values()))
    keys = [len({key for own in groups for key in own}) for groups in features.block_keys()]
    ids = [id for number, id in enumerate(texts) if number not in features.unreadable]
    took: list[float] = []
    matched: list[int] = []
    expected = found = 0
    for id in ids[:: max(1, len(ids) // queries)]:
        (body,) = index.searches_by(method, id=id)
        answer = client.search(index=name, **{**body, "track_total_hits": True}).body
        took.append(answer["took"])
        matched.append(answer["hits"]["total"]["value"])
        versions = index.related_by(method, id=id, options=SearchOptions(limits=_ALL))
        assert not versions.truncated
        limited = index.related_by(method, id=id)
        # Of equal scores any will do.
        best = Counter(one.score for one in versions.relations)
        found += (best & Counter(one.score for one in limited.relations)).total()
        expected += best.total()
    ordered = sorted(took)
    return Row(
        method,
        0.0,
        statistics.mean(keys),
        (statistics.median(took), ordered[int(len(ordered) * 0.9)]),
        statistics.median(matched),
        found / expected if expected else None,
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each method and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--method", action="append")
    options = parser.parse_args(argv)
    texts = read_texts(options.set or _SETS, options.documents)
    characters = sum(map(len, texts.values())) / len(texts)
    print(f"{len(texts)} documents of {characters:,.0f} characters, {options.queries} queries each")
    with bench_client() as client:
        name = "bench-schemes"
        try:
            without = filled(client, name, texts, ())
            print(f"{without:,.0f} bytes a document without methods")
            print("| method | bytes | keys | took ms | 90 % | matched | found |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for method in options.method or FINGERPRINT_METHODS:
                size = filled(client, name, texts, (method,)) - without
                row = measured(client, name, texts, method, options.queries)
                share = "–" if row.found is None else f"{row.found:.3f}"
                print(
                    f"| `{row.method}` | {size:,.0f} | {row.keys:,.0f} | {row.took[0]:.0f} | "
                    f"{row.took[1]:.0f} | {row.matched:,.0f} | {share} |",
                    flush=True,
                )
        finally:
            client.indices.delete(index=name, ignore_unavailable=True)


if __name__ == "__main__":
    run(main)
