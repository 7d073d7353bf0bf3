"""An index of records, each one line of JSON: the audit log of several machines."""

from collections.abc import Iterator, Mapping
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.store import resources
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway

_RECORDS_PER_PAGE = 200


class RecordIndex:
    """An index of records; the constructor sends nothing.

    Args:
        gateway: Sends the requests.
        index: Name of the index.
    """

    def __init__(self, gateway: Gateway, index: str) -> None:
        self._gateway = gateway
        self._index = index

    def create(self) -> None:
        """Create the index when there is none.

        Raises:
            ClusterError: It may not be created.
        """
        template = resources.template("simhash-audit@mappings")
        self._gateway.create_index_if_missing(self._index, **template)

    def append(self, records: Mapping[str, tuple[Mapping[str, Any], bytes]]) -> None:
        """Append records; the cluster answers when they are on its disk.

        Args:
            records: What is searched of each record, and its line; by its id, by which a request
                that is sent again writes no second record.

        Raises:
            ClusterError: A record is rejected.
        """
        actions = [
            [{"index": {"_id": id}}, {**head, "record": line.decode()}]
            for id, (head, line) in records.items()
        ]
        for result in self._gateway.bulk(actions, index=self._index):
            if "error" in result:
                raise ClusterError(
                    f"Cannot write a record to audit index {self._index!r}: {reason_of(result)}. "
                    "Set audit.",
                    parameter="audit",
                )

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of all records, the oldest first.

        Raises:
            IndexMissing: There is no such index.
        """
        body = {
            "size": _RECORDS_PER_PAGE,
            "_source": ["record"],
            "sort": [{"time": "asc"}, {"number": "asc"}, "_shard_doc"],
        }
        for hit in self._gateway.pages(self._index, body):
            yield str(hit["_source"]["record"]).encode()
