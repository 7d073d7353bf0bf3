"""An audit log that is an index."""

from collections.abc import Iterator, Sequence

from es_simhash.errors import ClusterError
from es_simhash.ingestion.deduplication.audit_records import Record
from es_simhash.store import resources
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway

_RECORDS_PER_PAGE = 200


class IndexAudit:
    """An index of records.

    Args:
        name: Of the log.
        gateway: Sends the requests.
        index: Name of the index.
    """

    def __init__(self, name: str, gateway: Gateway, index: str) -> None:
        self.name = name
        self._gateway = gateway
        self._index = index

    def open(self) -> None:
        """Create the index when there is none.

        Raises:
            ClusterError: It may not be created.
        """
        template = resources.template("simhash-audit@mappings")
        self._gateway.create_index_if_missing(self._index, **template)

    def write(self, records: Sequence[Record]) -> None:
        """Append records; the cluster answers when they are on its disk.

        Raises:
            ClusterError: A record is rejected.
        """
        actions = []
        for record in records:
            # By this id a request that is sent again writes no second record.
            id = f"{record.head['run']}-{record.head['number']}"
            source = {**record.head, "record": record.line().decode()}
            actions.append([{"index": {"_id": id}}, source])
        for result in self._gateway.bulk(actions, index=self._index):
            if "error" in result:
                raise ClusterError(
                    f"Cannot write a record to audit index {self._index!r}: {reason_of(result)}. "
                    "Set audit.",
                    parameter="audit",
                )

    def close(self) -> None:
        """Nothing is held open."""

    def read(self) -> Iterator[Record]:
        """Yield all records, the oldest first.

        Raises:
            IndexMissing: There is no such index.
        """
        body = {
            "size": _RECORDS_PER_PAGE,
            "_source": ["record"],
            "sort": [{"time": "asc"}, {"number": "asc"}, "_shard_doc"],
        }
        for hit in self._gateway.pages(self._index, body):
            yield Record.of_line(hit["_source"]["record"].encode())
