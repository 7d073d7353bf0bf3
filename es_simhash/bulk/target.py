"""The index that a run writes to: what it has of some documents, and bulk requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.bulk.preparation import Prepared
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import ClusterError
from es_simhash.indices.configuration import InstalledIndex
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.fields import LARGE_MEMBERS
from es_simhash.storage.references import DocumentRef


@dataclass(frozen=True)
class TargetIndex:
    """The index that a run writes to.

    Attributes:
        gateway: To the cluster; it has a retry policy.
        name: Of the index.
        config: How its documents are read and fingerprinted.
    """

    gateway: Gateway
    name: str
    config: IndexConfig

    @classmethod
    def open(
        cls, client: Client, name: str, config: IndexConfig, retry: RetryPolicy
    ) -> "TargetIndex":
        """Return an index with the schemes of its mapping.

        Args:
            client: Of the cluster.
            name: Of the index.
            config: Names of the fields; its schemes do not count.
            retry: How long requests to a busy cluster are retried, but for the mapping.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
            InputError: It weighs a vocabulary that is not given.
            MissingExtra: Its semantic scheme needs a package that is not installed.
        """
        target = cls.of(client, name, config, retry)
        target.require_profiler()
        return target

    @classmethod
    def of(
        cls, client: Client, name: str, config: IndexConfig, retry: RetryPolicy
    ) -> "TargetIndex":
        """Return an index as `open` does, although its documents may not be fingerprinted here."""
        installed = InstalledIndex(Gateway.of(client), name, config).config
        return cls(Gateway.of(client, retry), name, installed)

    def require_profiler(self) -> None:
        """Check that documents can be fingerprinted here, before anything is written.

        Raises:
            InputError: The index weighs a vocabulary that is not given.
            MissingExtra: Its semantic scheme needs a package that is not installed.
        """
        if self.config.semantics is not None:
            semantic_profiler(self.config.semantics, self.config.vocabulary)

    def is_empty(self) -> bool:
        """Check whether the index has no document; False when that cannot be read."""
        try:
            self.gateway.once("POST", index_path(self.name, "_refresh"))
            response = self.gateway.once("GET", index_path(self.name, "_count"))
        except ClusterError:
            return False
        return bool(response["count"] == 0 and not response["_shards"]["failed"])

    def stored(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the documents of the index that have these ids, without the large members."""
        refs = [DocumentRef(None, id) for id in dict.fromkeys(ids)]
        excluded = [self.config.path(member) for member in LARGE_MEMBERS]
        entries = self.gateway.documents(refs, index=self.name, excluded=excluded)
        return {
            entry["_id"]: entry["_source"]
            for entry in entries
            if entry.get("found") and "_source" in entry
        }

    def write(self, prepared: Prepared) -> dict[int, str]:
        """Write the documents of a batch.

        Returns:
            The reason for each document that was rejected for good, by its number in the body.

        Raises:
            ClusterError: The cluster rejects every document, or is busy for too long.
        """
        rejections = self.gateway.bulk_body(self.name, prepared.body, prepared.ends)
        return {number: rejection.reason for number, rejection in rejections.items()}
