"""`es-simhash tune`: suggestions for an index from a sample, and from labelled pairs."""

import shlex
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.connection_options import client_of, connection_options
from es_simhash.cli.options import (
    index_config,
    quiet_option,
    simhash_field_option,
    text_field_option,
)
from es_simhash.cli.output import format_option, print_json
from es_simhash.cli.overrides import note_overrides
from es_simhash.cli.problems import print_problems
from es_simhash.cli.progress import steps_progress
from es_simhash.cli.tune_output import print_tuning
from es_simhash.lab.tuning.tune import tune as tune_index
from es_simhash.lab.tuning.tuning_figures import MAX_SAMPLE, TuneOptions, Tuning
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.document_settings import configure


@click.command()
@click.argument("index")
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of labelled pairs of documents of INDEX, as `evaluate` reads and `label` writes it.",
)
@click.option(
    "--sample",
    type=click.IntRange(2, MAX_SAMPLE),
    default=TuneOptions.sample,
    show_default=True,
    help="Number of documents to draw at random.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=TuneOptions.seed,
    show_default=True,
    help="Seed of the sample.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Store the proposed threshold with INDEX, as `config --version-threshold` does.",
)
@format_option
@quiet_option
@text_field_option
@simhash_field_option
@connection_options
def tune(
    index: str,
    labels: Path | None,
    sample: int,
    seed: int,
    write: bool,
    output_format: str,
    quiet: bool,
    text_field: str | None,
    simhash_field: str,
    **connection: Any,
) -> None:
    """Suggest scheme, Hamming distance, blocks and threshold of versions for INDEX.

    Draws a sample, counts what searches examine, and compares what shares text. With --labels,
    another threshold is proposed only where it is clearly better on held-out pairs; the table shows
    what to expect of it. Without, the threshold changes only where scores have a clear gap.
    Nothing is stored without --write. The exit status is 1 when lines of the labels were left out.
    """
    config = index_config(text_field, simhash_field)
    with client_of(**connection) as client:
        note_overrides(client, index, config)
        with steps_progress(quiet=quiet) as progress:
            tuning = tune_index(
                client,
                index,
                labels=labels,
                options=TuneOptions(sample, seed),
                config=config,
                progress=progress,
            )
        if write and tuning.settings:
            configure(client, index, tuning.settings, simhash_field=simhash_field)
    print_problems(tuning.problems)
    if output_format == "json":
        print_json({**tuning.to_dict(), "written": write and bool(tuning.settings)})
    else:
        print_tuning(tuning)
        click.echo(_stored_line(tuning, simhash_field, write=write))
    if tuning.problems:
        raise SystemExit(1)


def _stored_line(tuning: Tuning, simhash_field: str, *, write: bool) -> str:
    """Return what was stored and what to run now, or how to store it."""
    if not tuning.settings:
        return "Nothing to store: the threshold stays."
    index, present = shlex.quote(tuning.index), tuning.threshold.present
    value = tuning.settings["version_threshold"]
    field = "" if simhash_field == DEFAULT_FIELD else f" --simhash-field {simhash_field}"
    if not write:
        return f"Nothing is stored. Store it with `{_config(index, value)}{field}`."
    before = None if present == VERSION_SCORE else present
    return (
        f"Stored. Families, and what was decided about versions, are still those of {present:g}: "
        f"run `es-simhash families {index}` or a sweep again; decisions in an audit log stay until "
        "`es-simhash undo`, and a service that runs reads the threshold when it is started again. "
        f"The way back is `{_config(index, before)}{field}`."
    )


def _config(index: str, threshold: float | None) -> str:
    """Return the command that stores a threshold; None for the default."""
    change = "--unset version_threshold"
    if threshold is not None:
        change = f"--version-threshold {threshold:g}"
    return f"es-simhash config {index} {change}"
