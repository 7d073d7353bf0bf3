"""Commands made of functions, whose options are those that they and their option classes describe.

A parameter with a default, after `*`, is an option: its type, its default, and its entry under
"Args:" are all that there is to say of it. One of an option class stands for all options that the
class describes. Parameters before `*` are arguments; of an option class there, the options come
last in help.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any

import click

from es_simhash.cli.files import parse_query
from es_simhash.cli.help import DescribedCommand, DescribedOption
from es_simhash.cli.log_lines import logged, logging_options
from es_simhash.described import Declared, Parameter, declarations, parameters
from es_simhash.errors import nearest_note


class Chosen:
    """Which options of an option class a command has, and what they make.

    Args:
        omit: Names of parameters that the command does not have.
        only: The parameters that it has; all of them when empty.
        make: Makes the value of theirs; None for an instance of the option class.
        options: The option class; None for that of the annotation.
        changed: Arguments of `click.Option` by the name of the parameter, where the command line
            differs for a reason.
    """

    def __init__(
        self,
        *,
        omit: Collection[str] = (),
        only: Collection[str] = (),
        make: Callable[..., Any] | None = None,
        options: type[Any] | None = None,
        **changed: Mapping[str, Any],
    ) -> None:
        self.omit, self.only = omit, only
        self.make, self.options, self.changed = make, options, changed

    def below(self) -> "Chosen":
        """Return what is chosen of a nested class: of its options as well, by their names."""
        inner = Chosen(omit=self.omit)
        inner.changed = self.changed
        return inner

    def has(self, name: str) -> bool:
        """Check whether the command has the option of a parameter."""
        return name not in self.omit and (not self.only or name in self.only)


class NearestChoice(click.Choice[str]):
    """A choice whose error names the nearest value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value.

        Raises:
            BadParameter: It is none of the choices.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            note = nearest_note(value, self.choices)
            message = f"{error.message.rstrip('.')}{note}."
            raise click.BadParameter(message, error.ctx, error.param) from error


class WholeNumbers(click.IntRange):
    """Whole numbers in a range, as help and errors call them."""

    name = "whole number"


class _FloatRange(click.FloatRange):
    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number.

        Raises:
            BadParameter: It is out of the range, or none, which no comparison tells.
        """
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def command(function: Callable[..., None]) -> click.Command:
    """Return the command of a function."""
    group = _Group(function, Chosen())

    def run(**values: Any) -> None:
        with logged(values):
            function(**group.values(values))

    text = inspect.cleandoc(function.__doc__ or "").partition("\n\nArgs:\n")[0]
    params = [*group.arguments(), *group.options(), *logging_options(hidden=True)]
    return DescribedCommand(function.__name__, callback=run, params=params, help=text)


class _Group:
    """The parameters of a function or an option class, and the groups among them.

    Args:
        described: The function or the class.
        chosen: Which of its parameters a command has.
        is_optional: Whether there is none when a required option of it is not given.
        heading: Heading under which help lists the options that name none themselves.
    """

    def __init__(
        self,
        described: Callable[..., Any],
        chosen: Chosen,
        *,
        is_optional: bool = False,
        heading: str = "",
    ) -> None:
        self._make = chosen.make or described
        self._is_optional = is_optional
        self._parts: dict[str, _Single | _Group] = {}
        # Groups among the arguments, whose options come last.
        self._last: list[_Group] = []
        by_name = parameters(described)
        for name, declared in declarations(described):
            if not chosen.has(name):
                continue
            notes = (note for note in declared.notes if isinstance(note, Chosen))
            below = next(notes, None) or chosen.below()
            inner = below.options or declared.type
            under = declared.constraints.group or heading
            if is_dataclass(inner):
                group = _Group(inner, below, is_optional=declared.is_optional, heading=under)
                self._parts[name] = group
                if declared.constraints.is_argument:
                    self._last.append(group)
            elif name in by_name:
                changes = {"required": by_name[name].is_required and not is_optional}
                changes |= chosen.changed.get(name, {})
                parameter = replace(by_name[name], group=under)
                self._parts[name] = _Single(parameter, declared, changes)

    def arguments(self) -> Iterator[click.Argument]:
        for part in self._parts.values():
            yield from part.arguments()

    def options(self) -> Iterator[click.Option]:
        for part in self._parts.values():
            if part not in self._last:
                yield from part.options()
        for group in self._last:
            yield from group.options()

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the names of the parameters."""
        return {name: part.value(given) for name, part in self._parts.items()}

    def value(self, given: Mapping[str, Any]) -> Any:
        """Return what the values make; None for an optional group that is not used."""
        values = self.values(given)
        if self._is_optional and any(
            isinstance(part, _Single) and part.parameter.is_required and values[name] is None
            for name, part in self._parts.items()
        ):
            return None
        return self._make(**values)


@dataclass(frozen=True)
class _Single:
    """A parameter that is one option or one argument.

    Attributes:
        parameter: The parameter.
        declared: How Python declares it.
        changes: Arguments of `click.Option` that differ.
    """

    parameter: Parameter
    declared: Declared
    changes: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What a command calls the value: the flag, where it is not that of the field."""
        parameter = self.parameter
        is_plural = parameter.called == parameter.name.removesuffix("s")
        return parameter.name if is_plural else parameter.called.replace("-", "_")

    def arguments(self) -> Iterator[click.Argument]:
        parameter = self.parameter
        if parameter.is_argument:
            yield click.Argument(
                [self.key],
                type=self._type,
                required=parameter.is_required,
                nargs=-1 if parameter.is_repeatable else 1,
                metavar=parameter.metavar,
            )

    def options(self) -> Iterator[click.Option]:
        if not self.parameter.is_argument:
            yield DescribedOption(
                [self._flag, *self._short, self.key],
                described=self.parameter,
                **{**self._settings(), **self.changes},
            )

    @property
    def _flag(self) -> str:
        flag = f"--{self.parameter.called.replace('_', '-')}"
        if self.parameter.type is bool and self.parameter.default:
            flag = f"{flag}/--no-{flag[2:]}"
        return flag

    @property
    def _short(self) -> list[str]:
        return [] if self.parameter.short is None else [f"-{self.parameter.short}"]

    def _settings(self) -> dict[str, Any]:
        """Return the arguments of `click.Option`."""
        parameter = self.parameter
        settings: dict[str, Any] = {
            "metavar": parameter.metavar,
            "show_default": True,
            "help": parameter.help,
            "hidden": not parameter.in_help,
        }
        if parameter.variable is not None:
            settings |= {"envvar": parameter.variable, "show_envvar": True}
        if parameter.type is bool:
            settings |= {"is_flag": True, "default": parameter.default}
            settings["show_default"] = bool(parameter.default)
        else:
            settings["type"] = self._type
            if parameter.default not in (None, ()):
                settings["default"] = parameter.default
                settings["show_default"] = parameter.default != ""
        if parameter.is_repeatable:
            settings["multiple"] = True
            settings["help"] = f"{parameter.help} Repeatable."
        if parameter.none_for:
            settings["show_default"] = parameter.none_for
        return settings

    @property
    def _type(self) -> Any:
        for note in self.declared.notes:
            if isinstance(note, click.ParamType):
                return note
        parameter = self.parameter
        if parameter.choices:
            return NearestChoice(parameter.choices)
        if parameter.type is Path:
            return click.Path(dir_okay=False, path_type=Path)
        if parameter.bounds is None or parameter.type not in (int, float):
            return str if parameter.type is dict else parameter.type
        bounds = parameter.bounds
        number = WholeNumbers if parameter.type is int else _FloatRange
        return number(
            bounds.minimum,  # type: ignore[arg-type]
            bounds.maximum,  # type: ignore[arg-type]
            min_open=bounds.excludes_minimum,
            max_open=bounds.excludes_maximum,
        )

    def value(self, given: Mapping[str, Any]) -> Any:
        """Return the value as Python takes it: JSON is read."""
        parameter, value = self.parameter, given[self.key]
        if parameter.type is not dict:
            return value
        flag = f"--{parameter.called}"
        if parameter.is_repeatable:
            return tuple(parse_query(text, flag) for text in value)
        return parse_query(value, flag)
