"""Programs for `spark-submit`: fingerprints, pairs, families and decisions of files and indices.

Submit this file with `spark-submit`, or run `python -m es_simhash.spark` with the settings of
spark-defaults.conf.
"""

import re
import sys
from collections.abc import Callable
from typing import Any

import click

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.deduplication.version_rules import ACTIONS, OnVersion
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.spark.candidates import MAX_TEXTS
from es_simhash.spark.decisions import deduplicate
from es_simhash.spark.engine import AnalysisException, PythonException, Session
from es_simhash.spark.families import families
from es_simhash.spark.family_rules import FamilyRules, FrameFamilies
from es_simhash.spark.files import first_line, read_documents, with_dates, write_documents
from es_simhash.spark.fingerprints import with_fingerprints, with_semantics
from es_simhash.spark.index_frames import Cluster, opened_index, write_families
from es_simhash.spark.texts import FrameColumns
from es_simhash.spark.versions import version_pairs
from es_simhash.store.config import IndexConfig
from es_simhash.text.counting import counted

_RAISED = re.compile(r"^es_simhash\.errors\.\w+: (.+)$", re.M)

text_field = click.option(
    "--text-field", default="text", show_default=True, help="Column of the text; several by commas."
)
id_column = click.option("--id", "id_", default="id", show_default=True, help="Column of the id.")
date = click.option("--date", help="Column of the date.")
most_texts = click.option(
    "--max-texts",
    type=click.IntRange(1),
    default=MAX_TEXTS,
    show_default=True,
    help="Texts of a shingle that all others with it are compared with.",
)
representative = click.option(
    "--representative", type=click.Choice(["longest", "newest", "oldest"]), help="Who represents."
)
within = click.option("--within", help="Field that keeps documents apart.")
source = click.argument("source")
target = click.argument("target")


@click.group(help=__doc__)
def main() -> None:
    """Run a command."""


@main.command()
@source
@target
@text_field
@click.option("--semantics", is_flag=True, help="With concepts, entities and vectors.")
def fingerprint(source: str, target: str, text_field: str, *, semantics: bool) -> None:
    """Write the documents of SOURCE with the column `simhash` to TARGET."""
    add: Callable[..., Any] = with_semantics if semantics else with_fingerprints
    config = IndexConfig(text_field=text_field)
    write_documents(add(read_documents(_session(), source), config), target)


@main.command()
@source
@target
@text_field
@most_texts
def pairs(source: str, target: str, text_field: str, max_texts: int) -> None:
    """Write the pairs of texts of SOURCE that are versions of each other to TARGET."""
    config = IndexConfig(text_field=text_field)
    found = version_pairs(read_documents(_session(), source), config, max_texts=max_texts)
    write_documents(found.pairs, target)
    _report_hot(found.hot, max_texts)


@main.command("families")
@source
@target
@text_field
@id_column
@date
@within
@representative
def families_command(
    source: str,
    target: str,
    text_field: str,
    id_: str,
    **options: Any,
) -> None:
    """Write the families of the documents of SOURCE to TARGET."""
    documents, date = with_dates(read_documents(_session(), source), options["date"])
    columns = FrameColumns(id_, date=date, within=options["within"])
    rules = FamilyRules(options["representative"] or "longest")
    config = IndexConfig(text_field=text_field)
    found = families(documents, columns, config, rules)
    write_documents(found.documents, target)
    _report(found, rules.max_texts)


@main.command("deduplicate")
@source
@target
@click.option("--decisions", required=True, help="Where the decisions are written.")
@click.option("--on-version", type=click.Choice(ACTIONS), default="skip", show_default=True)
@click.option("--order", help="Column by which the documents come; without it their ids.")
@text_field
@id_column
@within
def deduplicate_command(
    source: str, target: str, decisions: str, on_version: Any, **options: Any
) -> None:
    """Write the documents of SOURCE without versions of earlier ones to TARGET."""
    result = deduplicate(
        read_documents(_session(), source),
        OnVersion(on_version),
        FrameColumns(options["id_"], within=options["within"]),
        IndexConfig(text_field=options["text_field"]),
        order=options["order"],
    )
    write_documents(result.decisions, decisions)
    write_documents(result.documents, target)
    _report_hot(result.hot, MAX_TEXTS)


@main.command("index-families")
@click.argument("index")
@click.option("--url", envvar="ELASTICSEARCH_URL", show_envvar=True, required=True)
@click.option("--api-key", envvar=["ES_SIMHASH_API_KEY", "ELASTICSEARCH_API_KEY"], show_envvar=True)
@click.option("--slices", type=click.IntRange(1), default=8, show_default=True)
@click.option("--date-field", help="Field of the date.")
@within
@representative
def index_families(index: str, url: str, api_key: str | None, slices: int, **options: Any) -> None:
    """Find the families of an index of Elasticsearch and write them into its documents."""
    rules = FamilyOptions(options["representative"], options["date_field"], options["within"])
    cluster = Cluster(url, api_key)
    with opened_index(_session(), cluster, index, options=rules, slices=slices) as read:
        found = families(read.documents, read.columns, read.config, read.rules)
        report = write_families(read, found)
        _report(found, read.rules.max_texts)
    conflicts = counted(len(report.conflicts), "conflict")
    click.echo(f"Families of {counted(report.written, 'document')} written, {conflicts}.")


def _session() -> Session:
    session: Session = Session.builder.appName("es-simhash").getOrCreate()
    return session


def _report(found: FrameFamilies, max_texts: int) -> None:
    _report_hot(found.hot, max_texts)
    if left_out := found.left_out.count():
        documents = counted(left_out, "document")
        click.echo(f"{documents} without fingerprints of the text left out.", err=True)


def _report_hot(hot: Any, max_texts: int) -> None:
    if count := hot.count():
        click.echo(
            f"{count:,} shingles are in more than {max_texts:,} texts, which were compared with "
            "the first of these alone.",
            err=True,
        )


def run() -> None:
    """Run a command; an error of ours or of Spark's analysis is one sentence and exit status 1.

    So is one of ours in a worker.
    """
    try:
        main(prog_name="es_simhash.spark")
    except EsSimhashError as error:
        sys.exit(f"Error: {error}")
    except AnalysisException as error:
        sys.exit(f"Error: {first_line(error)}")
    except PythonException as error:
        raised = _RAISED.findall(str(error))
        if not raised:
            raise
        sys.exit(f"Error: {raised[-1]}")


if __name__ == "__main__":
    run()
