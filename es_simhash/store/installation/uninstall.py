"""Removing from an index what this package has put there; what cannot be removed is named."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import EsSimhashError, MappingConflict
from es_simhash.store import pipeline, resources
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.searches import count
from es_simhash.store.fields import (
    DEFAULT_FIELD,
    INDEX,
    SOURCE,
)
from es_simhash.store.installation.index_templates import data_streams, fits, sendable
from es_simhash.store.installation.install import Request
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.installation.stored_objects import count_objects, empty_documents
from es_simhash.store.mapping_meta import (
    SIDECAR_META,
    first_field,
    meta_entry,
    schemes_of,
    source_of,
    upgraded_fields,
)
from es_simhash.store.paths import mapped_field
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import state_index_name
from es_simhash.text.counting import counted

_STATE_AT_ONCE = 1000
_PIPELINE_SETTINGS = ("index.default_pipeline", "index.final_pipeline")
_TEMPLATES = "_index_template"
_COMPONENTS = "_component_template"
_PIPELINE = index_path("_ingest", "pipeline", pipeline.NAME)


@dataclass(frozen=True)
class UninstallReport:
    """What `uninstall` removed, or would remove, and what is left.

    Attributes:
        documents: Documents that the object was taken from, or would be.
        requests: The other requests, in the order they are sent.
        left: What stays, and how it is removed; a sentence each.
    """

    documents: int
    requests: tuple[Request, ...]
    left: tuple[str, ...]


def uninstall(
    client: Client,
    index: str,
    *,
    simhash_field: str = DEFAULT_FIELD,
    shared: bool = False,
    dry_run: bool = False,
) -> UninstallReport:
    """Remove what this package has put into an index; see `Index.uninstall`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream; or a sidecar, which is deleted.
        simhash_field: Field of the `simhash` object.
        shared: Also delete what all indices share.
        dry_run: Send no request that writes.
    """
    return _Uninstall(Gateway.of(client), index, simhash_field).run(shared=shared, dry_run=dry_run)


class _Uninstall:
    """One run; the entry in `_meta` goes last, so that a run that was ended is done again."""

    def __init__(self, gateway: Gateway, index: str, field: str) -> None:
        self._gateway = gateway
        self._index = index
        self._mappings = gateway.mappings(index)
        # After an upgrade there are two fields or more, with one state.
        self._field = first_field(self._mappings, field)
        self._fields = [self._field, *upgraded_fields(self._mappings, self._field)]
        self._state_name = state_index_name(index)
        self._left: list[str] = []

    def run(self, *, shared: bool, dry_run: bool) -> UninstallReport:
        if all(mapped_field(mapping, self._field) is None for mapping in self._mappings.values()):
            schemes_of(self._index, self._mappings, self._field)  # names what is missing
        if source_of(self._mappings, self._field) is not None:
            return self._sidecar(dry_run=dry_run)
        self._gateway.refresh_if_allowed(self._index)
        before = [*self._pipeline_settings(), *self._template()]
        state = self._state()
        after = [*state, *self._meta(), *(self._shared() if shared else ())]
        self._name_what_stays(shared=shared)
        if dry_run:
            documents = count_objects(self._gateway, self._index, self._fields)
        else:
            self._send(before)
            emptied = [empty_documents(self._gateway, self._index, each) for each in self._fields]
            documents = max(emptied)
            if not any(request.path == index_path(self._state_name) for request in state):
                self._empty_state()
            self._send(after)
        return UninstallReport(documents, (*before, *after), tuple(self._left))

    def _sidecar(self, *, dry_run: bool) -> UninstallReport:
        """Delete a sidecar, which has no documents but those that a backfill wrote."""
        for name in self._mappings:
            theirs = {"bool": {"must_not": {"exists": {"field": f"{SOURCE}.{INDEX}"}}}}
            if foreign := self._gateway.run(count(name, theirs)):
                raise MappingConflict(
                    f"Sidecar {name!r} has {counted(foreign, 'document')} that no backfill wrote. "
                    "Move them, then run it again."
                )
        documents = self._gateway.run(count(self._index))
        requests = [Request("DELETE", index_path(name), {}) for name in self._mappings]
        requests += self._state()
        if not dry_run:
            self._send(requests)
        return UninstallReport(documents, tuple(requests), ())

    def _send(self, requests: list[Request]) -> None:
        for request in requests:
            with suppress(_Gone):
                self._send_one(request)

    def _send_one(self, request: Request) -> None:
        try:
            self._gateway.request(request.method, request.path, request.body or None)
        except RequestRejected as error:
            if error.status == 404 and request.method == "DELETE":
                raise _Gone from error
            raise

    def _pipeline_settings(self) -> Iterator[Request]:
        """Yield requests after which no document written to the index gets fields anew."""
        for name, settings in self._gateway.settings(self._index).items():
            of_ours = [key for key in _PIPELINE_SETTINGS if settings.get(key) == pipeline.NAME]
            if of_ours:
                yield Request("PUT", index_path(name, "_settings"), dict.fromkeys(of_ours))

    def _template(self) -> Iterator[Request]:
        """Yield requests that take the fields out of the index templates that have them."""
        try:
            entries = self._gateway.request("GET", index_path(_TEMPLATES))["index_templates"]
        except RequestRejected as error:
            if error.status != 403:
                raise
            self._left.append(
                "Index templates were not read, as the cluster privilege manage_index_templates is "
                f"missing: take components that end with -{resources.MAPPINGS} out of them."
            )
            return
        beside = f"{self._state_name}@template"
        for entry in entries:
            name, body = entry["name"], entry["index_template"]
            component = f"{name}-{resources.MAPPINGS}"
            if name == beside:
                yield Request("DELETE", index_path(_TEMPLATES, name), {})
            elif component in body.get("composed_of", ()) and self._is_spare(name, body):
                others = [each for each in body["composed_of"] if each != component]
                yield Request(
                    "PUT", index_path(_TEMPLATES, name), {**sendable(body), "composed_of": others}
                )
                yield Request("DELETE", index_path(_COMPONENTS, component), {})

    def _is_spare(self, name: str, body: Mapping[str, Any]) -> bool:
        """Check whether no other index that a template has made has the fields."""
        names = {self._index, *data_streams(self._mappings)}
        if not any(fits(each, body) for each in names):
            return False
        made = self._gateway.request(
            "GET",
            index_path(",".join(body["index_patterns"]), "_mapping"),
            # Of a pattern that is a name, there may be no index.
            params={"ignore_unavailable": "true"},
        )
        others = sorted(
            other
            for other, entry in made.items()
            if other not in self._mappings and meta_entry(entry["mappings"], self._field)
        )
        if others:
            self._left.append(
                f"Index template {name!r} keeps the fields, which {others[0]!r} has as well."
            )
        return not others

    def _state(self) -> list[Request]:
        """Return requests that remove the state, unless other fields have some."""
        name = self._state_name
        if not self._gateway.exists(name):
            return []
        if self._gateway.run(count(name, {"bool": {"must_not": self._of_fields}})):
            self._left.append(f"Index {name!r} stays, for what it keeps of other fields.")
            return []
        return [Request("DELETE", index_path(name), {})]

    def _empty_state(self) -> None:
        """Delete the entries of these fields where the index stays."""
        state = StateIndex(self._gateway, self._index, self._field)
        if self._gateway.exists(state.name):
            body = {"query": self._of_fields, "_source": False}
            # Each write has refreshed the index.
            hits = self._gateway.pages(state.name, body, must_refresh=False)
            for some in batches_of(hits, _STATE_AT_ONCE):
                state.write([state.removal(hit["_id"]) for hit in some])

    @property
    def _of_fields(self) -> dict[str, Any]:
        return {"terms": {"field": self._fields}}

    def _meta(self) -> Iterator[Request]:
        for name, mapping in self._mappings.items():
            if not any(meta_entry(mapping, field) for field in self._fields):
                continue
            meta = dict(mapping["_meta"])
            for key in (resources.META, SIDECAR_META):
                entries = meta.pop(key, {}).items()
                left = {field: entry for field, entry in entries if field not in self._fields}
                meta |= {key: left} if left else {}
            yield Request("PUT", index_path(name, "_mapping"), {"_meta": meta})

    def _shared(self) -> Iterator[Request]:
        """Yield requests that delete what no other index uses any more."""
        others = self._gateway.settings("*", "index.*_pipeline")
        using = sorted(
            name
            for name, settings in others.items()
            if name not in self._mappings and pipeline.NAME in settings.values()
        )
        if using:
            self._left.append(f"Pipeline {pipeline.NAME!r} is used by index {using[0]!r}.")
        else:
            yield Request("DELETE", _PIPELINE, {})
        yield Request("DELETE", index_path(_COMPONENTS, resources.MAPPINGS), {})

    def _name_what_stays(self, *, shared: bool) -> None:
        names, excluded = ", ".join(map(repr, self._fields)), json.dumps(self._fields)
        self._left.append(
            f"The fields under {names} stay in the mapping, and are null in _source: to remove "
            f'them, re-index with `"_source": {{"excludes": {excluded}}}` into a new index.'
        )
        if not shared:
            self._left.append(
                f"Component template {resources.MAPPINGS!r} and pipeline {pipeline.NAME!r}, where "
                "there are such, are of all indices: --shared deletes them."
            )
        self._left.append(
            "Audit logs, dead letters and journals stay, as do sidecars: run it for each sidecar, "
            "and delete the files when nothing is to be undone."
        )


class _Gone(EsSimhashError):
    """What is to be deleted is not there."""
