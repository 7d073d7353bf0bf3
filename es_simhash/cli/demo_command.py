"""`es-simhash demo`: the whole path on the sample corpus, or on a file of your own."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.bulk.processes import available_processors
from es_simhash.bulk.sources import open_sources
from es_simhash.cli.options import text_field_option
from es_simhash.cli.showing import MEANING, STYLE, print_evidence, printable, shortened
from es_simhash.engine.connection import connect
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import EsSimhashError
from es_simhash.indices.install import install
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.settings import IngestSettings
from es_simhash.local_node.finder import find_engine
from es_simhash.query.options import SearchOptions
from es_simhash.relation.model import KINDS, Relation
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.search.index import Index
from es_simhash.storage.config import IndexConfig
from es_simhash.text.escaping import masked_url

SAMPLE_INDEX = "es-simhash-demo"
# Documents asked about, and rows shown; a corpus may have millions.
MOST_ASKED = 500
MOST_ROWS = 60
_BATCH = 25

Row = tuple[str, Relation]


@click.command()
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSONL file to take in place of the sample corpus.",
)
@text_field_option
def demo(corpus: Path | None, text_field: str) -> None:
    """Ingest a corpus and show which documents are versions of each other, and why.

    Takes the cluster of ELASTICSEARCH_URL if it answers, else Docker, else a local node that it
    starts. A second run finds everything in place and writes nothing.
    """
    console = Console()
    engine = find_engine()
    index = _index_name(corpus)
    console.print(f"Using {engine}, index {index}.", highlight=False)
    with connect(engine.url) as client, ExitStack() as stack:
        if corpus is None:
            sample = files("es_simhash") / "data" / "sample" / "corpus.jsonl"
            corpus = stack.enter_context(as_file(sample))
        install(client, index)
        _ingest(client, index, corpus, text_field, console)
        ids = _ids(client, index)
        rows = list(_pairs(Index(client, index, IndexConfig(text_field=text_field)), ids))
    _show(rows, len(ids), console)
    if rows:
        console.print(
            f"\nAsk about any document:\n  {_program()} related {index} --id {rows[0][0]} "
            f"--url {masked_url(engine.url)}"
            f"{'' if text_field == 'text' else f' --field {text_field}'}",
            highlight=False,
            soft_wrap=True,
        )


def _program() -> str:
    """Return the command as it was typed, such as .venv/bin/es-simhash."""
    return sys.argv[0] if Path(sys.argv[0]).name == "es-simhash" else "es-simhash"


def _index_name(corpus: Path | None) -> str:
    if corpus is None:
        return SAMPLE_INDEX
    return f"{SAMPLE_INDEX}-{re.sub(r'[^a-z0-9_-]+', '-', corpus.stem.lower()).strip('-') or 'own'}"


def _ingest(client: Client, index: str, corpus: Path, text_field: str, console: Console) -> None:
    counts: Counter[str] = Counter()
    letters = Path(f"{index}.dead-letter.jsonl")
    sources = open_sources([corpus], sys.stdin.buffer)
    settings = IngestSettings(processes=available_processors(), dead_letter=letters)
    config = IndexConfig(text_field=text_field)
    for outcome in ingest_sources(client, index, sources, config=config, settings=settings):
        counts[outcome.status] += 1
        if not outcome.ok:
            console.print(Text(f"{outcome.place}: {printable(outcome.reason or '')}", "red"))
    console.print(
        f"{counts['written']} documents written, {counts['unchanged']} unchanged, "
        f"{counts['failed']} failed.",
        highlight=False,
    )
    if counts["failed"] and not counts["written"] + counts["unchanged"]:
        raise EsSimhashError(f"No document of {corpus} could be read; {letters} says why.")
    Gateway.of(client).refresh(index)


def _ids(client: Client, index: str) -> list[str]:
    body = {"size": MOST_ASKED, "_source": False, "sort": ["_doc"], "track_total_hits": False}
    answer = Gateway.of(client).search(index, body)
    return sorted(hit["_id"] for hit in answer["hits"]["hits"])


def _pairs(index: Index, ids: list[str]) -> Iterator[Row]:
    """Yield each related pair once, from the side of the document that comes first."""
    seen: set[frozenset[str]] = set()
    for start in range(0, len(ids), _BATCH):
        answers = index.related_to_each(ids[start : start + _BATCH], options=SearchOptions(size=20))
        for id, relations in answers.items():
            for relation in relations:
                pair = frozenset((id, str(relation.id)))
                if pair not in seen:
                    seen.add(pair)
                    yield id, relation


def _show(rows: list[Row], asked: int, console: Console) -> None:
    counts = Counter(relation.kind for _, relation in rows)
    rows.sort(key=lambda row: (KINDS.index(row[1].kind), row[0], -row[1].score))
    table = Table(title="Which documents belong together, and why", title_justify="left")
    table.add_column("document", overflow="fold", ratio=2)
    table.add_column("", ratio=1)
    table.add_column("other document", overflow="fold", ratio=2)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("of it / of the other", justify="right", no_wrap=True)
    table.add_column("longest shared passage, or what both are about", ratio=3)
    for id, each in rows[:MOST_ROWS]:
        table.add_row(
            Text(printable(id)),
            Text(MEANING[each.kind], STYLE[each.kind]),
            Text(printable(each.id or "")),
            f"{each.score:.2f}",
            ""
            if each.kind == "semantic"
            else f"{each.coverage.of_query:.0%} / {each.coverage.of_hit:.0%}",
            Text(_why(each)),
        )
    console.print(table)
    if len(rows) > MOST_ROWS:
        console.print(f"and {len(rows) - MOST_ROWS} more pairs.", highlight=False)
    found = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    console.print(
        f"{asked} documents asked about: {found or 'no relations'}. Scores from {VERSION_SCORE} on "
        "are versions; below that, documents only share passages, such as a quotation or a form, "
        "or are about the same people, places and things in other words.",
        highlight=False,
    )
    _show_closely(rows, console)


def _why(relation: Relation) -> str:
    """Return the evidence that says most: a passage, or what both texts are about."""
    if relation.kind == "semantic" and relation.semantics is not None:
        return ", ".join(printable(each.text) for each in relation.semantics.shared[:6])
    return shortened(relation.evidence[0].query.text, 72) if relation.evidence else ""


def _show_closely(rows: list[Row], console: Console) -> None:
    """Lay one pair side by side: passages copied into another text, some of them reworded.

    And one pair that tells of the same in other words.
    """
    copied = [row for row in rows if row[1].kind in ("shares_passages", "version")]
    if copied:
        _show_pair(*max(copied, key=_telling), "One pair side by side; what differs is marked. ",
                   console)  # fmt: skip
    semantic = [row for row in rows if row[1].kind == "semantic"]
    if semantic:
        best = max(semantic, key=lambda row: row[1].score)
        _show_pair(*best, "And one that shares no passage. ", console)


def _show_pair(id: str, relation: Relation, heading: str, console: Console) -> None:
    console.print()
    console.print(
        Text.assemble(
            heading,
            (printable(id), "bold"),
            " (left) ",
            MEANING[relation.kind],
            " ",
            (printable(relation.id or ""), "bold"),
            " (right):",
        )
    )
    print_evidence(relation, console)


def _telling(row: Row) -> tuple[bool, bool, int]:
    """Rank pairs by how much a reader learns from them."""
    evidence = row[1].evidence
    reworded = any(passage.distance for passage in evidence)
    return reworded, row[1].kind == "shares_passages", sum(len(p.query.text) for p in evidence)
