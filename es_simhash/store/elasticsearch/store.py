"""Elasticsearch as a store, for a client that waits; `async_calls` is for one that does not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_calls import IndexCalls
from es_simhash.store.elasticsearch.index_searches import IndexSearches
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.sidecar_searches import SidecarSearches
from es_simhash.store.elasticsearch.snapshot import ElasticsearchSnapshot
from es_simhash.store.elasticsearch.updates import change_documents, write_body
from es_simhash.store.elasticsearch.vector_table_search import with_table
from es_simhash.store.intents import Configuration, Request
from es_simhash.store.mapped_fields import is_data_stream, rejects_field
from es_simhash.store.mapping_meta import require_one_scheme, schemes_of
from es_simhash.store.protocol import Steps
from es_simhash.store.rows import WriteResult

Result = TypeVar("Result")


class ElasticsearchStore:
    """An index, alias or data stream that has fingerprints, in its documents or in a sidecar.

    The constructor sends nothing.

    Args:
        gateway: To the cluster.
        name: Of the index, or of the sidecar.
        config: What is known of its configuration.
        is_complete: Whether that is all, so that nothing is read.
        is_sidecar: Whether the fingerprints are in a sidecar of that name.
    """

    def __init__(
        self,
        gateway: Gateway,
        name: str,
        config: IndexConfig | None = None,
        *,
        is_complete: bool = False,
        is_sidecar: bool = False,
    ) -> None:
        self.gateway = gateway
        self.index = index_calls(
            name, config or IndexConfig(), is_complete=is_complete, is_sidecar=is_sidecar
        )

    @property
    def name(self) -> str:
        """Name of the index, or of the sidecar."""
        return self.index.name

    @property
    def text_index(self) -> str:
        """Index that has the texts and the other fields of the user's documents.

        Raises:
            MappingConflict: The index is no sidecar, but was opened as one.
        """
        return self.gateway.run(self.index.opened())

    @property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted, its schemes read from the mapping once.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        (installed,) = self.ask([Configuration()])
        config: IndexConfig = installed.config
        return config

    def ask(self, requests: Sequence[Request[Any]]) -> list[Any]:
        """Return the answer to each request; their searches are sent as one."""
        return self.gateway.run(self.index.calls(requests))

    def snapshot(
        self, index: str | None = None, *, shard: int | None = None, must_refresh: bool = True
    ) -> ElasticsearchSnapshot:
        """Return the index as it is when a `with` statement begins; see `WritableStore`."""
        return ElasticsearchSnapshot(
            self.gateway,
            index or self.name,
            self.index.given,
            shard=shard,
            must_refresh=must_refresh,
        )

    def change(self, changes: Sequence[Change]) -> list[WriteResult]:
        """Change documents that nobody has changed since they were read."""
        field = self.index.given.simhash_field
        return change_documents(self.gateway, changes, field, index=self.name)

    def write(
        self, body: bytes, ends: Sequence[int], *, index: str | None = None
    ) -> dict[int, WriteResult]:
        """Write documents by lines of bulk requests, and return what was not written."""
        return write_body(self.gateway, index or self.name, body, ends)

    def refresh(self) -> None:
        """Make all that was written visible to searches."""
        self.gateway.refresh(self.name)

    def refresh_if_allowed(self, index: str) -> bool:
        """Do the same for an index; False where the privileges forbid it."""
        return self.gateway.refresh_if_allowed(index)

    def wait(self, seconds: float) -> None:
        """Wait, unless `stop` was called."""
        self.gateway.wait(seconds)

    def stop(self) -> None:
        """End all waiting of this store, also between attempts at a request."""
        self.gateway.stop()

    def bodies(self, requests: Sequence[Request[Any]]) -> list[dict[str, Any]]:
        """Return the bodies of the searches for requests, which are not sent."""
        return self.gateway.run(self.index.bodies(requests))


def opened_store(
    gateway: Gateway,
    name: str,
    config: IndexConfig,
    mapped: Mapping[str, Mapping[str, Any]] | None = None,
) -> ElasticsearchStore:
    """Return an index whose configuration was read, to read what is stored of its documents.

    The word vectors of the index are not read: no text is profiled.

    Args:
        gateway: To the cluster.
        name: Of the index.
        config: What is known of its configuration; its schemes are those of the mapping.
        mapped: The mapping of each index behind the name, where it was read; None to read it.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
    """
    mapped = gateway.mappings(name) if mapped is None else mapped
    configured = schemes_of(name, mapped, config.simhash_field).applied(config)
    return ElasticsearchStore(gateway, name, configured, is_complete=True)


def installed_store(
    client: Client,
    name: str,
    config: IndexConfig,
    retry: RetryPolicy,
    kind: "type[ElasticsearchStore] | None" = None,
    mapped: Mapping[str, Mapping[str, Any]] | None = None,
) -> ElasticsearchStore:
    """Return an index that documents are written to, with the configuration it has now.

    Args:
        client: Client of the cluster.
        name: Name of the index.
        config: Names of the fields; its schemes do not count.
        retry: How long requests to a busy cluster are retried, but for the mapping.
        kind: Class of the store; None for one that writes.
        mapped: The mapping of each index behind the name, where it was read; None to read it.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or indices of several schemes.
    """
    gateway = Gateway.of(client)
    mapped = gateway.mappings(name) if mapped is None else mapped
    configured = schemes_of(name, mapped, config.simhash_field).applied(config)
    installed = gateway.run(with_table(name, configured))
    require_one_scheme(name, installed.left_out)
    drops_id = config.id_field is None and rejects_field(mapped, "id")
    is_stream = is_data_stream(mapped)
    is_alias = not is_stream and name not in mapped
    config = replace(installed, drops_id=drops_id, is_stream=is_stream, is_alias=is_alias)
    make = kind or ElasticsearchStore
    return make(Gateway.of(client, retry), name, config, is_complete=True)


def index_calls(
    name: str, config: IndexConfig, *, is_complete: bool = False, is_sidecar: bool = False
) -> IndexCalls:
    """Return the calls for requests to an index; see `ElasticsearchStore`."""
    searches = SidecarSearches if is_sidecar else IndexSearches
    return IndexCalls(searches(name, config), is_complete=is_complete)


def calls_of(steps: Steps[Result], index: IndexCalls) -> Calls[Result]:
    """Return the result of steps, by calls that whoever drives them sends."""
    try:
        requests = next(steps)
        while True:
            try:
                answers = yield from index.calls(requests)
            except EsSimhashError as error:
                requests = steps.throw(error)
            else:
                requests = steps.send(answers)
    except StopIteration as stop:
        result: Result = stop.value
        return result
