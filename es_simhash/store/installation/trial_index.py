"""An index that lives as long as something is measured in it."""

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from types import TracebackType
from typing import Any
from uuid import uuid4

from es_simhash.errors import ClusterError
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.elasticsearch.bulk import index_action, send_body
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.index_stats import primary_sizes
from es_simhash.store.installation.install import install

_PREFIX = "es-simhash-plan-"
_SETTINGS = {"number_of_shards": 1, "number_of_replicas": 0}


class TrialIndex:
    """An index of one shard without a copy, deleted at the end of the block.

    Args:
        gateway: To the cluster.
        semantics: Scheme of its semantic fields; None for fingerprints alone.
        has_fields: Whether it has `simhash` fields at all.
    """

    def __init__(
        self, gateway: Gateway, semantics: SemanticScheme | None, *, has_fields: bool = True
    ) -> None:
        self._gateway, self._semantics, self._has_fields = gateway, semantics, has_fields
        self.name = f"{_PREFIX}{uuid4().hex[:12]}"

    def __enter__(self) -> "TrialIndex":
        mappings: dict[str, Any] = {}
        self._gateway.create_index_if_missing(self.name, mappings=mappings, settings=_SETTINGS)
        if self._has_fields:
            install(self._gateway, self.name, semantics=self._semantics)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An error of before is the one to tell.
        with suppress(*((ClusterError,) if error is not None else ())):
            self._gateway.request("DELETE", index_path(self.name))

    def write(self, documents: Sequence[tuple[str, bytes]]) -> float:
        """Write documents, each an id and its JSON, and return the seconds that it took.

        Raises:
            ClusterError: One of them is rejected.
        """
        actions = [index_action(id, source) for id, source in documents]
        ends = list(accumulate(map(len, actions)))
        started = time.perf_counter()
        rejections = send_body(self._gateway, self.name, b"".join(actions), ends)
        seconds = time.perf_counter() - started
        for number, rejection in rejections.items():
            raise ClusterError(
                f"Document {documents[number][0]!r} of the sample was rejected: "
                f"{rejection.reason}. Name another sample."
            )
        return seconds

    def stored(self) -> int:
        """Return the bytes of the documents on disk in one segment, as most of a large index are.

        Raises:
            ClusterError: The privilege `monitor` is missing.
        """
        self._gateway.request(
            "POST", index_path(self.name, "_forcemerge"), params={"max_num_segments": "1"}
        )
        self._gateway.request("POST", index_path(self.name, "_flush"))
        self._gateway.refresh(self.name)
        sizes = primary_sizes(self._gateway, self.name)
        if sizes is None:
            raise ClusterError(
                f"The size of index {self.name!r} is not known without the privilege monitor. "
                "Grant it for es-simhash-plan-*."
            )
        return sizes[0]
