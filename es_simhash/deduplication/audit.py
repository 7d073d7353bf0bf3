"""The audit log: every decision about a version, with all that is needed to take it back."""

from collections.abc import Iterator
from pathlib import Path

from es_simhash.deduplication.audit_records import Audit, Record
from es_simhash.deduplication.file_audit import FileAudit
from es_simhash.deduplication.index_audit import INDEX_PREFIX, IndexAudit
from es_simhash.engine.gateway import Client
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import IndexMissing
from es_simhash.text.escaping import file_name


def open_audit(target: str | Path, client: Client, retry: RetryPolicy | None = None) -> Audit:
    """Open an audit log for writing: a file, or `index:NAME`.

    Raises:
        InputError: The file cannot be written.
        ClusterError: The index may not be created.
    """
    audit = _audit(target, client, retry)
    audit.open()
    return audit


def read_audit(target: str | Path, client: Client) -> Iterator[Record]:
    """Yield the records of an audit log: a file, or `index:NAME`.

    Raises:
        InputError: The file cannot be read.
        IndexMissing: There is no such index.
    """
    try:
        yield from _audit(target, client).read()
    except IndexMissing as error:
        raise IndexMissing(f"There is no audit log {target}; check its name.") from error


def _audit(
    target: str | Path, client: Client, retry: RetryPolicy | None = None
) -> FileAudit | IndexAudit:
    if isinstance(target, str) and target.startswith(INDEX_PREFIX):
        return IndexAudit(client, target.removeprefix(INDEX_PREFIX), retry)
    return FileAudit(Path(target))


def default_audit(index: str) -> Path:
    """Return the file decisions about an index go to by default, in the working folder."""
    return Path(f"{file_name(index)}.audit.jsonl")
