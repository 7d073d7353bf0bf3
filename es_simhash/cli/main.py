"""The `es-simhash` command: its groups and commands, and its exit status.

A new command is a file in `cli/` and a line here; a test compares the line with what the command
says of itself.
"""

import errno
import sys
from typing import NoReturn

import click

from es_simhash.cli.groups import Entry, LazyGroup, group_of, pointing_to_config
from es_simhash.cli.interrupts import interrupted_once
from es_simhash.cli.log_lines import logging_options
from es_simhash.store.elasticsearch.client import expect_command

_FAMILIES = group_of(
    "families",
    "Find the families of versions in an index, show them, and correct them.",
    run=Entry("families_command.run_families", "Group the documents of INDEX that are versions."),
    list=Entry("families_command.list_families", "List the families that are stored in INDEX."),
    show=Entry("family_command.show_family", "Show the version family of document ID of INDEX."),
    same=Entry("families_command", "Record that the documents IDS are versions."),
    dismiss=Entry("families_command", "Record that documents A and B are not versions."),
    decisions=Entry("families_command", "List what was decided about pairs of documents of INDEX."),
)
_FILES = group_of(
    "files",
    "Compare and inspect files, without a cluster.",
    compare=Entry(
        "compare_command", "Compare file A with file B and show what they share, or what changed."
    ),
    fingerprint=Entry("fingerprint_command", "Print the fingerprints of FILE."),
    concepts=Entry("concepts_command", "Show the entities, concepts and key phrases of FILE."),
)
_LAB = group_of(
    "lab",
    "Label pairs of documents, measure methods on them, and tune an index.",
    label=Entry("label_command", "Label pairs of documents of INDEX, the most useful first."),
    evaluate=Entry(
        "evaluate_command",
        "Measure how well methods separate the versions in PAIRS from other pairs.",
    ),
    tune=Entry(
        "tune_command",
        "Suggest scheme, Hamming distance, blocks and threshold of versions for INDEX.",
    ),
)
_SECTIONS = {
    "Set up": {
        "connection": Entry(
            "connection_command",
            "Show how the cluster is reached, from where each value is, and whether it answers.",
        ),
        "plan": Entry(
            "plan_command",
            "Predict what an index of so many documents will cost, and advise what to choose.",
        ),
        "install": Entry("install_command", "Add the `simhash.*` fields to INDEX."),
        "config": Entry("config_command", "Show or set how the documents of INDEX look."),
        "ingest": Entry("ingest_command", "Write documents with their fingerprints into INDEX."),
        "backfill": Entry("backfill_command", "Fingerprint the documents INDEX already has."),
        "pipeline": Entry("install_command", "Print or install the ingest pipeline."),
    },
    "Find": {
        "related": Entry("related_command", "Find documents related to a document or a text."),
        "explain": Entry("changes_command", "Explain how documents A and B of INDEX are related."),
        "changes": Entry(
            "changes_command", "Show what changed from document A to document B of INDEX."
        ),
        "blame": Entry(
            "changes_command",
            "Show since when each sentence of document ID of INDEX has been there.",
        ),
        "copies": Entry(
            "copies_command",
            "Find which documents of INDEX share passages with those of other owners or families.",
        ),
        "families": _FAMILIES,
        "pairs": Entry(
            "pairs_command",
            "Print each pair of documents of INDEX that are versions of each other.",
        ),
    },
    "Operate": {
        "status": Entry("status_command", "Report the coverage of INDEX by scheme."),
        "doctor": Entry("doctor_command", "Find problems of INDEX and their fixes."),
        "background": Entry("background_command", "Count how common words and names are in INDEX."),
        "sweep": Entry("sweep_command", "Process what was written since the last sweep."),
        "undo": Entry("undo_command", "Restore what --on-version skipped or replaced."),
        "upgrade": Entry(
            "upgrade_command",
            "Bring INDEX to the fields and the scheme of this version while it is in use.",
        ),
        "uninstall": Entry(
            "uninstall_command", "Remove what was put into INDEX and say what cannot be removed."
        ),
        "report": Entry(
            "report_command",
            "Write how much of INDEX is versions, copies and unique as one HTML file.",
        ),
        "serve": Entry("serve_command", "Serve the documents related to those of INDEX over HTTP."),
        "warm": Entry(
            "warm_command",
            "Ask a running service for the documents most read, so that it keeps them.",
        ),
    },
    "Try and measure": {
        "demo": Entry(
            "demo_command",
            "Ingest a corpus and show how many relations it has, with an example of each kind.",
        ),
        "lab": _LAB,
    },
    "Without a cluster": {
        "files": _FILES,
        "selftest": Entry("selftest_command", "Check the conformance vectors."),
    },
}

# What only a write ends with.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@click.group(
    cls=LazyGroup,
    sections=_SECTIONS,
    params=logging_options(hidden=False),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="es-simhash")
def cli(**_: object) -> None:
    """Find versions, copied passages and semantic neighbours in your Elasticsearch index."""


def main() -> None:
    """Run the command line; an error is one message on standard error and a non-zero status."""
    expect_command()
    with interrupted_once():
        try:
            cli(standalone_mode=False)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            sys.exit(130)
        except click.ClickException as error:
            pointing_to_config(error).show()
            sys.exit(error.exit_code)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            _end(f"Cannot write any more ({error.strerror}). Make room, or write elsewhere.")
        except UnicodeEncodeError as error:
            _end(_not_encodable(error))


def _end(message: str) -> NoReturn:
    """End with an error, also where standard output takes nothing any more."""
    click.echo(f"Error: {message}", err=True)
    sys.exit(1)


def _not_encodable(error: UnicodeEncodeError) -> str:
    character = error.object[error.start]
    fix = "Set PYTHONIOENCODING=utf-8."
    if "\ud800" <= character <= "\udfff":
        # Half of a pair, which no encoding has.
        fix = "Correct the name or the document that has it."
    return f"{error.encoding} has no character {character!r}. {fix}"
