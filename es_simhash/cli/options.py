"""Options that several commands have: fields, scheme, speed, files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.ingestion.bulk.processes import available_processors
from es_simhash.store.config import IndexConfig
from es_simhash.store.fields import DEFAULT_FIELD

Command = TypeVar("Command", bound=Callable[..., Any])

scheme_option = click.option(
    "--scheme",
    default=DEFAULT.name,
    show_default=True,
    help="Published name of the fingerprint scheme.",
)

simhash_field_option = click.option(
    "--simhash-field",
    default=DEFAULT_FIELD,
    show_default=True,
    help="Object field of the fingerprints.",
)

text_field_option = click.option(
    "--field",
    "text_field",
    show_default="the one of `es-simhash config`, else text",
    help="Text field, or several as headline,body; dots separate the parts of a path.",
)


def index_config(
    text_field: str | None, simhash_field: str, vocabulary: str | None = None
) -> IndexConfig:
    """Return the configuration that options name; the rest is what the index says."""
    config = IndexConfig(simhash_field=simhash_field, vocabulary=vocabulary)
    return config if text_field is None else replace(config, text_field=text_field)


passage_order_option = click.option(
    "--passage-order",
    type=click.Choice(["weight", "place"]),
    default="weight",
    show_default=True,
    help="Order of the shared passages: by how much they share, or by their place in the query.",
)

processes_option = click.option(
    "--processes",
    type=click.IntRange(1),
    default=available_processors,
    show_default="number of processors",
    help="Number of fingerprinting processes.",
)

max_docs_per_second_option = click.option(
    "--max-docs-per-second",
    type=click.FloatRange(0, min_open=True),
    show_default="unlimited",
    help="Maximum number of documents per second.",
)

failures_option = click.option(
    "--failures",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="INDEX.failures.jsonl in the working directory",
    help="JSONL file for the ids of failed documents, with the reasons.",
)

quiet_option = click.option(
    "--quiet", is_flag=True, help="Show no progress, only failures and the summary."
)
