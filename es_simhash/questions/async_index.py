"""An index for programs that do not wait: the questions of `Index`, to be awaited."""

import os
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from es_simhash.differences.difference import Changes
from es_simhash.differences.history import Blame, History
from es_simhash.differences.version_timeline import Timeline
from es_simhash.questions.index_steps import IndexSteps
from es_simhash.questions.method_steps import MethodAnswer
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.relation import Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.async_calls import AsyncCalls
from es_simhash.store.elasticsearch.client import AsyncElasticsearch
from es_simhash.store.elasticsearch.store import calls_of, index_calls
from es_simhash.store.intents import Filter
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Steps

Result = TypeVar("Result")


class AsyncIndex:
    """An index, alias or data stream that has fingerprint fields, asked without blocking the loop.

    It answers as `Index` does, by the same steps. Texts are analysed and aligned in threads. The
    constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index, or of a sidecar.
        config: As in `Index`.
        is_sidecar: Whether it is a sidecar.
        executor: Its threads compute; None for threads of this index, one a core.
    """

    def __init__(
        self,
        client: AsyncElasticsearch,
        name: str,
        config: IndexConfig | None = None,
        *,
        is_sidecar: bool = False,
        executor: Executor | None = None,
    ) -> None:
        self.name = name
        # More threads than cores would only take turns with the event loop.
        self._executor = executor or ThreadPoolExecutor(os.cpu_count(), f"es-simhash {name}")
        self._calls = AsyncCalls(client, self._executor)
        self._index = index_calls(name, config or IndexConfig(), is_sidecar=is_sidecar)
        self._steps = IndexSteps()

    def __repr__(self) -> str:
        return f"AsyncIndex({self.name!r})"

    async def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the documents related to a stored document or to a text; see `Index.related`."""
        return await self._run(self._steps.related(id, text, options))

    async def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> AsyncIterator[Answer]:
        """Yield all that is related, in pages of `size`; see `Index.pages`."""
        wanted: SearchOptions | None = options or SearchOptions()
        while wanted is not None:
            answer = await self.related(id=id, text=text, options=wanted)
            if answer:
                yield answer
            offset = answer.extent.next_offset
            wanted = None if offset is None else replace(wanted, offset=offset)

    async def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, with one search request."""
        return await self._run(self._steps.related_to_each(ids, options))

    async def related_by(
        self,
        method: str,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> MethodAnswer:
        """Return the documents that a method finds; see `Index.related_by`."""
        return await self._run(self._steps.related_by(method, id, text, options))

    async def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, with all its evidence."""
        return await self._run(self._steps.explain(id_a, id_b))

    async def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one stored document to another; see `Index.changes`."""
        return await self._run(self._steps.changes(id_a, id_b))

    async def history(self, id: str, *, date_field: str | None = None) -> History:
        """Return the versions of a document, oldest first; see `Index.history`."""
        return await self._run(self._steps.history(id, date_field))

    async def blame(self, id: str, *, date_field: str | None = None) -> Blame:
        """Return since when each sentence of a version has been there; see `Index.blame`."""
        return await self._run(self._steps.blame(id, date_field))

    async def timeline(
        self,
        id_a: str,
        id_b: str,
        *,
        date_field: str | None = None,
        filters: Sequence[Filter] = (),
    ) -> Timeline | None:
        """Return the family of two stored documents in order of the dates; see `Index.timeline`."""
        return await self._run(self._steps.timeline(id_a, id_b, date_field, filters))

    async def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Filter] = (),
    ) -> FamilyHistory:
        """Return the version family of a document, or that of a name; see `Index.family`."""
        return await self._run(self._steps.family(id, date_field, newer_than, filters))

    async def _run(self, steps: Steps[Result]) -> Result:
        return await self._calls.run(calls_of(steps, self._index))
