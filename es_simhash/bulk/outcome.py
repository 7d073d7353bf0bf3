"""What became of one document."""

from typing import Literal, NamedTuple

Status = Literal["written", "unchanged", "skipped", "failed"]


class Outcome(NamedTuple):
    """What became of one document.

    Attributes:
        id: Its id; None when it could not be read so far.
        status: "written", "unchanged" (nothing had to be written for it), "skipped" (it is a
            version of another, see `on_version`) or "failed".
        reason: One sentence, for a failure, and for what was decided about a version.
        place: Where it was read, as file:line, file, or documents:number.
    """

    id: str | None
    status: Status
    reason: str | None = None
    place: str | None = None

    @property
    def ok(self) -> bool:
        """False for a failure."""
        return self.status != "failed"
