"""What a sweep costs beside an index that was swept before.

python -m tests.bench.sweep [--stored 100000] [--changed 1000]

Documents of 2 KB, every tenth a revision of the one before, are written without fingerprints and
swept; then some more are, a part of the old texts is changed, and all is swept once more.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import elasticsearch

from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.store.installation.install import install
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.program import run

_INDEX = "bench-sweep"
_SENTENCES = 17
_BATCH = 1000


def write(client: elasticsearch.Elasticsearch, start: int, count: int) -> None:
    """Write documents as a program does that knows nothing of fingerprints."""
    lines = _lines(start, count)
    while batch := list(islice(lines, 2 * _BATCH)):
        answer = client.bulk(index=_INDEX, operations=batch)
        assert not answer["errors"]


def _lines(start: int, count: int) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(synthetic.texts(start, count, _SENTENCES), start):
        yield {"index": {"_id": str(number)}}
        yield {"text": text}


def change(client: elasticsearch.Elasticsearch, count: int, stored: int) -> None:
    """Return documents another text by partial updates, which run no pipeline in a bulk."""
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(synthetic.texts(10 * stored, count, _SENTENCES)):
        lines += [{"update": {"_id": str(number)}}, {"doc": {"text": text}}]
    assert not client.bulk(index=_INDEX, operations=lines)["errors"]


def timed(client: elasticsearch.Elasticsearch, name: str, rules: OnVersion | None = None) -> None:
    """Sweep once and print what it did and took."""
    started = time.perf_counter()
    report = sweep(client, _INDEX, on_version=rules)
    seconds = time.perf_counter() - started
    processed = report.families.documents if report.families else 0
    print(
        f"{name:38s} {seconds:7.2f} s: {report.enriched.total()} processed, "
        f"{report.enriched['written']} enriched, {processed} processed for families, "
        f"{dict(report.decisions)}"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Write, sweep, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, default=100_000)
    parser.add_argument("--changed", type=int, default=1000)
    options = parser.parse_args(argv)
    stored, changed = options.stored, options.changed
    with bench_client() as client, TemporaryDirectory() as folder:
        names = [_INDEX, f"{_INDEX}-simhash"]
        client.indices.delete(index=names, ignore_unavailable=True)
        install(client, _INDEX, semantics=None)
        try:
            write(client, 0, stored)
            timed(client, f"first, {stored} documents")
            timed(client, "second, which sees the writes of the first")
            timed(client, "nothing written")
            rules = OnVersion("flag", audit=f"{folder}/audit.jsonl")
            write(client, stored, changed)
            change(client, changed // 10, stored)
            timed(client, f"{changed} new, {changed // 10} changed, flag", rules)
            timed(client, "which sees the writes of the one before", rules)
        finally:
            client.indices.delete(index=names, ignore_unavailable=True)


if __name__ == "__main__":
    run(main)
