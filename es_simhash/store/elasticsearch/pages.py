"""A point in time of an index: all documents a search matches, as they are at one moment."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.calls import Call, Calls, index_path
from es_simhash.store.elasticsearch.requests import Requests
from es_simhash.store.elasticsearch.searches import search, search_all, shard_preference

# Longer than the longest wait for a busy cluster (`RetryPolicy.max_elapsed`); each search
# extends it.
_KEEP_ALIVE = "15m"
_PAGE = 5000


class PointInTime:
    """A point in time; use it in a `with` statement, or call `open` and `close`.

    What is opened holds on to old versions of documents until it is closed or not used for 15
    minutes.

    Args:
        requests: Sends the requests.
        index: Index, alias or data stream.
        shard: Number of the one shard to search; None for all.
        id: Id of one that another process has opened, and closes; None to open one.
    """

    def __init__(
        self, requests: Requests, index: str, *, shard: int | None = None, id: str | None = None
    ) -> None:
        self.index = index
        self.shard = shard
        self._requests = requests
        self._id = id

    def __enter__(self) -> "PointInTime":
        self.open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def open(self) -> None:
        """Open it at this moment; again after `PointInTimeExpired`.

        Raises:
            IndexMissing: There is no such index.
        """
        self.close()
        params = {"keep_alive": _KEEP_ALIVE, **shard_preference(self.shard)}
        path = index_path(self.index, "_pit")
        self._id = self._requests.request("POST", path, params=params)["id"]

    def close(self) -> None:
        """Close it if it is open; where that fails it expires."""
        if self._id is not None:
            with suppress(ClusterError):
                self._requests.once("DELETE", "/_pit", {"id": self._id})
            self._id = None

    @property
    def id(self) -> str:
        """Its id, by which other processes search it while it is open."""
        assert self._id is not None, "it is not open"
        return self._id

    def search(self, body: Mapping[str, Any]) -> Any:
        """Return the response to one search.

        Raises:
            PointInTimeExpired: It is gone.
            ClusterError: The search is rejected, or a shard does not answer.
        """
        return self._requests.run(search(None, self._with_id(body)))

    def search_all(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the responses to many searches, sent as one request; see `search`."""
        return self._requests.run(search_all(None, [self._with_id(body) for body in bodies]))

    def hits(self, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield all hits of a search, a page at a time.

        Args:
            body: Of the search; `size` is that of a page. By default all documents, in no order.

        Raises:
            PointInTimeExpired: It is gone.
            ClusterError: The search is rejected, or a shard does not answer.
        """
        page = {"size": _PAGE, "track_total_hits": False, "sort": ["_shard_doc"], **body}
        while hits := self.search(page)["hits"]["hits"]:
            yield from hits
            if len(hits) < page["size"]:
                return
            page["search_after"] = hits[-1]["sort"]

    def _with_id(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return {**body, "pit": {"id": self.id, "keep_alive": _KEEP_ALIVE}}


def first_page(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the search for the first page of all hits, outside of a point in time."""
    page = {"size": _PAGE, "track_total_hits": False, **body}
    if "sort" in page:
        # What breaks ties from page to page is known to points in time alone.
        page["sort"] = [each for each in page["sort"] if each != "_shard_doc"]
    return page


def all_hits(index: str, body: Mapping[str, Any]) -> Calls[list[Mapping[str, Any]]]:
    """Return all hits of a search, as the index is at one moment, read page by page.

    Args:
        index: Index, alias or data stream.
        body: Of the search; `size` is that of a page.
    """
    opened = yield Call("POST", index_path(index, "_pit"), params={"keep_alive": _KEEP_ALIVE})
    close = Call("DELETE", "/_pit", {"id": opened["id"]})
    try:
        hits = yield from _all_pages(opened["id"], body)
    except GeneratorExit:
        # Nobody sends a call any more.
        raise
    except BaseException:
        with suppress(ClusterError):
            yield close
        raise
    with suppress(ClusterError):
        yield close
    return hits


def _all_pages(point: str, body: Mapping[str, Any]) -> Calls[list[Mapping[str, Any]]]:
    hits: list[Mapping[str, Any]] = []
    page = {"track_total_hits": False, "sort": ["_shard_doc"], **body}
    page["pit"] = {"id": point, "keep_alive": _KEEP_ALIVE}
    while True:
        response = yield from search(None, page)
        found = response["hits"]["hits"]
        hits += found
        if len(found) < page["size"]:
            return hits
        page["search_after"] = found[-1]["sort"]
