"""Help of commands: all that is said of the options, where a screen holds it, else a line of each.

A longer one has the common options first and the others under the headings of their groups, as
`constraints(group=…)` names them where an option or an option class is declared; `--help-all` says
the rest.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import click

from es_simhash.described import Parameter

# Lines of a screen.
SCREEN = 50
# The options of a connection, and the command that describes them.
CONNECTION_GROUP, _DESCRIBING = "Connection", "connection"
# Groups of which help in short lists the names: what few need, or `config` and profiles store.
_FOLDED = ("Fields", "Connection")
_COMMON, _OUTPUT = "Options", "Output"
# Cells of the names in short help; longer ones have a line of their own.
_NAMES, _GAP = 26, 2
_DEFAULT = re.compile(r"\[default: ([^;()\[\]]+)[;\]]")
# Where an entry can be cut, what is kept longest first.
_ENDS = (re.compile(r"\. "), re.compile(r"[;:] "))

Record = tuple[str, str]


class DescribedOption(click.Option):
    """An option made of a parameter that is described.

    Attributes:
        described: The parameter.
    """

    def __init__(self, *args: Any, described: Parameter, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.described = described


class DescribedCommand(click.Command):
    """A command whose help fits a screen, with `--help-all` for the rest."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                hidden=True,
                callback=_print_all,
                help="Show all that is said of each option, and exit.",
            )
        )

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, in short where all of it is longer than a screen."""
        whole = super().get_help(ctx)
        return whole if len(whole.splitlines()) <= SCREEN else _grouped(self, ctx, is_short=True)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all that is said of the command."""
        _write_text(formatter, (self.help or "").replace("\f", ""))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of the connection as a line where another command has them."""
        folds = self.name != _DESCRIBING
        options = list(_options(self, ctx))
        shared = [each for each in options if folds and _group(each) == CONNECTION_GROUP]
        with formatter.section(_COMMON):
            formatter.write_dl([_record(each, ctx) for each in options if each not in shared])
        if shared:
            describing = f"`es-simhash {_DESCRIBING} -h` describes them"
            with formatter.section(CONNECTION_GROUP):
                formatter.write_text(f"{_names(shared)}: {describing}.")


def _print_all(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(_grouped(ctx.command, ctx, is_short=False))
        ctx.exit()


def _grouped(command: click.Command, ctx: click.Context, *, is_short: bool) -> str:
    """Return the help with the options in groups.

    Args:
        command: The command.
        ctx: Its context.
        is_short: Whether each option has a line, and the text ends at its form feed.
    """
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    first, _, rest = (command.help or "").partition("\f")
    _write_text(formatter, first if is_short else first + rest)
    groups = _groups(command, ctx)
    for name, within in groups.items():
        if is_short and name not in _FOLDED:
            with formatter.section(name):
                width = formatter.width - _NAMES - 2 * _GAP
                formatter.write_dl(
                    [_short_record(each, ctx, width) for each in within], col_max=_NAMES
                )
        elif not is_short:
            with formatter.section(name):
                formatter.write_dl([_record(each, ctx) for each in within])
    if is_short:
        folded = [each for name in _FOLDED for each in groups.get(name, [])]
        with formatter.section("More"):
            listed = f"{_names(folded)}: " if folded else ""
            formatter.write_text(f"{listed}`--help-all` describes all options.")
    command.format_epilog(ctx, formatter)
    return formatter.getvalue().rstrip("\n")


def _groups(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """Return the options by their headings: the common ones first, and last what few need."""
    groups: dict[str, list[click.Option]] = {_COMMON: []}
    for option in _options(command, ctx):
        groups.setdefault(_group(option), []).append(option)
    for name in (_OUTPUT, *_FOLDED):
        if name in groups:
            groups[name] = groups.pop(name)
    return groups


def _options(command: click.Command, ctx: click.Context) -> Iterator[click.Option]:
    """Yield the options that help lists."""
    for option in command.get_params(ctx):
        if isinstance(option, click.Option) and not option.hidden:
            yield option


def _group(option: click.Option) -> str:
    described = option.described.group if isinstance(option, DescribedOption) else ""
    return described or _COMMON


def _names(options: Sequence[click.Option]) -> str:
    return ", ".join(option.opts[-1] for option in options)


def _record(option: click.Option, ctx: click.Context) -> Record:
    record = option.get_help_record(ctx)
    assert record is not None, option.name
    return record


def _short_record(option: click.Option, ctx: click.Context, width: int) -> Record:
    """Return the names of an option, and as much of its help as a line holds."""
    names, whole = _record(option, ctx)
    names = names.replace("WHOLE NUMBER", "NUMBER")
    choices = ""
    if isinstance(option.type, click.Choice) and len(names) > _NAMES:
        # A line of its own would say no more.
        names = names.partition(" [")[0] + " VALUE"
        choices = ": " + ", ".join(map(str, option.type.choices))
    default = _DEFAULT.search(whole)
    ending = f"  [default: {default[1]}]" if default else ""
    lines = [whole] if not choices else []
    for text in _cuts(option.help or ""):
        text = text.rstrip(".") + choices if choices else text
        lines += [text + ending, text]
    return names.ljust(_NAMES), next((each for each in lines if len(each) <= width), lines[-1])


def _cuts(text: str) -> Iterator[str]:
    """Yield what is said of an option, then less and less of it, each as a sentence."""
    yield text
    for end in _ENDS:
        text = end.split(text)[0].rstrip(".") + "."
        yield text


def _write_text(formatter: click.HelpFormatter, text: str) -> None:
    if text.strip():
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.strip("\n "))
