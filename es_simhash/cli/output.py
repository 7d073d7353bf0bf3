"""What all commands print alike: formats, JSON, and values in readable units."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import click

from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line

# Longer passages are cut in tables, never in JSON.
_MAX_CHARACTERS = 240
# Ids in one line; JSON lists all.
_MAX_IDS = 6
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def print_json(value: Any) -> None:
    """Print JSON with the letters of every script as they are, and control characters escaped.

    JSON itself escapes the first 32 characters only; U+009B steers a terminal as well.
    """
    click.echo(escaped(json.dumps(value, ensure_ascii=False, indent=2)))


def escaped(text: str) -> str:
    """Return a text with all that could steer a terminal escaped as in JSON."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


class Result(Protocol):
    """A result that has a form in JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""


Printed = TypeVar("Printed", bound=Result)


def print_result(result: Printed, output_format: str, show: Callable[[Printed], None]) -> None:
    """Print a result as JSON, or as `show` prints it."""
    if output_format == "json":
        print_json(result.to_dict())
    else:
        show(result)


def require_yes(question: str, otherwise: str) -> None:
    """Ask, and end the command with status 1 unless the answer is yes.

    Args:
        question: The question, without its mark.
        otherwise: What is then said, such as that nothing was removed.

    Raises:
        SystemExit: The answer is no.
    """
    if not click.confirm(question, default=False):
        click.echo(otherwise, err=True)
        raise SystemExit(1)


def now() -> str:
    """Return the local time, as logs begin their lines."""
    return time.strftime("%Y-%m-%dT%H:%M:%S")


def shortened(text: str, max_characters: int = _MAX_CHARACTERS) -> str:
    """Return one printable line of limited length, cut in the middle."""
    line = one_line(text)
    if len(line) <= max_characters:
        return line
    half = (max_characters - 3) // 2
    return f"{line[:half]} … {line[-half:]}"


def listed(ids: tuple[str, ...], limit: int) -> str:
    """Return the first ids, separated by commas, and an ellipsis when there are more."""
    shown = ", ".join(one_line(id) for id in ids[:limit])
    return f"{shown} ..." if len(ids) > limit else shown


def undated_line(ids: tuple[str, ...]) -> str:
    """Return one line about documents without a date where dates are compared."""
    count, names = counted(len(ids), "document"), listed(ids, _MAX_IDS)
    return f"{count} without a date, never preferred to one with a date: {names}."


def duration(seconds: float) -> str:
    """Return a duration in the unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def byte_size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"


# Problems of one kind that are listed; of more, their number.
_MAX_PROBLEMS = 20


def print_problems(problems: Sequence[str]) -> None:
    """Print the first problems, and how many more there are."""
    for problem in problems[:_MAX_PROBLEMS]:
        click.echo(one_line(problem), err=True)
    if len(problems) > _MAX_PROBLEMS:
        click.echo(f"and {len(problems) - _MAX_PROBLEMS} more.", err=True)
