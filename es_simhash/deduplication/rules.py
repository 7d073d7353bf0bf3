"""What is to be done with versions: the action, and what counts as one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from es_simhash.errors import InputError
from es_simhash.relation.model import VERSION_KINDS, Kind

Action = Literal["skip", "flag", "link", "replace"]
Keep = Literal["newest", "longest", "first"]
ACTIONS: tuple[Action, ...] = get_args(Action)
KEEPS: tuple[Keep, ...] = get_args(Keep)


@dataclass(frozen=True)
class OnVersion:
    """What to do with a document that is a version of one that is there.

    Attributes:
        action: `skip` writes nothing, `flag` writes it with the id of the other, `link` gives both
            one family as well, `replace` keeps one of the two.
        kinds: Kinds of relations that count. Neither of two texts of which one holds the other
            does by default: the shorter would be skipped, or the longer replaced.
        min_score: Least score that counts.
        keep: Which of the two `replace` keeps; the one that is there when neither is ahead.
        date_field: Field that tells the newer of two documents.
        audit: File of the audit log, or `index:NAME`; by default INDEX.audit.jsonl here.
        lease: Seconds for which a text stays reserved for a writer that does not write it.
    """

    action: Action = "flag"
    kinds: tuple[Kind, ...] = ("exact", "version")
    min_score: float = 0.0
    keep: Keep = "longest"
    date_field: str | None = None
    audit: str | Path | None = None
    lease: float = 30.0

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise InputError(f"Unknown action {self.action!r}; there are {', '.join(ACTIONS)}.")
        if self.keep not in KEEPS:
            raise InputError(f"Unknown rule {self.keep!r}; there are {', '.join(KEEPS)}.")
        wrong = [kind for kind in self.kinds if kind not in VERSION_KINDS]
        if wrong or not self.kinds:
            raise InputError(
                f"{wrong[0] if wrong else 'No kind'!r} is no kind of version; "
                f"there are {', '.join(VERSION_KINDS)}."
            )
        if not 0 <= self.min_score <= 1:
            raise InputError(f"A least score of {self.min_score} is not from 0 to 1.")
        if self.action == "replace" and self.keep == "newest" and self.date_field is None:
            raise InputError("Keeping the newest needs a date; name its field with --date-field.")

    @classmethod
    def of(cls, value: "OnVersion | str") -> "OnVersion":
        """Return the rules of an action, or the rules themselves.

        Raises:
            InputError: There is no such action.
        """
        return value if isinstance(value, cls) else cls(value)  # type: ignore[arg-type]
