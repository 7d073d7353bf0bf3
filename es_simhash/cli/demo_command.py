"""`es-simhash demo`: relations of a corpus, and how many there are."""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shlex import quote
from typing import Annotated

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.files import require_writable, write_file
from es_simhash.cli.opened_index import titles_of
from es_simhash.cli.options import Target, gateway_to
from es_simhash.cli.progress import require_no_failures
from es_simhash.cli.relation_tables import KIND_STYLES
from es_simhash.cli.report_command import written_line
from es_simhash.cli.titles import Titles
from es_simhash.differences.marked_words import marked_words
from es_simhash.errors import EsSimhashError, MissingExtra
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.outcomes import IngestReport
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.reports.index_report import ReportOptions
from es_simhash.maintenance.reports.page import report_html
from es_simhash.maintenance.reports.read import read_report
from es_simhash.questions.index import Index
from es_simhash.relation.relation import KINDS, Relation, SharedPassage
from es_simhash.service.service_extra import require_extra
from es_simhash.store.config import IndexConfig
from es_simhash.store.connection import DEFAULT_URL, Connection
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from es_simhash.store.installation.proposal import propose_settings
from es_simhash.store.intents import Find
from es_simhash.store.options import SearchOptions
from es_simhash.text.counting import counted, percent, score_text
from es_simhash.text.escaping import one_line

# The id of the query, and its relation to a hit.
Row = tuple[str, Relation]
# Equal words that are shown before the first that differ.
_WORDS_BEFORE = 3
# Cells of a passage next to an id; with fewer, the id is shown alone.
_LEAST_CELLS = 20
# What DEFAULT_URL means as well.
_LOOPBACK_URL = "http://127.0.0.1:9200"
# Share of a text from which on a passage is most of it, or is shown as all of it.
_MOST_OF_A_TEXT, _ALL_OF_A_TEXT = 0.8, 0.985
# Characters of a side that are looked at, more than a line has.
_LOOKED_AT = 2_000


def print_overview(rows: Sequence[Row], queried: int, titles: Titles, console: Console) -> None:
    """Print the number of relations of each kind, and the best example of each."""
    counts = Counter(relation.kind for _, relation in rows)
    totals = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    console.print(
        f"{counted(queried, 'document')} queried: {totals or 'no relations'}.", highlight=False
    )
    for row in _examples(rows):
        _print_example(*row, titles, console)


def _examples(rows: Sequence[Row]) -> list[Row]:
    """Return the best example of each kind."""
    by_kind = ([row for row in rows if row[1].kind == kind] for kind in KINDS)
    return [max(of_kind, key=_usefulness) for of_kind in by_kind if of_kind]


def _usefulness(row: Row) -> tuple[bool, bool, bool, float, bool, int]:
    """Return the key that sorts pairs of one kind by their use as an example."""
    id, relation = row
    coverage = relation.coverage
    # Coverage is an estimate: a reader who sees a change does not agree that all is in both.
    shares_all = min(coverage.of_query, coverage.of_hit) > _ALL_OF_A_TEXT
    is_agreed = relation.kind == "exact" or not shares_all
    # The id of the first is typed.
    is_typed = id.isascii()
    # Texts that share all and are no versions differ in what counts most, which no line shows.
    is_plain = (
        relation.kind != "shares_passages"
        or max(coverage.of_query, coverage.of_hit) < _MOST_OF_A_TEXT
    )
    reworded = any(passage.kind in ("edited", "paraphrased") for passage in relation.evidence)
    letters = sum(len(passage.query.text) for passage in relation.evidence)
    weight = relation.score if relation.kind == "semantic" else 0.0
    return is_plain, is_agreed, reworded, weight, is_typed, letters


def _print_example(id: str, relation: Relation, titles: Titles, console: Console) -> None:
    """Print how two documents are related, and a line of each: its title, or id and passage."""
    console.print(
        Text.assemble((relation.kind, KIND_STYLES[relation.kind]), f": {_sentence(relation)}")
    )
    other = relation.id or ""
    if any(each.title for each in titles.documents.values()):
        for each in (id, other):
            console.print(Text(f"  {titles.named(each, console.width - 2)}"), soft_wrap=True)
        return
    ids = one_line(id), one_line(other)
    width = max(map(cell_len, ids))
    sides = _sides(relation)
    for name, side in zip(ids, sides, strict=True):
        line = Text.assemble("  ", (name, "bold"), " " * (width - cell_len(name)), "  ")
        left = console.width - line.cell_len
        if left >= _LEAST_CELLS:
            side.truncate(left, overflow="ellipsis")
            line.append_text(side)
        line.rstrip()
        # An id is never cut: one that is too long for the line is wrapped by the terminal.
        console.print(line, soft_wrap=True)


def _sentence(relation: Relation) -> str:
    score = f"score {score_text(relation.score)}"
    if relation.kind == "exact":
        return f"{score}, the same text but for upper and lower case and white space"
    if relation.kind != "semantic":
        of_first, of_second = relation.coverage.of_query, relation.coverage.of_hit
        return (
            f"{score}, {percent(of_first)} of the first is in the second, "
            f"{percent(of_second)} vice versa"
        )
    if relation.semantics is None or not relation.semantics.shared:
        return score
    terms = ", ".join(one_line(term.text) for term in relation.semantics.shared[:3])
    return f"{score}, both about {terms}"


def _sides(relation: Relation) -> tuple[Text, Text]:
    """Return the passage of both sides that shows most, from where they begin to differ."""
    if not relation.evidence:
        return Text(), Text()
    passage = next((each for each in relation.evidence if each.changed), relation.evidence[0])
    if relation.kind == "semantic" or not passage.changed:
        return _plain(passage.query.text), _plain(passage.hit.text)
    query, hit = _differing(passage)
    return query, hit


def _plain(text: str) -> Text:
    return Text(one_line(text[:_LOOKED_AT]))


def _differing(passage: SharedPassage) -> tuple[Text, Text]:
    """Return both sides from a few words before the first that differ, with those marked."""
    sides = marked_words(passage)
    # Both sides begin at the same words: equal ones come in the same number.
    equal = min(
        next((place for place, (_, is_shared) in enumerate(side) if not is_shared), len(side))
        for side in sides
    )
    start = max(0, equal - _WORDS_BEFORE)
    query, hit = (_marked(side[start : start + _LOOKED_AT], start > 0) for side in sides)
    return query, hit


def _marked(words: Sequence[tuple[str, bool]], is_cut: bool) -> Text:
    text = Text("… " if is_cut else "")
    for is_shared, run in groupby(words, key=itemgetter(1)):
        found = " ".join(one_line(word) for word, _ in run)
        text.append(f"{found} ", "" if is_shared else "bold magenta")
    return text


SAMPLE_INDEX = "es-simhash-demo"
# A corpus may have millions of documents.
MAX_DOCUMENTS_QUERIED = 500
_BATCH_SIZE = 25


@command
def demo(
    *,
    corpus: Annotated[Path | None, click.Path(exists=True, dir_okay=False, path_type=Path)] = None,
    html: Path | None = None,
    target: Annotated[
        Target,
        Chosen(omit=("index", "vocabulary", "simhash_field"), make=partial(Target, SAMPLE_INDEX)),
    ],
) -> None:
    """Ingest a corpus and show how many relations it has, with an example of each kind.

    In a terminal it then serves the explorer on a free port until Ctrl-C; elsewhere, and without
    the extra `service`, it writes a report.

    A second run writes nothing.

    Args:
        corpus: JSONL file of the documents; None for the sample corpus.
        html: HTML file to write a report of the index to; None for INDEX.html where the explorer is
            not served.
    """
    console, connection = Console(), target.connection
    if corpus is not None:
        target = replace(target, index=_index_name(corpus))
    index = target.index
    explores = sys.stdin.isatty() and sys.stdout.isatty()
    missing = _missing_extra() if explores else None
    explores = explores and missing is None
    if html is None and not explores:
        html = Path(f"{index}.html")
    require_writable(html, "html")
    with gateway_to(connection) as client, ExitStack() as stack:
        if corpus is None:
            sample = files("es_simhash") / "data" / "sample" / "corpus.jsonl"
            corpus = stack.enter_context(as_file(sample))
        install(client, index)
        failures_file = Path(f"{index}.dead-letter.jsonl")
        failed = _ingest(client, target, corpus, failures_file, console)
        ids = _ids(Index(client, index))
        _configure(client, target)
        rows = list(_pairs(Index(client, index), ids))
        find_families(client, index)
        Gateway.of(client).refresh(index)
        line = None if html is None else _write_report(client, index, html)
        shown = {id for first, relation in _examples(rows) for id in (first, relation.id or "")}
        titles = titles_of(Index(client, index), shown)
        fields = _shown_fields(Index(client, index).config)
    print_overview(rows, len(ids), titles, console)
    for sentence in (line, _address_line(connection)):
        if sentence is not None:
            console.print(Text(sentence), soft_wrap=True)
    if explores:
        _explore(index, connection, fields, console)
        console.print(f"\nStopped; the index {index} is kept.", highlight=False, soft_wrap=True)
    elif missing is not None:
        console.print(Text(f"To explore it in a browser: {missing}"), soft_wrap=True)
    for sentence in _next_lines(index, rows, connection):
        console.print(Text(sentence), soft_wrap=True)
    require_no_failures(failed, failures_file)


def _missing_extra() -> str | None:
    """Return how to install what the explorer needs; None where it is there."""
    try:
        require_extra()
    except MissingExtra as error:
        return str(error).partition(": ")[2]
    return None


def _shown_fields(config: IndexConfig) -> tuple[str, ...]:
    """Return the fields that the explorer shows: those that are configured, and the text."""
    documents = config.documents
    named = (documents.title, documents.date, documents.owner, documents.language)
    return (*(name for name in named if name is not None), *config.text_fields)


def _explore(index: str, connection: Connection, fields: tuple[str, ...], console: Console) -> None:
    """Serve the explorer on a free port until Ctrl-C."""
    # An optional extra.
    from es_simhash.service.application import Service
    from es_simhash.service.server import serve
    from es_simhash.service.service_config import ServiceConfig

    def say(address: str) -> None:
        line = f"Open {address}/explorer/ and choose a version or a family (Ctrl-C stops)."
        console.print(Text(line), soft_wrap=True)

    service = Service(index, connection, ServiceConfig(fields=fields), logs=False)
    with suppress(KeyboardInterrupt):
        service.check()
        serve(service, service.config, host="127.0.0.1", port=0, listening=say)


def _address_line(connection: Connection) -> str | None:
    """Return how other commands find this cluster; None where they find it by themselves."""
    known = (None, os.environ.get("ELASTICSEARCH_URL"), DEFAULT_URL, _LOOPBACK_URL)
    if connection.url in known or connection.profile is not None:
        return None
    address = connection.shown()["url"]
    return f"In shells for other commands: export ELASTICSEARCH_URL={quote(address)}"


def _next_lines(index: str, rows: Sequence[Row], connection: Connection) -> Iterator[str]:
    """Yield what to type next: a query of a document, and the same in an index of one's own."""
    program = _program()
    if rows:
        # An address is exported once, for all commands.
        option = "" if connection.profile is None and connection.url else connection.typed()
        (id, _), *_ = _examples(rows)
        yield f"Try: {program} related {index} --id {quote(id)}{option}"
    steps = ", ".join(f"`{step}`" for step in ("config INDEX --accept", "backfill INDEX"))
    yield f"In an index that you have: `{program} install INDEX`, then {steps}."


def _write_report(client: Client, index: str, file: Path) -> str:
    """Write a report of the index, and return what it says and where it is."""
    found = read_report(Index(client, index), options=ReportOptions(copies=True))
    write_file(file, report_html(found), "html")
    return written_line(found, file)


def _configure(client: Client, target: Target) -> None:
    """Store how the documents look, so that the commands that follow need no options for it."""
    index = target.index
    # The text is what was fingerprinted, whatever looks like one.
    text = target.text_field or Index(client, index).config.text_field
    configure(client, index, {**propose_settings(client, index).to_meta(), "text": text})


def _program() -> str:
    """Return the command as it was typed, such as .venv/bin/es-simhash."""
    return sys.argv[0] if Path(sys.argv[0]).name == "es-simhash" else "es-simhash"


def _index_name(corpus: Path) -> str:
    return f"{SAMPLE_INDEX}-{re.sub(r'[^a-z0-9_-]+', '-', corpus.stem.lower()).strip('-') or 'own'}"


def _ingest(
    client: Client, target: Target, corpus: Path, failures_file: Path, console: Console
) -> int:
    """Ingest the corpus and return how many documents failed."""
    report = IngestReport()
    sources = open_sources([corpus], sys.stdin.buffer)
    settings = IngestSettings(processes=available_processors(), dead_letter=failures_file)
    index = target.index
    for outcome in ingest_sources(client, index, sources, config=target.config, settings=settings):
        report.add(outcome)
        if not outcome.ok:
            console.print(Text(f"{outcome.place}: {one_line(outcome.reason or '')}", "red"))
    console.print(
        f"Index {index}: {report.summary}.",
        highlight=False,
        soft_wrap=True,
    )
    failed = report.counts["failed"]
    if failed and failed == report.documents:
        raise EsSimhashError(
            f"No document of {corpus} was indexed. See {failures_file} for the reasons."
        )
    Gateway.of(client).refresh(index)
    return failed


def _ids(index: Index) -> list[str]:
    (documents,) = index.store.ask([Find(size=MAX_DOCUMENTS_QUERIED)])
    return sorted(row.id for row in documents.rows)


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
