"""The documents of a batch: what the index has of them, and writing them."""

from collections.abc import Sequence
from typing import Any

from es_simhash.bulk.preparation import Prepared
from es_simhash.engine.gateway import Gateway
from es_simhash.storage.fields import LARGE_MEMBERS, field_path
from es_simhash.storage.references import DocumentRef


class Sender:
    """Reads and writes the documents of prepared batches.

    Args:
        gateway: Sends the requests; it has a policy.
        index: Where documents go.
        field: Field of our object.
    """

    def __init__(self, gateway: Gateway, index: str, field: str) -> None:
        self._gateway = gateway
        self._index = index
        self._large = [field_path(field, member) for member in LARGE_MEMBERS]

    def stop(self) -> None:
        """End all waiting."""
        self._gateway.stop()

    def look_up(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the documents of the index that have these ids."""
        refs = [DocumentRef(None, id) for id in dict.fromkeys(ids)]
        entries = self._gateway.documents(refs, index=self._index, excluded=self._large)
        return {
            entry["_id"]: entry["_source"]
            for entry in entries
            if entry.get("found") and "_source" in entry
        }

    def send(self, prepared: Prepared) -> dict[int, str]:
        """Write the documents of a batch.

        Returns:
            The reason for each document that was rejected for good, by its number in the body.

        Raises:
            ClusterError: The cluster takes no document at all, or is busy for too long.
        """
        rejections = self._gateway.bulk_body(self._index, prepared.body, prepared.ends)
        return {number: rejection.reason for number, rejection in rejections.items()}
