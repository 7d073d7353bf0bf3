"""Every command says what it does and names every option."""

import ast
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import click
import pytest
from click.testing import CliRunner

from es_simhash.cli.examples import EXAMPLES
from es_simhash.cli.main import cli

COMMANDS = {"backfill", "background", "blame", "changes", "config", "connection", "copies", "demo",
            "doctor", "explain", "families decisions", "families dismiss", "families list",
            "families run", "families same", "families show", "files compare", "files concepts",
            "files fingerprint", "ingest", "install", "lab evaluate", "lab label", "lab tune",
            "pairs", "pipeline", "plan", "related", "report", "selftest", "serve", "status",
            "sweep", "undo", "uninstall", "upgrade", "warm"}  # fmt: skip


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
    commands = {path for path, command in ALL.items() if not isinstance(command, click.Group)}
    assert {" ".join(path) for path in commands} == COMMANDS


@pytest.mark.parametrize("group", [(), ("families",), ("files",), ("lab",)], ids=" ".join)
def test_a_group_lists_its_commands_with_their_first_sentence(group: tuple[str, ...]) -> None:
    listed = " ".join(CliRunner().invoke(cli, [*group, "--help"]).output.split())
    for path, command in ALL.items():
        if path and path[:-1] == group:
            [sentence, *_] = (command.help or "").split("\n\n")
            assert f" {path[-1]} {' '.join(sentence.split())}" in listed


def test_help_lists_commands_by_what_they_are_for() -> None:
    lines = CliRunner().invoke(cli, ["--help"]).output.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Options:", "Set up:", "Find:", "Operate:", "Try and measure:", "Without a cluster:",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("relate", "related"),
        ("dismiss", "families dismiss"),
        ("family", "families"),
        ("fingerprnt", "files fingerprint"),
        ("families show-all", None),
        ("families runs", "families run"),
        ("families related", "related"),
        ("evaluate", "lab evaluate"),
        ("xyzzy", None),
    ],
)
def test_a_misspelt_command_is_suggested(typed: str, meant: str | None) -> None:
    result = CliRunner().invoke(cli, typed.split(), prog_name="es-simhash")
    assert result.exit_code == 2
    assert f"No such command {typed.split()[-1]!r}." in result.stderr
    if meant is None:
        assert "--help` lists them" in result.stderr
    else:
        assert f"Did you mean `es-simhash {meant}`?" in " ".join(result.stderr.split())


def test_a_misspelt_option_is_suggested() -> None:
    result = CliRunner().invoke(cli, ["related", "articles", "--min-scor", "1"])
    assert "'--min-score'" in result.stderr


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
                # What few need is listed by one command, which help of the others names, and
                # what all have before the commands.
                elsewhere = _help_of(("connection",)) + _help_of(()) + _help_of(("related",))
                listed = elsewhere if parameter.hidden else result.output
                assert name in listed
        else:
            assert (parameter.metavar or parameter.name or "").upper() in result.output


@pytest.mark.parametrize("path", [tuple(name.split()) for name in sorted(COMMANDS)], ids=" ".join)
def test_help_ends_with_an_example_whose_options_are_there(path: tuple[str, ...]) -> None:
    assert set(EXAMPLES) == COMMANDS
    printed = _help_of(path).rstrip().splitlines()
    assert printed[-2].strip() == "Example:"
    # One line, to be copied.
    typed = shlex.split(printed[-1].partition(">")[0])
    assert typed[: 1 + len(path)] == ["es-simhash", *path]
    context = click.Context(ALL[path], info_name=path[-1])
    # An option that is none, or one without its value, is an error here.
    ALL[path].make_parser(context).parse_args(typed[1 + len(path) :])


@cache
def _help_of(path: tuple[str, ...]) -> str:
    return CliRunner().invoke(cli, [*path, "--help"]).output


@pytest.mark.parametrize("path", [tuple(name.split()) for name in sorted(COMMANDS)], ids=" ".join)
def test_help_fits_a_screen_and_one_flag_shows_all_that_is_said(path: tuple[str, ...]) -> None:
    assert len(_help_of(path).splitlines()) <= 50
    whole = CliRunner().invoke(cli, [*path, "--help-all"], prog_name="es-simhash")
    assert whole.exit_code == 0
    shown = _one_line(whole.output)
    for paragraph in (ALL[path].help or "").split("\n\n"):
        assert _one_line(paragraph.strip("\b\f\n ")) in shown
    for option in ALL[path].params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.opts[0] in whole.output
            assert _one_line(option.help or "") in shown


def _one_line(text: str) -> str:
    # A line ends behind a hyphen as well.
    return "".join(text.split())


def test_a_long_help_has_the_common_options_first_and_the_others_in_groups() -> None:
    shown = _help_of(("related",))
    headings = [line for line in shown.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Options:", "Filters:", "Ranking and limits:", "Output:", "More:"]
    common, filters, *_ = shown.partition("Options:")[2].split("\n\n")
    assert all(name in common for name in ("--id ", "--kind ", "--size "))
    assert "--exclude" in filters
    assert "--id " not in filters
    # An option has one line here, and all that is said of it in the other help.
    [line] = [line for line in shown.splitlines() if "--recency-half-life" in line]
    assert line.endswith("Age at which the weight of the date is halved.")
    assert "[default: 30.0; x>0]" in CliRunner().invoke(cli, ["related", "--help-all"]).output


def test_a_short_help_says_all_of_each_option() -> None:
    shown = _help_of(("explain",))
    assert "More:" not in shown
    assert "Order of the shared passages: by how much they share" in " ".join(shown.split())


def test_an_unknown_command_or_option_is_named() -> None:
    for arguments in (["relate"], ["related", "a", "--ids", "1"]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 2
        assert arguments[-2 if len(arguments) > 1 else 0] in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["families", "--help"], ["related", "--help"], ["report", "--help"]],
    ids=" ".join,
)
def test_help_imports_nothing_that_takes_long(arguments: list[str]) -> None:
    assert (
        imported([arguments], "elasticsearch", "elastic_transport", "rich", "numpy", "jinja2") == []
    )


@pytest.mark.long
def test_help_of_no_command_imports_the_client() -> None:
    lines = [[*path, "--help"] for path in ALL]
    assert imported(lines, "elasticsearch", "elastic_transport") == []


def imported(lines: list[list[str]], *modules: str) -> list[str]:
    """Return which of some modules commands import."""
    code = (
        "import sys; from es_simhash.cli.main import cli\n"
        f"for line in {lines!r}: cli(line, standalone_mode=False)\n"
        f"print([name for name in {modules!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: list[str] = ast.literal_eval(done.stderr)
    return found


def test_commands_and_options_are_completed_in_a_shell() -> None:
    for typed, place, found in (
        ("es-simhash rel", 1, "related"),
        ("es-simhash related --min", 2, "--min-score"),
    ):
        environment = {
            **os.environ,
            "_ES_SIMHASH_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(place),
        }
        code = "import sys; sys.argv = ['es-simhash']; from es_simhash.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == [f"plain,{found}"]
