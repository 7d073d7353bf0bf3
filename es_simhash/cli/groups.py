"""Groups of commands: commands are imported when called, errors end as one message."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from es_simhash.errors import EsSimhashError
from es_simhash.text.escaping import one_line

# Parameters of the library that no click parameter is named like: name -> click parameters.
# Where a command has several of them, the first counts.
_ALIASES = {
    "action": ("on_version",),
    "field": ("simhash_field",),
    "filter": ("filter_",),
    "filters": ("filter_",),
    "id": ("ids",),
    "kinds": ("version_kinds",),
    "min_score": ("version_score",),
    "semantics": ("with_semantics",),
    "weight": ("recency_weight",),
}


def option_of(command: click.Command, parameter: str) -> str | None:
    """Return the option of a command that sets a parameter of the library.

    Args:
        command: The command that was run.
        parameter: The name of the parameter in Python.

    Returns:
        The option as it is typed, such as `--field`, or None when the command has none for it.
    """
    options = {
        option.name: option.opts[0] for option in command.params if isinstance(option, click.Option)
    }
    names = (parameter, *_ALIASES.get(parameter, ()))
    return next((options[name] for name in names if name in options), None)


def error_message(error: EsSimhashError, command: click.Command) -> str:
    """Return the message of an error, with the option in place of the parameter.

    `min_score must be ...` becomes `--min-score must be ...`. Any other message ends with
    `Set --field.`, in place of `Set text_field.` where it has that. A command without such an
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


class CommandGroup(click.Group):
    """A group that turns the errors of this package into errors of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command.

        Raises:
            ClickException: The command failed with an error of this package; exit status 1.
        """
        try:
            return super().invoke(ctx)
        except EsSimhashError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "") or self
            raise click.ClickException(error_message(error, command)) from error


class LazyGroup(CommandGroup):
    """A group whose commands are imported when they are called.

    So `es-simhash fingerprint` starts without importing the Elasticsearch client.

    Args:
        modules: The name of each command and the module that defines it under the same name.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None when there is no such name."""
        module = self.modules.get(cmd_name)
        if module is None:
            return None
        try:
            command: Any = getattr(importlib.import_module(module), cmd_name.replace("-", "_"))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("es_simhash.lab"):
                raise
            return _left_out(cmd_name)
        assert isinstance(command, click.Command)
        return command


def _left_out(name: str) -> click.Command:
    """Return a command in place of one of the lab, which this installation does not have."""
    from es_simhash.store.indexed_methods import require_lab

    return click.Command(
        name,
        callback=require_lab,
        help="Not part of this installation; running it names the command that installs it.",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
