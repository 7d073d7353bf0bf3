"""The outcome of writing one document; the same type for every command that writes."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Status = Literal["written", "unchanged", "skipped", "without_text", "gone", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of writing one document.

    Attributes:
        id: Id of the document; None when it could not be read.
        status: "written"; "unchanged", as the index is up to date; "skipped", as it is a version
            of another document (see `on_version`); "without_text"; "gone", as it was deleted
            meanwhile; or "failed".
        reason: Why it failed, or what was decided about a version; None otherwise.
        place: Where it was read, as file:line, file, or documents:number, for a failure.
        index: The index that holds it; None for the one that was named.
        undated: Where the newest is kept, its id if it has no date, and that of the document it is
            a version of if that has none: without a date, a document counts as the oldest.
    """

    id: str | None
    status: Status
    reason: str | None = None
    place: str | None = None
    index: str | None = None
    undated: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Check whether the document did not fail."""
        return self.status != "failed"


class Failure(NamedTuple):
    """A document of a batch that cannot be written.

    Attributes:
        position: Its number in the batch.
        id: Its id; None when it could not be read.
        reason: Why, as one message.
    """

    position: int
    id: str | None
    reason: str
