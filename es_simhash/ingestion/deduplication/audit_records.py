"""Records of decisions, and what an audit log of them can do."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

_DOCUMENT = b',"document":'


@dataclass(frozen=True)
class Record:
    """One decision, with all that is needed to undo it.

    Attributes:
        head: What was decided, and why.
        document: JSON of the document that the index does not have, or may soon not have; None
            when it has all.
    """

    head: Mapping[str, Any]
    document: bytes | None = None

    def line(self) -> bytes:
        """Return the record as one line of JSON; the document stays as it was written."""
        head = json.dumps(self.head).encode("ascii")
        if self.document is None:
            return head
        # Only between tokens can a document have line ends.
        document = self.document.replace(b"\r", b" ").replace(b"\n", b" ")
        return b"%b%b%b}" % (head[:-1], _DOCUMENT, document)

    @classmethod
    def of_line(cls, line: bytes) -> "Record":
        """Read what `line` returned.

        Raises:
            ValueError: It is something else, such as a line that a kill cut off.
        """
        head = json.loads(line)
        if not isinstance(head, dict) or "action" not in head:
            raise ValueError("no record")
        head.pop("document", None)
        # Inside of strings the quotes would be escaped.
        _, separator, document = line.strip().partition(_DOCUMENT)
        return cls(head, document[:-1] if separator else None)


class Audit(Protocol):
    """An audit log: records are written to it before their actions run."""

    @property
    def name(self) -> str:
        """Where it is: a file, or `index:NAME`."""

    def open(self) -> None:
        """Make sure that it can be written, so that a run fails before it decides anything."""

    def write(self, records: Sequence[Record]) -> None:
        """Append records; when this returns they outlast a power cut."""

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first."""

    def close(self) -> None:
        """Write no more."""
