"""An audit log that is an index."""

from collections.abc import Iterator, Sequence

import elasticsearch

from es_simhash.bulk.sender import Patience
from es_simhash.deduplication.audit_records import Audit, Record
from es_simhash.deduplication.requests import Requests
from es_simhash.engine.cluster import ensure_index, reason_of
from es_simhash.engine.pages import hits
from es_simhash.errors import ClusterError

INDEX_PREFIX = "index:"
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
        ensure_index(self._client, self._index, mappings=_MAPPINGS)

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
        body = {
            "size": _PAGE,
            "_source": ["record"],
            "sort": [{"time": "asc"}, {"number": "asc"}, "_shard_doc"],
        }
        for hit in hits(self._client, self._index, body):
            yield Record.of_line(hit["_source"]["record"].encode())
