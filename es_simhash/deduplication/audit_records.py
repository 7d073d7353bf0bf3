"""Records of decisions, and what an audit log of them can do."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DOCUMENT = b',"document":'


@dataclass(frozen=True)
class Record:
    """One decision, as it was written down.

    Attributes:
        head: What was decided, and why.
        document: JSON of the document that the index has not, or may soon not have; None when it
            has all.
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
        """Read what `line` gave.

        Raises:
            ValueError: It is something else, such as a line that a kill cut off.
        """
        head = json.loads(line)
        if not isinstance(head, dict) or "action" not in head:
            raise ValueError("no record")
        head.pop("document", None)
        # Inside of strings the quotes would be escaped.
        _, found, rest = line.strip().partition(_DOCUMENT)
        return cls(head, rest[:-1] if found else None)


class Audit(ABC):
    """Where decisions are written down before they are carried out."""

    name: str

    @abstractmethod
    def write(self, records: Sequence[Record]) -> None:
        """Write records down; after it they outlast a power cut."""

    @abstractmethod
    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first."""

    @abstractmethod
    def close(self) -> None:
        """Write no more."""
