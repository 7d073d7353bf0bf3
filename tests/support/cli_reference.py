"""The reference of the command line, docs/cli.md, made of what `--help` of every command says.

`make docs` writes the page, and a test compares it with the commands.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from es_simhash.cli.main import cli

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
_INTRODUCTION = """# Command line

Made by `make docs` of what `es-simhash COMMAND --help-all` says. Commands that talk to a cluster
read its address from `--url`, `ELASTICSEARCH_URL` or a profile, else `http://localhost:9200`
([connections.md](connections.md)); `connection` lists all options of it. With `-v`
every command logs retries, waits and conflicts to standard error, with `-vv` requests as well, as
text or with `--log-format json`. An error is one
message on standard error, with an exit status other than 0.
"""


def reference() -> str:
    """Return the page."""
    root = click.Context(cli, info_name="es-simhash")
    entries = [entry for name in cli.list_commands(root) for entry in _entries(root, name)]
    return "\n".join([_INTRODUCTION, *entries]).rstrip() + "\n"


def _entries(parent: click.Context, name: str) -> Iterator[str]:
    """Yield the section of a command, and those of its subcommands."""
    assert isinstance(parent.command, click.Group)
    command = parent.command.get_command(parent, name)
    assert command is not None, name
    context = click.Context(command, info_name=name, parent=parent)
    level = "#" * len(context.command_path.split())
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [
        f"{level} {context.command_path.removeprefix('es-simhash ')}",
        f"```text\n{usage}\n```",
        _paragraphs(command.help or ""),
        _options(command, context),
        _example(command),
    ]
    yield "\n\n".join(part for part in parts if part) + "\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _entries(context, below)


def _paragraphs(text: str) -> str:
    """Return the text of the help; what click keeps as it stands is a block of text."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\f", "").strip()):
        if paragraph.startswith("\b"):
            found.append("```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```")
        else:
            found.append(_plain(paragraph))
    return "\n\n".join(found)


def _example(command: click.Command) -> str:
    """Return the example of the help; groups have none."""
    example = (command.epilog or "").partition("Example:\n")[2].strip()
    return f"Example: `{example}`" if example else ""


def _options(command: click.Command, context: click.Context) -> str:
    records = [param.get_help_record(context) for param in command.get_params(context)]
    rows = [
        f"| `{_cell(names)}` | {_cell(_plain(help))} |"
        for names, help in filter(None, records)
        if names.startswith("-") and "--help" not in names
    ]
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows]) if rows else ""


def _plain(text: str) -> str:
    """Return a text that Markdown shows letter for letter, its backticks kept."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [re.sub(r"([\\*<>\[\]#])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), "utf-8")
