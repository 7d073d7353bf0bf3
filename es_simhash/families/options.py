"""Options of a run that finds the families of an index."""

from dataclasses import dataclass
from typing import Literal, get_args

from es_simhash.errors import InputError

Representative = Literal["longest", "newest", "oldest"]
REPRESENTATIVES: tuple[Representative, ...] = get_args(Representative)
# Incremented when a change of the scores gives other families of the same texts.
_SCORING = 1


@dataclass(frozen=True)
class FamilyOptions:
    """Options of a run that finds the families of an index.

    Attributes:
        representative: Document that represents a family: the longest, the newest or the oldest.
        date_field: Field of the date, as the engine reads it; required for the newest and the
            oldest. A document without a date represents a family only if no other has one.
        everything: Process all documents, not only what changed since the last run.
        dry_run: Write nothing.
    """

    representative: Representative = "longest"
    date_field: str | None = None
    everything: bool = False
    dry_run: bool = False

    def __post_init__(self) -> None:
        if self.representative not in REPRESENTATIVES:
            raise InputError(
                f"Unknown representative {self.representative!r}; "
                f"use one of {', '.join(REPRESENTATIVES)}.",
                parameter="representative",
            )
        if self.compares_dates and self.date_field is None:
            raise InputError(
                f"Representative {self.representative!r} needs a date. Set date_field.",
                parameter="date_field",
            )

    @property
    def compares_dates(self) -> bool:
        """True when dates decide which document represents a family."""
        return self.representative != "longest"

    @property
    def settings_key(self) -> str:
        """What decides the families; a run with another key than the last is a full run."""
        date_field = self.date_field if self.compares_dates else None
        return f"v{_SCORING} {self.representative} {date_field}"

    @classmethod
    def of_settings_key(cls, key: str | None) -> "FamilyOptions":
        """Return the options of an earlier run by its settings key; the defaults for None."""
        if key is None:
            return cls()
        _, representative, date_field = key.split(" ", 2)
        return cls(representative, None if date_field == "None" else date_field)  # type: ignore[arg-type]
