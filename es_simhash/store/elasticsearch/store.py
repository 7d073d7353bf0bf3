"""Elasticsearch as a store, for a client that waits; `async_calls` is for one that does not."""

from collections.abc import Sequence
from typing import Any, TypeVar

from es_simhash.errors import EsSimhashError
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.index_calls import IndexCalls
from es_simhash.store.elasticsearch.sidecar_calls import SidecarCalls
from es_simhash.store.intents import Request
from es_simhash.store.protocol import Steps

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

    def ask(self, requests: Sequence[Request[Any]]) -> list[Any]:
        """Return the answer to each request; their searches are sent as one."""
        return self.gateway.run(self.index.calls(requests))

    def bodies(self, requests: Sequence[Request[Any]]) -> list[dict[str, Any]]:
        """Return the bodies of the searches for requests, which are not sent."""
        return self.gateway.run(self.index.bodies(requests))


def index_calls(
    name: str, config: IndexConfig, *, is_complete: bool = False, is_sidecar: bool = False
) -> IndexCalls:
    """Return the calls for requests to an index; see `ElasticsearchStore`."""
    kind = SidecarCalls if is_sidecar else IndexCalls
    return kind(name, config, is_complete=is_complete)


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
