"""An audit log that is an index."""

from collections.abc import Iterator, Sequence

from es_simhash.deduplication.audit_records import Audit, Record
from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import ClusterError
from es_simhash.storage import resources

INDEX_PREFIX = "index:"
_PAGE = 200


class IndexAudit(Audit):
    """An index of records.

    Args:
        client: The client.
        index: Its name.
        retry: How long requests to a busy cluster are retried.
    """

    def __init__(self, client: Client, index: str, retry: RetryPolicy | None = None) -> None:
        self.name = f"{INDEX_PREFIX}{index}"
        self._gateway = Gateway.of(client, retry or RetryPolicy())
        self._index = index

    def open(self) -> None:
        """Create the index when there is none.

        Raises:
            ClusterError: It may not be created.
        """
        template = resources.template("simhash-audit@mappings")
        self._gateway.create_index_if_missing(self._index, **template)

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
        for result in self._gateway.bulk(lines, index=self._index):
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
        body = {
            "size": _PAGE,
            "_source": ["record"],
            "sort": [{"time": "asc"}, {"number": "asc"}, "_shard_doc"],
        }
        for hit in self._gateway.pages(self._index, body):
            yield Record.of_line(hit["_source"]["record"].encode())
