"""Groups of commands: commands are imported when called, errors end as one message."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from es_simhash.cli.examples import EXAMPLES
from es_simhash.described import Parameter
from es_simhash.errors import ClusterError, EsSimhashError, nearest_name
from es_simhash.text.escaping import one_line

# Parameters of the library that no option is described as: name -> name of the option.
_ALIASES = {
    "field": "simhash_field",
    "filter": "filters",
    "id": "ids",
    "semantics": "with_semantics",
}

# Commands of a group whose roles have other names, and options with which a command needs more.
_ROLES = {
    "run": "families",
    "show": "family",
    "list": "family",
    "decisions": "families-decisions",
}
_WITH_MORE = {"ingest": "--on-version", "backfill": "--sidecar"}

# From here on another command may have been meant: many share that many letters by chance.
_ALIKE = 0.7
# In the words of OpenSearch.
_OPENSEARCH = "no permissions for ["


def option_of(command: click.Command, parameter: str) -> str | None:
    """Return the option of a command that sets a parameter of the library.

    Args:
        command: The command that was run.
        parameter: The name of the parameter in Python.

    Returns:
        The option as it is typed, such as `--text-field`, or None when the command has none for it.
    """
    options: dict[str | None, str] = {}
    for option in command.params:
        if isinstance(option, click.Option):
            options |= dict.fromkeys((option.name, _parameter_of(option)), option.opts[0])
    return options.get(parameter, options.get(_ALIASES.get(parameter)))


def _parameter_of(option: click.Option) -> str | None:
    """Return the parameter of the library that an option sets."""
    described: Parameter | None = getattr(option, "described", None)
    return option.name if described is None else described.name


def error_message(error: EsSimhashError, command: click.Command) -> str:
    """Return the message of an error, with the option in place of the parameter.

    `min_score must be ...` becomes `--min-score must be ...`. Any other message ends with
    `Set --text-field.`, in place of `Set text_field.` where it has that. A command without such an
    option names none.
    """
    message, parameter = one_line(str(error)), error.parameter
    if parameter is None:
        return message
    option = option_of(command, parameter)
    if message.startswith(f"{parameter} "):
        return message.replace(parameter, option or parameter, 1)
    message = message.removesuffix(f" Set {parameter}.")
    return message if option is None else f"{message} Set {option}."


def is_for_want_of_a_privilege(error: EsSimhashError) -> bool:
    """Check whether an error says that a privilege is missing, and not that an index is blocked."""
    # Errors of ours have no type of the engine's; a block has another.
    is_blocked = getattr(error, "kind", "") not in ("", "security_exception")
    return isinstance(error, ClusterError) and not is_blocked and "privilege" in str(error)


def role_file(command: str, arguments: Sequence[str]) -> str | None:
    """Return the name of the file with the smallest role of a command; None without one.

    Args:
        command: Name of the command.
        arguments: As they were typed behind it.
    """
    from es_simhash.store.resources import load

    name = _ROLES.get(command, command)
    option = _WITH_MORE.get(name)
    if option and any(each.partition("=")[0] == option for each in arguments):
        name += option[1:]
    try:
        load("mappings", f"roles/{name}.json")
    except FileNotFoundError:
        return None
    return f"{name}.json"


class CommandGroup(click.Group):
    """A group that turns the errors of this package into errors of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command.

        Raises:
            ClickException: The command failed with an error of this package; exit status 1.
        """
        arguments = list(ctx.args)
        try:
            return super().invoke(ctx)
        except EsSimhashError as error:
            name = ctx.invoked_subcommand or ""
            command = self.get_command(ctx, name) or self
            message = error_message(error, command)
            if is_for_want_of_a_privilege(error) and (role := role_file(name, arguments)):
                folder = "opensearch/" if _OPENSEARCH in message else ""
                message += f" The role of this command is the file mappings/roles/{folder}{role}."
            raise click.ClickException(message) from error


@dataclass(frozen=True)
class Entry:
    """A command that is imported when it is called.

    Attributes:
        place: Module of this package that defines it under its own name, or `module.name`.
        help: The first sentence of its help, for the list of commands.
    """

    place: str
    help: str

    def load(self, name: str) -> click.Command:
        """Import and return the command of this name."""
        module, _, attribute = self.place.partition(".")
        try:
            imported = importlib.import_module(f"es_simhash.cli.{module}")
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("es_simhash.lab"):
                raise
            return _left_out(name)
        command = getattr(imported, attribute or name)
        assert isinstance(command, click.Command)
        return command


Sections = Mapping[str, Mapping[str, "Entry | LazyGroup"]]


class LazyGroup(CommandGroup):
    """A group whose commands are imported when they are called.

    So help, and commands that need none, import no Elasticsearch client.

    Args:
        sections: The commands by name, by the heading that help lists them under.
    """

    def __init__(self, *args: Any, sections: Sections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.entries = {
            name: entry for section in sections.values() for name, entry in section.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of help."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None when there is no such name."""
        entry = self.entries.get(cmd_name)
        if not isinstance(entry, Entry):
            return entry
        command = entry.load(cmd_name)
        group = ctx.command_path.removeprefix(ctx.find_root().command_path)
        if (example := EXAMPLES.get(f"{group} {cmd_name}".strip())) is not None:
            # As it stands, so that it can be copied.
            command.epilog = f"\b\nExample:\n  es-simhash {example}"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section, without importing them."""
        width = max(map(len, self.entries))
        for heading, section in self.sections.items():
            rows = [(name.ljust(width), entry.help or "") for name, entry in section.items()]
            with formatter.section(heading or "Commands"):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name.

        Raises:
            UsageError: There is none; the message suggests the one that was probably meant.
        """
        if args[0] not in self.entries and not args[0].startswith("-"):
            raise click.UsageError(_unknown_command(args[0], ctx), ctx)
        return super().resolve_command(ctx, args)

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yield the names that lead to each command of this group and of those within it."""
        for name, entry in self.entries.items():
            yield (name,)
            if isinstance(entry, LazyGroup):
                yield from ((name, *rest) for rest in entry.paths())


def group_of(name: str, help: str, **entries: Entry) -> LazyGroup:
    """Return a group of commands under one heading."""
    return LazyGroup(name, help=help, sections={"": entries})


def _unknown_command(name: str, ctx: click.Context) -> str:
    """Return that there is no such command, and the one of any group that is called like it."""
    message = f"No such command {name!r}."
    root = ctx.find_root()
    assert isinstance(root.command, LazyGroup)
    group = ctx.command_path.removeprefix(root.command_path).split()
    paths = [" ".join(path) for path in root.command.paths()]
    here = [path for path in paths if path.split()[:-1] == group]
    for among in (here, paths):
        names = {path.split()[-1]: path for path in reversed(among)}
        if near := nearest_name(name, names, _ALIKE):
            return f"{message} Did you mean `{root.info_name} {names[near]}`?"
    return f"{message} `{ctx.command_path} --help` lists them."


def pointing_to_config(error: click.ClickException) -> click.ClickException:
    """Return an error; that of a missing option names `config`, where it stores what was meant."""
    if not isinstance(error, click.NoSuchOption):
        return error
    from es_simhash.described import parameters
    from es_simhash.store.config import DocumentSettings

    known = {each.called.replace("_", "-") for each in parameters(DocumentSettings).values()}
    name = error.option_name
    if name.removeprefix("--") not in known:
        return error
    stores = f"`es-simhash config INDEX {name} …` stores it for all commands."
    return click.UsageError(f"No such option {name!r}. {stores}", error.ctx)


def _left_out(name: str) -> click.Command:
    """Return a command in place of one of the lab, which this installation does not have."""
    from es_simhash.store.indexed_methods import require_lab

    return click.Command(
        name,
        callback=require_lab,
        help="Not part of this installation; running it names the command that installs it.",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
