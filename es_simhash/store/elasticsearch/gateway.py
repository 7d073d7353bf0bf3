"""The gateway: the only thing that sends requests to Elasticsearch, with one way to retry them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.errors import IndexMissing, InputError
from es_simhash.store.elasticsearch import searches
from es_simhash.store.elasticsearch.bulk import Action, send_actions
from es_simhash.store.elasticsearch.calls import index_path, mappings
from es_simhash.store.elasticsearch.client import Elasticsearch
from es_simhash.store.elasticsearch.errors import RequestRejected, forbidden
from es_simhash.store.elasticsearch.load_bound import LoadBound
from es_simhash.store.elasticsearch.pages import PointInTime, first_page
from es_simhash.store.elasticsearch.requests import Requests
from es_simhash.store.elasticsearch.retry import RETRYABLE, RetryPolicy, Waiter
from es_simhash.store.elasticsearch.searches import OptionalSearch
from es_simhash.store.opensearch.transport import speaking

# How the server rejects an index that a template would make a data stream of.
_STREAMS_ONLY = "creates data streams only"


class Gateway(Requests):
    """Sends requests and raises our errors; safe to use from several threads.

    Without a policy a request is sent as the client sends it, and nothing waits. With one, it is
    retried while the cluster is busy or unreachable, and only for what was rejected.

    Args:
        client: The client.
        retry: How long to retry; None for no waiting.
        waiter: Waits between retries; shared by all gateways of a run.
        load: How busy the nodes may be; None for no bound.
    """

    def __init__(
        self,
        client: Elasticsearch,
        retry: RetryPolicy | None = None,
        *,
        waiter: Waiter | None = None,
        load: LoadBound | None = None,
    ) -> None:
        super().__init__(speaking(client), retry, waiter=waiter, load=load)

    @classmethod
    def of(cls, client: "Client", retry: RetryPolicy | None = None) -> "Gateway":
        """Return a gateway for a client; one that is given stays as it is when there is no policy.

        Args:
            client: The client, or a gateway.
            retry: Policy of a run. What is returned then waits on its own, so that stopping one
                run stops no other; what belongs to a run shares its gateway.
        """
        if not isinstance(client, Gateway):
            return cls(client, retry)
        return client if retry is None else client._copy(retry, client._load)

    def bounded(self, max_load: float) -> "Gateway":
        """Return a gateway whose requests wait while a node is busier than that.

        Args:
            max_load: See `LoadBound`.

        Raises:
            InputError: It is not more than 0 and less than 100.
        """
        return self._copy(self.retry, LoadBound(max_load))

    def unbounded(self) -> "Gateway":
        """Return a gateway whose requests do not wait for less busy nodes."""
        return self._copy(self.retry, None)

    def _copy(self, retry: RetryPolicy | None, load: LoadBound | None) -> "Gateway":
        """Return a gateway of the same client that waits on its own."""
        return Gateway(self._client, retry, load=load)

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def search_all(
        self,
        index: str | None,
        bodies: Sequence[Mapping[str, Any]],
        optional: Sequence[OptionalSearch] = (),
    ) -> list[Mapping[str, Any]]:
        """Return the responses to many searches, sent as one request.

        Hits have the scores of named clauses.

        Args:
            index: Index, alias or data stream; None when the bodies name a point in time.
            bodies: Of the searches.
            optional: Further searches; their responses come last.

        Raises:
            IndexMissing: There is no such index.
            PointInTimeExpired: The point in time is gone.
            ClusterError: A search is rejected, or a shard does not answer.
        """
        return self.run(searches.search_all(index, bodies, optional))

    def bulk(
        self, actions: Sequence[Action], *, index: str | None = None, refresh: bool = False
    ) -> list[Mapping[str, Any]]:
        """Send small actions and return the result of each, rejected or not.

        With a policy, results that a retry may change are retried. Each has the member `is_resent`:
        whether the action was sent before, and may have been done without an answer.

        Args:
            actions: The lines of each action.
            index: Index of those that name none.
            refresh: Whether searches see them as soon as this returns.

        Raises:
            ClusterError: The request is rejected, or the cluster is busy for too long.
        """
        return send_actions(self, actions, index, refresh=refresh)

    def refresh(self, index: str) -> None:
        """Make all that was written visible to searches."""
        self.request("POST", index_path(index, "_refresh"))

    def refresh_if_allowed(self, index: str) -> bool:
        """Refresh an index; False where cluster or privileges forbid it, or there is none.

        Raises:
            ClusterError: The cluster is busy or unreachable for too long.
        """
        try:
            self.refresh(index)
        except IndexMissing:
            return False
        except RequestRejected as error:
            if error.status in RETRYABLE:
                raise
            return False
        return True

    def exists(self, index: str) -> bool:
        """Check whether an index, alias or data stream exists.

        Raises:
            RequestRejected: The privilege is missing.
        """
        try:
            return bool(self.request("HEAD", index_path(index)))
        except RequestRejected as error:
            if error.status != 403:
                raise
            # The response has no body that says so.
            raise forbidden(
                f"whether index {index!r} exists is known with the privilege view_index_metadata "
                "or manage"
            ) from error

    def create_index_if_missing(
        self,
        index: str,
        *,
        mappings: Mapping[str, Any],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Create an index when there is none.

        Raises:
            ClusterError: It may not be created.
            InputError: A template makes data streams of names like it.
        """
        if self.exists(index):
            return
        body = {"mappings": mappings, **({} if settings is None else {"settings": settings})}
        try:
            self.request("PUT", index_path(index), body)
        except RequestRejected as error:
            if _STREAMS_ONLY in str(error):
                raise InputError(
                    f"Index {index!r} cannot be created, as an index template makes a data stream "
                    "of each name like it. Run `es-simhash install` of the data stream with the "
                    "cluster privilege manage_index_templates, or put an index template of higher "
                    f"priority for {index!r}."
                ) from error
            # Another run was quicker.
            if error.kind != "resource_already_exists_exception":
                raise

    def mappings(self, index: str) -> dict[str, dict[str, Any]]:
        """Return the mapping of each index behind a name.

        Raises:
            IndexMissing: There is none.
        """
        return self.run(mappings(index))

    def settings(self, index: str, name: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the settings of each index behind a name, or the one that is named, flat."""
        rest = ["_settings", *([] if name is None else [name])]
        response = self.request("GET", index_path(index, *rest), params={"flat_settings": "true"})
        return {index: entry["settings"] for index, entry in response.items()}

    def put_mapping(self, index: str, body: Mapping[str, Any]) -> None:
        """Add fields to a mapping.

        Raises:
            ClusterError: The cluster rejects them.
        """
        self.request("PUT", index_path(index, "_mapping"), dict(body))

    def pages(
        self,
        index: str,
        body: Mapping[str, Any],
        *,
        shard: int | None = None,
        must_refresh: bool = True,
    ) -> Iterator[dict[str, Any]]:
        """Yield the hits of a search, as the index is at one moment, in no order by default.

        Where one page holds them all, one search reads them; else a point in time.

        Args:
            index: Index, alias or data stream.
            body: Of the search.
            shard: Number of the one shard to search; None for all.
            must_refresh: Whether it is refreshed first.

        Raises:
            IndexMissing: There is no such index.
            ClusterError: The search is rejected, or a shard does not answer.
        """
        if must_refresh:
            self.refresh(index)
        if shard is None:
            page = first_page(body)
            hits = self.run(searches.search(index, page))["hits"]["hits"]
            if len(hits) < page["size"]:
                yield from hits
                return
        with PointInTime(self, index, shard=shard) as point:
            yield from point.hits(body)


# What public functions take as their client.
Client = Elasticsearch | Gateway
