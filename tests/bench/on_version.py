"""What it costs to look for versions at ingest, beside a plain bulk of the same documents.

python -m tests.bench.on_version [--stored 10000] [--documents 10000] [--news] [--keep]

The plain bulk is the same machinery - reading, parsing, processes, threads, requests - without
fingerprints. Every tenth document is a revision of the one before; with `--news` the documents are
stories of an agency and of papers, 22,000 in all (needs the evaluation data). Runs alternate.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import elasticsearch

from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.ingestion.deduplication.audit_log import audit_of
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.installation.install import install
from scripts.local_node.engine import find_engine
from tests.bench import synthetic
from tests.bench.engines import bench_client
from tests.bench.ingest import prepare_plain
from tests.bench.news_stories import story_texts
from tests.bench.program import run

_SENTENCES = 20
_STEP = 100_000


def write_documents(path: Path, start: int, count: int, source: synthetic.Source) -> None:
    """Write documents from a number on, with the texts of a source."""
    with path.open("w", encoding="ascii") as stream:
        for number, text in enumerate(source(start, count), start):
            stream.write(json.dumps({"_id": str(number), "text": text}) + "\n")


def _is_revision(number: int) -> bool:
    return number % synthetic.REVISION_EVERY == synthetic.REVISION_EVERY - 1


def measure(
    client: elasticsearch.Elasticsearch,
    index: str,
    path: Path,
    settings: IngestSettings,
    rules: OnVersion | None,
) -> float:
    """Write a file into an index; give the documents a second, start of the processes included."""
    sources = open_sources([path], stream=open(os.devnull, "rb"))  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        outcomes = ingest_sources(
            client,
            index,
            sources,
            settings=replace(settings, journal=Path(folder, "journal")),
            on_version=rules,
        )
        counts = Counter(each.status for each in outcomes)
        seconds = time.perf_counter() - started
    assert set(counts) == {"written"}, counts
    return counts["written"] / seconds


def _plain(
    client: elasticsearch.Elasticsearch, index: str, path: Path, settings: IngestSettings
) -> float:
    client.indices.delete(index=index, ignore_unavailable=True)
    install(client, index, semantics=None)
    return measure(client, index, path, settings, None)


def main(argv: Sequence[str] | None = None) -> None:
    """Fill an index, write more with and without looking for versions, print the ratio."""
    options = _parser().parse_args(argv)
    url = find_engine(heap=options.heap).url
    source = story_texts if options.news else partial(synthetic.texts, sentences=_SENTENCES)
    index = f"bench-on-version-{'news-' * options.news}{options.stored}"
    limits = BatchLimits(bytes=options.batch_kib * 1024)
    settings = IngestSettings(options.processes, limits, options.ahead)
    plain_settings = IngestSettings(options.processes, limits, options.ahead, prepare=prepare_plain)
    with bench_client(options.heap) as client, tempfile.TemporaryDirectory() as folder:
        start = _filled(client, url, index, options.stored, source)
        plain, checked = [], []
        for run in range(options.runs):
            path, audit = Path(folder, "documents.jsonl"), Path(folder, f"{run}.audit.jsonl")
            write_documents(path, start, options.documents, source)
            start += options.documents
            plain.append(_plain(client, f"{index}-plain", path, plain_settings))
            rules = OnVersion("flag", audit=audit)
            checked.append(measure(client, index, path, settings, rules))
            flagged = [int(str(each.head["id"])) for each in audit_of(audit, client).read()]
            # Of the first the original was written by the run before.
            revisions = list(filter(_is_revision, range(start - options.documents + 1, start)))
            found = "" if options.news else _found(flagged, revisions)
            print(
                f"run {run + 1}: plain {plain[-1]:.0f}, flag {checked[-1]:.0f} documents/s; "
                f"{len(flagged)} flagged{found}"
            )
        ratio = statistics.median(c / p for c, p in zip(checked, plain, strict=True))
        print(
            f"{options.documents} documents with {options.stored} stored, {options.processes} "
            f"processes, {os.cpu_count()} processors shared with the node: ratio {ratio:.3f}"
        )
        client.indices.delete(index=f"{index}-plain", ignore_unavailable=True)
        if not options.keep:
            client.indices.delete(index=[index, f"{index}-simhash"], ignore_unavailable=True)


def _found(flagged: Sequence[int], revisions: Sequence[int]) -> str:
    found = len(set(flagged).intersection(revisions))
    return f", {found} of {len(revisions)} revisions"


def _filled(
    client: elasticsearch.Elasticsearch,
    url: str,
    index: str,
    stored: int,
    source: synthetic.Source,
) -> int:
    """Make sure that the index has as many documents; give the number of the next one."""
    if client.indices.exists(index=index):
        client.indices.refresh(index=index)
        have = int(client.count(index=index)["count"])
        if have >= stored:
            return have
    for first in range(0, stored, _STEP):
        end = min(stored, first + _STEP)
        synthetic.grow_from(client, url, index, first, end, source=source)
    return stored


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--processes", type=int, default=available_processors())
    parser.add_argument("--ahead", type=int, default=IngestSettings.ahead)
    parser.add_argument("--batch-kib", type=int, default=BatchLimits.bytes // 1024)
    parser.add_argument("--heap", default="2g")
    parser.add_argument("--news", action="store_true", help="real stories, not made-up texts")
    parser.add_argument("--keep", action="store_true", help="keep the index, to go on with it")
    return parser


if __name__ == "__main__":
    run(main)
