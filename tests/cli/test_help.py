"""Every command says what it does and names every option."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from es_simhash.cli.main import COMMANDS, cli

COMMAND_NAMES = {"backfill", "blame", "changes", "compare", "concepts", "config", "copies",
                 "demo", "dismiss", "doctor", "evaluate", "explain", "families", "family",
                 "fingerprint", "ingest", "install", "label", "pipeline", "related",
                 "report", "same", "selftest", "serve", "status", "sweep", "tune",
                 "undo"}  # fmt: skip


def walk(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from walk(inner, *path, name)


ALL = dict(walk(cli))


def test_these_commands_are_there() -> None:
    assert set(COMMANDS) == COMMAND_NAMES
    assert {path[0] for path in ALL if path} == COMMAND_NAMES
    assert max(map(len, ALL)) == 1


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_says_what_the_command_does_and_names_every_option(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, [*path, "--help"])
    assert result.exit_code == 0
    first = (ALL[path].help or "").split("\n")[0]
    assert first
    assert first in " ".join(result.output.split())
    for parameter in ALL[path].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            for name in (*parameter.opts, *parameter.secondary_opts):
                assert name in result.output
        else:
            assert (parameter.metavar or parameter.name or "").upper() in result.output


def test_an_unknown_command_or_option_is_named() -> None:
    for arguments in (["relate"], ["related", "a", "--ids", "1"]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 2
        assert arguments[-2 if len(arguments) > 1 else 0] in result.stderr


def test_help_imports_no_client() -> None:
    code = (
        "import sys; from es_simhash.cli.main import cli;"
        "cli(['fingerprint', '--help'], standalone_mode=False);"
        "assert not {'elasticsearch', 'elastic_transport'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
