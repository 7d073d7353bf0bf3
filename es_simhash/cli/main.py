"""The `es-simhash` command: its group, and how errors end."""

import importlib
import sys
from typing import Any

import click

from es_simhash.errors import EsSimhashError

# Command name -> module that defines it under the same attribute; loaded when called, so that
# `es-simhash fingerprint` starts without importing the Elasticsearch client.
COMMANDS = {
    "demo": "es_simhash.cli.demo_command",
    "backfill": "es_simhash.cli.backfill_command",
    "doctor": "es_simhash.cli.doctor_command",
    "status": "es_simhash.cli.status_command",
    "dismiss": "es_simhash.cli.dismiss_command",
    "families": "es_simhash.cli.families_command",
    "pipeline": "es_simhash.cli.pipeline_command",
    "concepts": "es_simhash.cli.concepts_command",
    "explain": "es_simhash.cli.explain_command",
    "compare": "es_simhash.cli.compare_command",
    "install": "es_simhash.cli.install_command",
    "related": "es_simhash.cli.related_command",
    "fingerprint": "es_simhash.cli.fingerprint_command",
    "selftest": "es_simhash.cli.selftest_command",
    "ingest": "es_simhash.cli.ingest_command",
    "node": "es_simhash.cli.node_command",
    "sweep": "es_simhash.cli.sweep_command",
    "undo": "es_simhash.cli.undo_command",
}
# Parameters whose option has another name.
_OPTIONS = {"text_field": "field"}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None when there is no such name."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: Any = getattr(importlib.import_module(module), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="es-simhash")
def cli() -> None:
    """Find versions, copied passages and semantic neighbours in your Elasticsearch index."""


def _sentence(error: EsSimhashError) -> str:
    """Return the message with the option that the way out is about."""
    if error.parameter is None:
        return str(error)
    option = "--" + _OPTIONS.get(error.parameter, error.parameter).replace("_", "-")
    return f"{str(error).removesuffix('.')} ({option})."


def main() -> None:
    """Run the command line; an expected error is one sentence on stderr and exit status 1."""
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EsSimhashError as error:
        # Imported late, as rich is slow to import. What a server answers must not steer a terminal.
        from es_simhash.cli.showing import printable

        click.echo(f"Error: {printable(_sentence(error))}", err=True)
        sys.exit(1)
