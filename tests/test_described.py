"""Option classes describe their parameters: types, defaults, bounds, help."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from es_simhash.constraints import constraints
from es_simhash.described import parameters, require_valid
from es_simhash.errors import InputError


@dataclass(frozen=True)
class Base:
    """Options of every run.

    Attributes:
        speed: Greatest speed; None for no bound. It is rarely needed.
        log: A file.
    """

    speed: float | None = field(
        default=None, metadata=constraints(above=0, unit="days", called="at-speed")
    )
    log: str | Path | None = None


@dataclass(frozen=True)
class Options(Base):
    """Options of one run.

    Attributes:
        size: How many,
            in two lines.
        kinds: Which kinds; all when empty.
        shares: Weights.
        order: The order; None for 0.3, or else `up`.
        filters: Queries.
        date_field: Field of the date.
        dry: Whether to write nothing.
        progress: Called now and then.

    Raises:
        InputError: This is no entry.
    """

    size: int = field(default=10, metadata=constraints(1, 10_000))
    kinds: tuple[str, ...] = field(default=(), metadata=constraints(choices=("a", "b")))
    shares: tuple[float, ...] = field(default=(0.5,), metadata=constraints(0, below=1))
    order: Literal["up", "down"] | None = None
    filters: tuple[Mapping[str, Any], ...] = ()
    date_field: str | None = None
    dry: bool = False
    progress: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        require_valid(self)


def test_fields_that_no_string_names_are_left_out() -> None:
    assert list(parameters(Options)) == [
        "speed", "log", "size", "kinds", "shares", "order", "filters", "date_field", "dry",
    ]  # fmt: skip


def test_types_say_what_one_value_is() -> None:
    described = parameters(Options)
    assert {name: parameter.type for name, parameter in described.items()} == {
        "speed": float, "log": str, "size": int, "kinds": str, "shares": float, "order": str,
        "filters": dict, "date_field": str, "dry": bool,
    }  # fmt: skip
    repeatable = {name for name, parameter in described.items() if parameter.is_repeatable}
    assert repeatable == {"kinds", "shares", "filters"}
    assert described["kinds"].called == "kind"
    assert described["order"].choices == ("up", "down")
    assert described["order"].is_optional
    assert described["size"].default == 10


def test_help_is_the_entry_without_what_none_stands_for() -> None:
    described = parameters(Options)
    assert described["size"].help == "How many, in two lines."
    assert described["speed"].help == "Greatest speed. It is rarely needed."
    assert described["speed"].none_for == "no bound"
    assert described["order"].none_for == "0.3, or else `up`"
    assert described["dry"].none_for == ""


def test_placeholders_come_from_units_and_names() -> None:
    described = parameters(Options)
    assert described["speed"].metavar == "DAYS"
    assert described["date_field"].metavar == "FIELD"
    assert described["size"].metavar is None
    assert (described["speed"].called, described["size"].called) == ("at-speed", "size")


def test_a_field_without_default_is_required() -> None:
    @dataclass(frozen=True)
    class Needed:
        """Options.

        Attributes:
            field: A name.
        """

        field: str

    assert parameters(Needed)["field"].is_required


def test_a_json_schema_has_choices_bounds_and_default() -> None:
    described = parameters(Options)
    assert described["size"].json_schema() == {
        "type": "integer", "minimum": 1, "maximum": 10_000, "default": 10,
    }  # fmt: skip
    assert described["kinds"].json_schema() == {"type": "array", "items": {"enum": ["a", "b"]}}
    assert described["speed"].json_schema() == {"type": "number", "exclusiveMinimum": 0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0}, r"^size must be between 1 and 10000, got 0\.$"),
        ({"size": 20_000}, r"^size must be between 1 and 10000, got 20000\.$"),
        ({"speed": 0}, r"^speed must be more than 0 days, got 0\.$"),
        ({"speed": float("nan")}, r"^speed must be more than 0 days, got nan\.$"),
        ({"shares": (0, 1.0)}, r"^shares must be at least 0 and less than 1, got 1\.0\.$"),
        ({"kinds": ("a", "c")}, r"^kinds must be among a, b, got 'c'\.$"),
        ({"order": "left"}, r"^order must be one of up, down, got 'left'\.$"),
    ],
)
def test_values_out_of_bounds_are_rejected(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        Options(**given)
    assert raised.value.parameter == next(iter(given))


def test_values_within_bounds_and_none_are_accepted() -> None:
    Options(size=1, speed=None, shares=(0, 0.9), kinds=("b",), order=None)
