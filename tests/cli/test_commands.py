"""A function describes its command: arguments, options and their groups."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner, Result

from es_simhash.cli.commands import Chosen, command
from es_simhash.constraints import constraints
from es_simhash.errors import InputError

seen: dict[str, Any] = {}


@dataclass(frozen=True)
class Fresh:
    """How newer ones are preferred.

    Attributes:
        by: Field of the date.
        days: Age; None for a month.
    """

    by: str = field(metadata=constraints(called="fresh"))
    days: float | None = field(default=None, metadata=constraints(above=0, unit="days"))


@dataclass(frozen=True)
class Options:
    """What is wanted.

    Attributes:
        size: How many.
        filters: Queries.
        fresh: How newer ones are preferred.
        secret: Not for the command line.
    """

    size: int = field(default=10, metadata=constraints(1))
    filters: tuple[dict[str, Any], ...] = ()
    fresh: Fresh | None = None
    secret: str = "kept"


@dataclass(frozen=True)
class Place:
    """Where something is.

    Attributes:
        name: Name of the place.
        url: Address of it.
    """

    name: str = field(metadata=constraints(is_argument=True))
    url: str = field(default="http://a", metadata=constraints(variable="TEST_URL_OF_A_PLACE"))


@command
def show(
    place: Place,
    ids: tuple[str, ...] = (),
    *,
    options: Annotated[Options, Chosen(omit=("secret",), size={"default": 3})],
    order: Literal["up", "down"] = "up",
    loud: Annotated[bool, constraints(called="noise", help="Make noise.")] = True,
    file: Path | None = None,
) -> None:
    """Show IDS of a place.

    Nothing is written.

    Args:
        order: The order.
        file: File to write; None for standard output.
    """
    seen.update(locals())


def run(*arguments: str) -> Result:
    seen.clear()
    return CliRunner().invoke(show, arguments)


def test_values_come_as_the_function_declares_them() -> None:
    assert run("home", "1", "2", "--order", "down", "--no-noise", "--file", "a.txt").exit_code == 0
    assert seen == {
        "place": Place("home"), "ids": ("1", "2"), "options": Options(size=3), "order": "down",
        "loud": False, "file": Path("a.txt"),
    }  # fmt: skip


def test_a_class_within_a_class_is_made_when_what_it_needs_is_given() -> None:
    assert run("home", "--filter", '{"term": {"a": 1}}', "--days", "2").exit_code == 0
    assert seen["options"] == Options(3, ({"term": {"a": 1}},), None)
    assert run("home", "--fresh", "date", "--size", "5").exit_code == 0
    assert seen["options"].fresh == Fresh("date")


def test_a_variable_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_URL_OF_A_PLACE", "http://b")
    assert run("home").exit_code == 0
    assert seen["place"] == Place("home", "http://b")


@pytest.mark.parametrize(
    "arguments", [[], ["home", "--size", "0"], ["home", "--order", "left"], ["home", "--days", "0"]]
)
def test_wrong_values_are_wrong_usage(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2
    assert not seen


def test_a_filter_that_is_no_json_is_refused_by_its_flag() -> None:
    error = run("home", "--filter", "{").exception
    assert isinstance(error, InputError)
    assert str(error).startswith("--filter is not valid JSON")


def test_help_is_the_docstring_and_options_are_in_the_order_of_the_function() -> None:
    shown = CliRunner().invoke(show, ["--help"]).output
    assert show.help == "Show IDS of a place.\n\nNothing is written."
    # Those that every command has are hidden.
    options = [
        param for param in show.params if isinstance(param, click.Option) and not param.hidden
    ]
    assert [option.opts[0] for option in options] == [
        "--size", "--filter", "--fresh", "--days", "--order", "--noise", "--file", "--url",
    ]  # fmt: skip
    assert "(standard output)" in shown
    assert "env var: TEST_URL_OF_A_PLACE" in shown
