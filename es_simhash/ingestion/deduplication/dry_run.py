"""Stand-ins for the audit log and the reservations, which a dry run does not write."""

from collections.abc import Iterable, Mapping, Sequence

from es_simhash.ingestion.deduplication.audit_log import Record
from es_simhash.relation.references import DocumentRef
from es_simhash.store.rows import Row


class NoAudit:
    """The audit log of a run that does nothing to be undone."""

    name = ""

    def write(self, records: Sequence[Record]) -> None:
        """Write nothing."""

    def read(self) -> Iterable[Record]:
        """Return no records."""
        return ()

    def close(self) -> None:
        """Nothing is held open."""


class Unreserved:
    """The reservations of a run that writes no text: every text is free."""

    def begin(self) -> None:
        """Nothing is reserved."""

    def acquire(
        self, wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]
    ) -> dict[str, Row]:
        """Return no document that has one of the texts already."""
        return {}

    def release(self, hashes: Iterable[str]) -> None:
        """Nothing is reserved."""
