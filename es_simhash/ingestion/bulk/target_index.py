"""The index that a run writes to: what it has of some documents, and bulk requests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.ingestion.bulk.json_documents import ROUTING
from es_simhash.ingestion.bulk.lookup import Identity, Lookup, first_of_each_id, resolve
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.relation.references import DocumentRef
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.elasticsearch.updates import change_documents, require_accepted
from es_simhash.store.indexed_methods import method_of_scheme
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.intents import DocumentsAt, Find, FindPlaces, Parts, Where
from es_simhash.store.mapped_fields import rejects_field
from es_simhash.store.rows import WriteResult

WHOLE = Parts(whole=True)


@dataclass(frozen=True)
class TargetIndex:
    """The index that a run writes to.

    Attributes:
        gateway: To the cluster; it has a retry policy.
        name: Name of the index.
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
            client: Client of the cluster.
            name: Name of the index.
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
        gateway = Gateway.of(client)
        installed = InstalledIndex(gateway, name, config).config
        drops_id = config.id_field is None and rejects_field(gateway.mappings(name), "id")
        return cls(Gateway.of(client, retry), name, replace(installed, drops_id=drops_id))

    def require_profiler(self) -> None:
        """Check that documents can be fingerprinted here, before anything is written.

        Raises:
            InputError: The index weighs a vocabulary that is not given.
            MissingExtra: Its semantic scheme needs a package that is not installed.
        """
        if self.config.semantics is not None:
            semantic_profiler(self.config.semantics, self.config.vocabulary)
        for scheme in self.config.schemes:
            method_of_scheme(scheme.method, scheme.name)

    def is_empty(self) -> bool:
        """Check whether the index has no document; False when that cannot be read."""
        return self.gateway.is_empty(self.name)

    @cached_property
    def has_routings(self) -> bool:
        """True when a document of the index is not routed by its id; asked once."""
        self.gateway.refresh_if_allowed(self.name)
        (routed,) = self.store.ask([Find(Where(has_fields=(ROUTING,)), size=0, count=True)])
        return bool(routed.total)

    @cached_property
    def store(self) -> ElasticsearchStore:
        """The index, for requests."""
        return ElasticsearchStore(self.gateway, self.name, self.config, is_complete=True)

    def lookup(self, identities: Iterable[Identity], parts: Parts = WHOLE) -> Lookup:
        """Return what the index has of some documents, without the large members.

        Documents are read as they are now. Only where routings are in use, those whose line names
        none are searched, with one more request for all.

        Args:
            identities: Ids and routings as they were read.
            parts: What is read of each document.
        """
        wanted = first_of_each_id(identities)
        places = Lookup()
        if any(wanted.values()) or self.has_routings:
            (found,) = self.store.ask([FindPlaces(tuple(wanted))])
            places = resolve(wanted, found)
        refs = tuple(
            DocumentRef(None, id, routing or places.routings.get(id))
            for id, routing in wanted.items()
        )
        rows = self.store.ask([DocumentsAt(refs, parts)])[0] if refs else {}
        return replace(places, stored={ref.id: row.source for ref, row in rows.items()})

    def change(self, changes: Sequence[Change]) -> Sequence[WriteResult]:
        """Change documents, and return the result of each.

        Raises:
            ClusterError: A change is rejected for another reason than a newer version.
        """
        results = change_documents(
            self.gateway, changes, self.config.simhash_field, index=self.name
        )
        return require_accepted(changes, results)

    def write(self, prepared: Prepared) -> dict[int, str]:
        """Write the documents of a batch.

        Returns:
            The reason for each document that was rejected for good, by its number in the body.

        Raises:
            ClusterError: The cluster rejects every document, or is busy for too long.
        """
        rejections = self.gateway.bulk_body(self.name, prepared.body, prepared.ends)
        return {number: rejection.reason for number, rejection in rejections.items()}
