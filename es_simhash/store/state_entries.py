"""Names of state indices, and the entries in them of what a person decided about pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Ids = tuple[str, str]

DISMISSAL, JOIN, RUN = "dismissal", "join", "run"
SUFFIX = "-simhash"
# Entries of one page where all are read.
PAGE = 1000


@dataclass(frozen=True)
class FamilyRule:
    """Which document represents a family.

    Attributes:
        representative: The longest, the newest or the oldest.
        date_field: Name of the field of the dates; None where they do not matter.
    """

    representative: str
    date_field: str | None

    @classmethod
    def of_run(cls, options: str) -> "FamilyRule":
        """Return the rule of a run of families.

        Args:
            options: Its settings key, as `FamilyOptions.settings_key` returns it.
        """
        # The field that keeps families apart is on a line of its own.
        _, representative, date_field = options.partition("\n")[0].split(" ", 2)
        return cls(representative, None if date_field == "None" else date_field)


def state_index_name(index: str) -> str:
    """Return the name of the state index of an index, alias or data stream."""
    return index.lstrip(".") + SUFFIX


def ids_of(entry: Mapping[str, Any]) -> Ids:
    """Return the ids of a stored pair."""
    return entry["ids"][0], entry["ids"][1]
