"""Requests of a policy to one index: searches, documents and small writes, all retried."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.engine.bulk import Action
from es_simhash.engine.gateway import Gateway
from es_simhash.storage.fields import LARGE_MEMBERS, field_path
from es_simhash.storage.references import DocumentRef


class Requests:
    """What a policy reads from an index and writes to it.

    Args:
        gateway: Sends the requests; it has a policy.
        index: The user's index.
        field: Field of our object.
    """

    def __init__(self, gateway: Gateway, index: str, field: str) -> None:
        self.gateway = gateway
        self.index = index
        self._field = field

    def of(self, index: str) -> "Requests":
        """Return the requests to another index; both are stopped together."""
        return Requests(self.gateway, index, self._field)

    def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            Stopped: The run has ended.
        """
        self.gateway.wait(seconds)

    def searches(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Send many searches as one request.

        Raises:
            ClusterError: A search is rejected.
        """
        return self.gateway.search_all(self.index, bodies)

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
        refs = [
            DocumentRef(index or self.index, id, routing)
            for (index, id), routing in zip(keys, routings or [None] * len(keys), strict=True)
        ]
        large = [field_path(self._field, member) for member in LARGE_MEMBERS]
        return self.gateway.documents(refs, wanted, excluded=large if wanted is None else ())

    def bulk(self, index: str, actions: Sequence[Action]) -> list[Mapping[str, Any]]:
        """Send small actions and return the result of each, rejected for good or not."""
        return self.gateway.bulk(actions, index=index)

    def refresh(self) -> None:
        """Make all that was written visible to searches."""
        self.gateway.refresh(self.index)
