"""How fast documents are ingested from CSV and Parquet, beside the same ones as JSON Lines.

Runs alternate. What is compared is processor time, which other work on the machine changes least;
with one process all of it is of this one.
"""

import argparse
import csv
import io
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import elasticsearch

from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from scripts.local_node.engine import find_engine
from tests.bench.ingest import made_up_texts, write_documents
from tests.bench.program import run

INDEX = "es-simhash-bench-sources"


def write_kinds(folder: Path, count: int) -> list[Path]:
    """Write the same documents as JSON Lines, CSV and, where pyarrow is, Parquet."""
    lines, table, columns = (folder / f"documents.{kind}" for kind in ("jsonl", "csv", "parquet"))
    write_documents(lines, made_up_texts(count))
    rows = [json.loads(line) for line in lines.read_text("ascii").splitlines()]
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return [lines, table]
    parquet.write_table(pyarrow.Table.from_pylist(rows), columns)
    return [lines, table, columns]


def seconds_of(client: elasticsearch.Elasticsearch, path: Path, *, semantics: bool) -> float:
    """Return the processor time of writing a file into a fresh index."""
    client.indices.delete(index=INDEX, ignore_unavailable=True)
    install(client, INDEX, semantics=DEFAULT_SEMANTICS if semantics else None)
    settings = IngestSettings(journal=path.with_suffix(".journal"))
    started = time.process_time()
    sources = open_sources([path], io.BytesIO())
    counts = Counter(
        each.status for each in ingest_sources(client, INDEX, sources, settings=settings)
    )
    seconds = time.process_time() - started
    assert set(counts) == {"written"}, counts
    return seconds


def measured(count: int, repeats: int, *, semantics: bool) -> Iterator[str]:
    """Yield a line for each kind of file."""
    engine = find_engine()
    with tempfile.TemporaryDirectory() as folder, connect(engine.url) as client:
        paths = write_kinds(Path(folder), count)
        times: dict[str, list[float]] = {path.suffix: [] for path in paths}
        for _ in range(repeats):
            for path in paths:
                times[path.suffix].append(seconds_of(client, path, semantics=semantics))
        client.indices.delete(index=INDEX)
    lines = statistics.median(times[".jsonl"])
    for suffix, seconds in times.items():
        median = statistics.median(seconds)
        yield (
            f"{suffix[1:]:8} {count / median:7.0f} documents per second of processor time, "
            f"{lines / median:.2f} × JSON Lines"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how fast each kind is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--semantics", action="store_true")
    options = parser.parse_args(arguments)
    for line in measured(options.documents, options.repeats, semantics=options.semantics):
        print(line)


if __name__ == "__main__":
    run(main)
