"""The audit log: every decision about a version, with all that is needed to take it back."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import elasticsearch

from es_simhash.cluster import plain_errors, reason_of
from es_simhash.deduplicating.requests import Requests
from es_simhash.errors import ClusterError, IndexMissing, InputError
from es_simhash.ingesting.sending import Patience

INDEX_PREFIX = "index:"
_DOCUMENT = b',"document":'
_PAGE = 200
_MAPPINGS = {
    "dynamic": False,
    "properties": {
        "run": {"type": "keyword"},
        "number": {"type": "long"},
        "time": {"type": "date"},
        "id": {"type": "keyword"},
        "other": {"type": "keyword"},
        "action": {"type": "keyword"},
        "kind": {"type": "keyword"},
        "score": {"type": "float"},
    },
}


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
        """Give the record as one line of JSON; the document stays as it was written."""
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


class FileAudit(Audit):
    """A JSONL file that only grows.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._descriptor: int | None = None

    def open(self) -> None:
        """Open it for writing, so that a run finds out before it decides anything.

        Raises:
            InputError: The file cannot be written.
        """
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            size = os.fstat(self._descriptor).st_size
            if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
                self._append(b"\n")  # a kill has cut the last line off
        except OSError as error:
            raise self._refused(error) from error

    def write(self, records: Sequence[Record]) -> None:
        """Write records down; after it they outlast a power cut.

        Raises:
            InputError: The file cannot be written.
        """
        if not records:
            return
        try:
            if self._descriptor is None:
                self.open()
            self._append(b"".join(each.line() + b"\n" for each in records))
            assert self._descriptor is not None
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._refused(error) from error

    def _append(self, data: bytes) -> None:
        assert self._descriptor is not None
        while data:
            data = data[os.write(self._descriptor, data) :]

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first; lines that a kill cut off are passed over.

        Raises:
            InputError: The file cannot be read.
        """
        try:
            with self._path.open("rb") as stream:
                for line in stream:
                    try:
                        yield Record.of_line(line)
                    except ValueError:
                        continue
        except OSError as error:
            raise InputError(f"{self._path} cannot be read ({error.strerror}).") from error

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"The audit log {self._path} cannot be written ({error.strerror}); "
            "name another with --audit."
        )


class IndexAudit(Audit):
    """An index of records.

    Args:
        client: The client.
        index: Its name.
        patience: How long a busy cluster is asked again.
    """

    def __init__(
        self, client: elasticsearch.Elasticsearch, index: str, patience: Patience | None = None
    ) -> None:
        self.name = f"{INDEX_PREFIX}{index}"
        self._client = client
        self._index = index
        self._requests = Requests(client, index, "", patience or Patience())

    def open(self) -> None:
        """Create the index when there is none.

        Raises:
            ClusterError: It may not be created.
        """
        with plain_errors(self._client):
            if not self._client.indices.exists(index=self._index):
                try:
                    self._client.indices.create(index=self._index, mappings=_MAPPINGS)
                except elasticsearch.BadRequestError as error:
                    if error.error != "resource_already_exists_exception":
                        raise

    def write(self, records: Sequence[Record]) -> None:
        """Write records down; the engine answers when they are on its disk.

        Raises:
            ClusterError: A record is refused.
        """
        lines = []
        for each in records:
            # By this id a request that is sent again writes no second record.
            id = f"{each.head['run']}-{each.head['number']}"
            source = {**each.head, "record": each.line().decode()}
            lines.append([{"index": {"_id": id}}, source])
        for result in self._requests.bulk(self._index, lines):
            if "error" in result:
                raise ClusterError(
                    f"Audit index {self._index!r} refuses a record: {reason_of(result)}."
                )

    def close(self) -> None:
        """Nothing is held open."""

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first.

        Raises:
            IndexMissing: There is no such index.
        """
        with plain_errors(self._client):
            self._client.indices.refresh(index=self._index)
            pit = self._client.open_point_in_time(index=self._index, keep_alive="5m")["id"]
        body: dict[str, Any] = {
            "size": _PAGE,
            "pit": {"id": pit, "keep_alive": "5m"},
            "_source": ["record"],
            "sort": [{"time": "asc"}, {"number": "asc"}, "_shard_doc"],
        }
        with plain_errors(self._client):
            try:
                while hits := self._client.search(body=body)["hits"]["hits"]:
                    for hit in hits:
                        yield Record.of_line(hit["_source"]["record"].encode())
                    body["search_after"] = hits[-1]["sort"]
            finally:
                self._client.close_point_in_time(id=pit)


def open_audit(
    target: str | Path, client: elasticsearch.Elasticsearch, patience: Patience | None = None
) -> Audit:
    """Open an audit log for writing: a file, or `index:NAME`.

    Raises:
        InputError: The file cannot be written.
        ClusterError: The index may not be created.
    """
    audit = _audit(target, client, patience)
    audit.open()
    return audit


def read_audit(target: str | Path, client: elasticsearch.Elasticsearch) -> Iterator[Record]:
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
    target: str | Path, client: elasticsearch.Elasticsearch, patience: Patience | None = None
) -> FileAudit | IndexAudit:
    if isinstance(target, str) and target.startswith(INDEX_PREFIX):
        return IndexAudit(client, target.removeprefix(INDEX_PREFIX), patience)
    return FileAudit(Path(target))


def default_audit(index: str) -> Path:
    """Give the file decisions about an index go to by default, in the working folder."""
    safe = "".join(each if each.isalnum() or each in "._-" else "_" for each in index)
    return Path(f"{safe}.audit.jsonl")
