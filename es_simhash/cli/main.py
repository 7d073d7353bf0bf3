"""The `es-simhash` command and its exit status."""

import signal
import sys
from types import FrameType

import click

from es_simhash.cli.groups import LazyGroup

COMMANDS = {
    "backfill": "es_simhash.cli.backfill_command",
    "blame": "es_simhash.cli.changes_command",
    "changes": "es_simhash.cli.changes_command",
    "compare": "es_simhash.cli.compare_command",
    "concepts": "es_simhash.cli.concepts_command",
    "config": "es_simhash.cli.config_command",
    "copies": "es_simhash.cli.copies_command",
    "demo": "es_simhash.cli.demo_command",
    "dismiss": "es_simhash.cli.families_command",
    "doctor": "es_simhash.cli.status_command",
    "evaluate": "es_simhash.cli.evaluate_command",
    "explain": "es_simhash.cli.changes_command",
    "family": "es_simhash.cli.family_command",
    "families": "es_simhash.cli.families_command",
    "fingerprint": "es_simhash.cli.fingerprint_command",
    "ingest": "es_simhash.cli.ingest_command",
    "install": "es_simhash.cli.install_command",
    "label": "es_simhash.cli.label_command",
    "pipeline": "es_simhash.cli.install_command",
    "related": "es_simhash.cli.related_command",
    "report": "es_simhash.cli.report_command",
    "same": "es_simhash.cli.families_command",
    "selftest": "es_simhash.cli.status_command",
    "serve": "es_simhash.cli.serve_command",
    "status": "es_simhash.cli.status_command",
    "sweep": "es_simhash.cli.sweep_command",
    "tune": "es_simhash.cli.tune_command",
    "undo": "es_simhash.cli.undo_command",
}


@click.group(
    cls=LazyGroup, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="es-simhash")
def cli() -> None:
    """Find versions, copied passages and semantic neighbours in your Elasticsearch index."""


def main() -> None:
    """Run the command line; an error is one message on standard error and a non-zero status."""
    # SIGINT stays ignored where it is, as under nohup and in services.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    finally:
        if signal.getsignal(signal.SIGINT) is _interrupt_once:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt_once(signum: int, frame: FrameType | None) -> None:
    """End the command at the first Ctrl-C, and ignore any other until the process has exited.

    Another would break off the end of the threads and processes, and the exit would wait for them.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
