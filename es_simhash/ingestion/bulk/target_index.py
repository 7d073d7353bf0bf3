"""The index that a run writes to: what it has of some documents, and bulk requests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from es_simhash.ingestion.bulk.json_documents import ROUTING
from es_simhash.ingestion.bulk.lookup import Identity, Lookup, first_of_each_id, resolve
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.relation.references import DocumentRef
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.updates import require_accepted
from es_simhash.store.indexed_methods import method_of_scheme
from es_simhash.store.intents import Configuration, DocumentsAt, Find, FindPlaces, Parts, Where
from es_simhash.store.protocol import WritableStore
from es_simhash.store.rows import WriteResult
from es_simhash.store.source import stored_text

WHOLE = Parts(whole=True)


class _Contents(NamedTuple):
    """Whether an index has no document, and whether some are not routed by their ids."""

    is_empty: bool
    has_routings: bool


@dataclass(frozen=True)
class TargetIndex:
    """The index that a run writes to.

    Attributes:
        store: The index, for requests; it retries.
    """

    store: WritableStore

    @property
    def name(self) -> str:
        """Name of the index."""
        return self.store.name

    @cached_property
    def config(self) -> IndexConfig:
        """How its documents are read and fingerprinted.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        (installed,) = self.store.ask([Configuration()])
        config: IndexConfig = installed.config
        return config

    def require_profiler(self) -> None:
        """Check that documents can be fingerprinted here, before anything is written.

        Raises:
            InputError: The index weighs a vocabulary that is not given.
            MissingExtra: Its semantic scheme needs a package that is not installed.
        """
        if self.config.semantics is not None:
            semantic_profiler(self.config.semantics, self.config.vocabulary, self.config.table)
        for scheme in self.config.schemes:
            method_of_scheme(scheme.method, scheme.name)

    @property
    def is_empty(self) -> bool:
        """True when the index had no document; False where some may not have been seen."""
        return self._contents.is_empty

    @property
    def has_routings(self) -> bool:
        """True when a document of the index was not routed by its id."""
        return self._contents.has_routings

    @cached_property
    def _contents(self) -> _Contents:
        """Counts of the index before the run writes, read with one request."""
        is_refreshed = self.store.refresh_if_allowed(self.name)
        every, routed = (
            Find(where, size=0, count=True) for where in (Where(), Where(has_fields=(ROUTING,)))
        )
        documents, elsewhere = self.store.ask([every, routed])
        return _Contents(is_refreshed and not documents.total, bool(elsewhere.total))

    def lookup(self, identities: Iterable[Identity], parts: Parts = WHOLE) -> Lookup:
        """Return what the index has of some documents, without the large members.

        Documents are read as they are now. Only where routings are in use, those whose line names
        none are searched, with one more request for all. So are those of an alias that its one
        index does not have: it may stand for several, also since a moment ago.

        Args:
            identities: Ids and routings as they were read.
            parts: What is read of each document.
        """
        wanted = first_of_each_id(identities)
        if self.config.is_stream:
            return self._lookup_in_indices(wanted, parts)
        places = Lookup()
        if any(wanted.values()) or self.has_routings:
            (found,) = self.store.ask([FindPlaces(tuple(wanted))])
            places = resolve(wanted, found)
        refs = tuple(
            DocumentRef(None, id, routing or places.routings.get(id))
            for id, routing in wanted.items()
        )
        rows = self.store.ask([DocumentsAt(refs, parts)])[0] if refs else {}
        stored = {ref.id: row.source for ref, row in rows.items()}
        missing = [id for id in wanted if id not in stored]
        if not self.config.is_alias or not missing:
            return replace(places, stored=stored)
        others = self._lookup_in_indices(missing, parts)
        return replace(places, stored={**stored, **others.stored}, versions=others.versions)

    def _lookup_in_indices(self, wanted: Iterable[str], parts: Parts) -> Lookup:
        """Return what several indices have of some documents: of several with one id, the newest.

        They are those of a data stream or an alias.
        """
        (found,) = self.store.ask([FindPlaces(tuple(wanted))])
        # Names of indices that are rolled over end with a number that grows.
        refs = [max(places) for places in found.values() if places]
        rows = self.store.ask([DocumentsAt(tuple(refs), replace(parts, version=True))])[0]
        return Lookup(
            stored={ref.id: row.source for ref, row in rows.items()},
            versions={ref.id: row.version for ref, row in rows.items() if row.version},
        )

    def change(self, changes: Sequence[Change]) -> Sequence[WriteResult]:
        """Change documents, and return the result of each.

        Raises:
            ClusterError: A change is rejected for another reason than a newer version.
        """
        return require_accepted(changes, self.store.change(changes))

    def write(self, prepared: Prepared) -> dict[int, str]:
        """Write the documents of a batch.

        Returns:
            The reason for each document that was rejected for good, by its number in the body.

        Raises:
            ClusterError: The cluster rejects every document, or is busy for too long.
        """
        failures = self.store.write(prepared.body, prepared.ends)
        written = self._written_before(prepared, failures)
        return {
            number: str(result.reason)
            for number, result in failures.items()
            if number not in written
        }

    def _written_before(
        self, prepared: Prepared, failures: Mapping[int, WriteResult]
    ) -> frozenset[int]:
        """Return the documents of several indices that were written although no answer said so.

        A plain index takes them once more; what a data stream or an alias has is written to the
        index that has it, in place of the version that was read, and conflicts with itself.
        """
        resent = [
            number
            for number, result in failures.items()
            if result.status == "conflict" and result.is_resent
        ]
        if not resent or not (self.config.is_stream or self.config.is_alias):
            return frozenset()
        self.store.refresh_if_allowed(self.name)
        wanted = dict.fromkeys(prepared.ids[number] for number in resent)
        name, parts = self.config.text_field, Parts(fields=self.config.text_fields)
        stored = self._lookup_in_indices(wanted, parts).stored

        def is_stored(number: int) -> bool:
            found = stored.get(prepared.ids[number], {})
            return stored_text(found, name) == stored_text(prepared.source(number), name)

        return frozenset(filter(is_stored, resent))
