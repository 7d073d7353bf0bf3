"""What the types of parameters do not say of their values: bounds, choices, units and names.

They are in the metadata of a dataclass field, or in the annotation of a parameter; `described`
reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CONSTRAINTS = "constraints"


@dataclass(frozen=True)
class Bounds:
    """Bounds of a number; None where there is none.

    Attributes:
        minimum: Least value.
        maximum: Greatest value.
        excludes_minimum: Whether the minimum itself is invalid.
        excludes_maximum: Whether the maximum itself is invalid.
    """

    minimum: float | None = None
    maximum: float | None = None
    excludes_minimum: bool = False
    excludes_maximum: bool = False

    def __contains__(self, value: float) -> bool:
        low, high = self.minimum, self.maximum
        above = low is None or (value > low if self.excludes_minimum else value >= low)
        below = high is None or (value < high if self.excludes_maximum else value <= high)
        return above and below

    def __str__(self) -> str:
        """Return the condition, such as `at least 1`."""
        low, high = self.minimum, self.maximum
        if low is not None and high is not None and not self._excludes_any:
            return f"between {low} and {high}"
        words = []
        if low is not None:
            words.append(f"{'more than' if self.excludes_minimum else 'at least'} {low}")
        if high is not None:
            words.append(f"{'less than' if self.excludes_maximum else 'at most'} {high}")
        return " and ".join(words)

    @property
    def _excludes_any(self) -> bool:
        return self.excludes_minimum or self.excludes_maximum


@dataclass(frozen=True)
class Constraints:
    """What the type of a field does not say of its values.

    Attributes:
        bounds: Bounds of a number; None where there are none.
        choices: The values that are possible; empty for those of the type.
        unit: Unit of a number, such as days; None where there is none.
        metavar: Placeholder of the value in help; None for one made of unit, name or type.
        called: Name outside Python; None for that of the field, of one value.
        help: What it is, where several functions share it and have no entry of their own.
        variable: Environment variable that the command line reads where no option is given.
        is_argument: Whether the command line has it as an argument, and not as an option.
        short: Letter of the option in short; None for none.
        group: Heading under which a long help lists the option, or all options of a nested class;
            empty for the common ones.
        in_help: Whether help of every command that has the option lists it.
    """

    bounds: Bounds | None = None
    choices: tuple[str, ...] = ()
    unit: str | None = None
    metavar: str | None = None
    called: str | None = None
    help: str = ""
    variable: str | None = None
    is_argument: bool = False
    short: str | None = None
    group: str = ""
    in_help: bool = True


def constraints(
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    **others: Any,
) -> Mapping[str, Constraints]:
    """Return the metadata of a dataclass field, or what a type is annotated with.

    Args:
        minimum: Least value.
        maximum: Greatest value.
        above: Value that every value exceeds, in place of a minimum.
        below: Value that exceeds every value, in place of a maximum.
        others: The other attributes of `Constraints`.
    """
    declared = Bounds(
        minimum if above is None else above,
        maximum if below is None else below,
        above is not None,
        below is not None,
    )
    return {CONSTRAINTS: Constraints(None if declared == Bounds() else declared, **others)}
