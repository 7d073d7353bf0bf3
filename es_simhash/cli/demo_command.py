"""`es-simhash demo`: ingest the sample corpus, or a file, and show what is related in it."""

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote

import click
from rich.console import Console
from rich.text import Text

from es_simhash.bulk.processes import available_processors
from es_simhash.bulk.sources import open_sources
from es_simhash.cli.demo_output import Row, print_overview
from es_simhash.cli.options import index_config, text_field_option
from es_simhash.cli.page_file import require_page_file, write_page
from es_simhash.cli.progress import require_no_failures
from es_simhash.cli.report_command import written_line
from es_simhash.engine.connection import connect
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import EsSimhashError
from es_simhash.families.find import find_families
from es_simhash.indices.document_settings import configure
from es_simhash.indices.install import install
from es_simhash.indices.proposal import propose_settings
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.report import IngestReport
from es_simhash.ingestion.settings import IngestSettings
from es_simhash.local_node.finder import find_engine
from es_simhash.query.options import SearchOptions
from es_simhash.reports.html import report_html
from es_simhash.reports.model import ReportOptions
from es_simhash.reports.read import read_report
from es_simhash.search.index import Index
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.text.escaping import masked_url, one_line

SAMPLE_INDEX = "es-simhash-demo"
# A corpus may have millions of documents.
MAX_DOCUMENTS_QUERIED = 500
_BATCH_SIZE = 25


@click.command()
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="the sample corpus",
    help="JSONL file of the documents.",
)
@text_field_option
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also find families, and write a report of the index as one HTML file.",
)
def demo(corpus: Path | None, text_field: str | None, report: Path | None) -> None:
    """Ingest a corpus and show how many relations it has, with an example of each kind.

    Uses the cluster at ELASTICSEARCH_URL if it answers, else Docker (container es-simhash), else a
    local node; the one it starts keeps running. A second run writes nothing.
    """
    if report is not None:
        require_page_file(report, "report")
    console = Console()
    engine = find_engine(keep=True)
    index = _index_name(corpus)
    console.print(f"Using {engine}, index {index}.", highlight=False, soft_wrap=True)
    with connect(engine.url) as client, ExitStack() as stack:
        if corpus is None:
            sample = files("es_simhash") / "data" / "sample" / "corpus.jsonl"
            corpus = stack.enter_context(as_file(sample))
        install(client, index)
        failures_file = Path(f"{index}.dead-letter.jsonl")
        failed = _ingest(client, index, corpus, text_field, failures_file, console)
        ids = _ids(client, index)
        _configure(client, index, text_field)
        rows = list(_pairs(Index(client, index), ids))
        line = None if report is None else _write_report(client, index, report)
    print_overview(rows, len(ids), console)
    if rows:
        command = f"{_program()} related {index} --id {quote(rows[0][0])}"
        console.print(
            Text(f"\nQuery any document:\n  {command} --url {masked_url(engine.url)}"),
            soft_wrap=True,
        )
    if line is not None:
        console.print(Text(line), soft_wrap=True)
    require_no_failures(failed, failures_file)


def _write_report(client: Client, index: str, file: Path) -> str:
    """Write a report of the index, and return what it says and where it is."""
    find_families(client, index)
    Gateway.of(client).refresh(index)
    found = read_report(client, index, options=ReportOptions(copies=True))
    write_page(file, report_html(found), "report")
    return written_line(found, file)


def _configure(client: Client, index: str, text_field: str | None) -> None:
    """Store how the documents look, so that the commands that follow need not be told."""
    settings = propose_settings(client, index).to_meta()
    configure(client, index, settings | ({"text": text_field} if text_field else {}))


def _program() -> str:
    """Return the command as it was typed, such as .venv/bin/es-simhash."""
    return sys.argv[0] if Path(sys.argv[0]).name == "es-simhash" else "es-simhash"


def _index_name(corpus: Path | None) -> str:
    if corpus is None:
        return SAMPLE_INDEX
    return f"{SAMPLE_INDEX}-{re.sub(r'[^a-z0-9_-]+', '-', corpus.stem.lower()).strip('-') or 'own'}"


def _ingest(
    client: Client,
    index: str,
    corpus: Path,
    text_field: str | None,
    failures_file: Path,
    console: Console,
) -> int:
    """Ingest the corpus and return how many documents failed."""
    report = IngestReport()
    sources = open_sources([corpus], sys.stdin.buffer)
    settings = IngestSettings(processes=available_processors(), dead_letter=failures_file)
    config = index_config(text_field, DEFAULT_FIELD)
    for outcome in ingest_sources(client, index, sources, config=config, settings=settings):
        report.add(outcome)
        if not outcome.ok:
            console.print(Text(f"{outcome.place}: {one_line(outcome.reason or '')}", "red"))
    console.print(
        f"{report.summary}.",
        highlight=False,
    )
    failed = report.counts["failed"]
    if failed and failed == report.documents:
        raise EsSimhashError(
            f"No document of {corpus} was indexed. See {failures_file} for the reasons."
        )
    Gateway.of(client).refresh(index)
    return failed


def _ids(client: Client, index: str) -> list[str]:
    body = {
        "size": MAX_DOCUMENTS_QUERIED,
        "_source": False,
        "sort": ["_doc"],
        "track_total_hits": False,
    }
    answer = Gateway.of(client).search(index, body)
    return sorted(hit["_id"] for hit in answer["hits"]["hits"])


def _pairs(index: Index, ids: list[str]) -> Iterator[Row]:
    """Yield each related pair once, as the relation of its first document."""
    seen: set[frozenset[str]] = set()
    for start in range(0, len(ids), _BATCH_SIZE):
        answers = index.related_to_each(
            ids[start : start + _BATCH_SIZE], options=SearchOptions(size=20)
        )
        for id, relations in answers.items():
            for relation in relations:
                pair = frozenset((id, str(relation.id)))
                if pair not in seen:
                    seen.add(pair)
                    yield id, relation
