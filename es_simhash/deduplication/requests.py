"""Requests of a policy, asked again as long as those of an ingest run."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any
from urllib.parse import quote

import elasticsearch

from es_simhash.bulk.order import Stopped
from es_simhash.bulk.sender import Busy, Patience, Sender
from es_simhash.engine.cluster import refused_search
from es_simhash.engine.reading import WHOLE

_JSON = {"accept": "application/json", "content-type": "application/json"}
_NDJSON = {"accept": "application/json", "content-type": "application/x-ndjson"}
_PASSING = frozenset({429, 502, 503, 504})
_FILTER = "filter_path=responses.error,responses.status,responses.hits.hits"
# An answer of more documents would be held in memory at once.
_MOST = 500

Lines = Sequence[Mapping[str, Any]]


class Requests(Sender):
    """What a policy asks a cluster and writes to it.

    Args:
        client: The client; used by several threads.
        index: The user's index.
        field: Field of our object.
        patience: How long to ask again.
    """

    def __init__(
        self, client: elasticsearch.Elasticsearch, index: str, field: str, patience: Patience
    ) -> None:
        super().__init__(client, index, field, patience)
        self.index = index
        self.path = f"/{quote(index, safe=',')}"

    def of(self, index: str) -> "Requests":
        """Return the requests to another index; both are stopped together."""
        other = copy(self)
        other.index = index
        other.path = f"/{quote(index, safe=',')}"
        return other

    def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            Stopped: The run has ended.
        """
        if self._stopped.wait(seconds):
            raise Stopped

    def searches(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Send many searches as one request.

        Raises:
            ClusterError: A search is refused.
        """
        if not bodies:
            return []
        lines = [line for body in bodies for line in (WHOLE, body)]
        target = f"{self.path}/_msearch?{_FILTER}"

        def ask() -> Any:
            responses = self._request(target, lines, _NDJSON)["responses"]
            for each in responses:
                if each.get("status") in _PASSING:
                    raise Busy(f"a search is answered with {each['status']}")
            return responses

        responses: list[Mapping[str, Any]] = self._patiently(ask)
        for each in responses:
            if "error" in each:
                raise refused_search(each["error"])
        return responses

    def documents(
        self,
        keys: Sequence[tuple[str | None, str]],
        wanted: Sequence[str] | None = None,
        routings: Sequence[str | None] | None = None,
    ) -> list[Mapping[str, Any]]:
        """Return documents by index and id as they are now, refreshed or not.

        Args:
            keys: Index, or None for the user's own, and id.
            wanted: Fields; all but our large ones when None.
            routings: What each is routed by, None for its id; by default all by their ids.
        """
        routed = [
            {} if each is None else {"routing": each} for each in routings or [None] * len(keys)
        ]
        found: list[Mapping[str, Any]] = []
        for start in range(0, len(keys), _MOST):
            docs = [
                {
                    "_index": index or self.index,
                    "_id": id,
                    **routing,
                    **({} if wanted is None else {"_source": list(wanted)}),
                }
                for (index, id), routing in zip(
                    keys[start : start + _MOST], routed[start : start + _MOST], strict=True
                )
            ]
            found += self._documents(docs, self._mget if wanted is None else "/_mget")
        return found

    def _documents(self, docs: Sequence[Mapping[str, Any]], target: str) -> Any:
        target = "/_mget" + target.partition("_mget")[2]
        return self._patiently(lambda: self._request(target, {"docs": list(docs)}, _JSON))["docs"]

    def bulk(self, index: str, lines: Sequence[Lines]) -> list[Mapping[str, Any]]:
        """Send small actions; give the result of each, whatever it is but a passing one."""
        results: dict[int, Mapping[str, Any]] = {}
        pending = list(range(len(lines)))
        target = f"/{quote(index, safe=',')}/_bulk"

        def ask() -> None:
            nonlocal pending
            body = [line for number in pending for line in lines[number]]
            items = self._request(target, body, _NDJSON)["items"]
            answers = [next(iter(item.values())) for item in items]
            results.update(zip(pending, answers, strict=True))
            pending = [number for number in pending if results[number]["status"] in _PASSING]
            if pending:
                raise Busy(f"it rejects {len(pending)} actions for now")

        if pending:
            self._patiently(ask)
        return [results[number] for number in range(len(lines))]

    def refresh(self) -> None:
        """Make all that was written visible to searches."""
        self._patiently(lambda: self._request(f"{self.path}/_refresh", None, _JSON))
