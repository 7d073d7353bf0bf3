"""The index that a run writes to: what it has of some documents, and bulk requests."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from es_simhash.ingestion.bulk.json_documents import ROUTING
from es_simhash.ingestion.bulk.lookup import (
    Identity,
    Lookup,
    first_of_each_id,
    kept_parts,
    resolve,
    with_decisions,
)
from es_simhash.ingestion.bulk.prepared_batches import Prepared
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.store.changes import WRITE_ATTEMPTS, Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.bulk import WriteAction, index_action
from es_simhash.store.elasticsearch.updates import require_accepted
from es_simhash.store.fields import DECIDED
from es_simhash.store.indexed_methods import method_of_scheme
from es_simhash.store.intents import Configuration, DocumentsAt, Find, FindPlaces, Parts, Where
from es_simhash.store.protocol import WritableStore, rows_of_ids, run
from es_simhash.store.rows import Row, WriteResult

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

    @property
    def may_move(self) -> bool:
        """True for an alias or a data stream, whose documents may be in several indices."""
        return self.config.is_alias or self.config.is_stream

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

    def lookup(
        self, identities: Iterable[Identity], parts: Parts = WHOLE, *, refreshes: bool = False
    ) -> Lookup:
        """Return what the index has of some documents, without the large members.

        Of whole documents it also says which are outdated, with one more request where there are
        any.

        Documents are read as they are now. Only where routings are in use, those whose line names
        none are searched, with one more request for all. So are those of an alias that its one
        index does not have: it may stand for several, also since a moment ago.

        Args:
            identities: Ids and routings as they were read.
            parts: What is read of each document.
            refreshes: Whether searches are to find what was written just now, where that is
                allowed.
        """
        wanted = first_of_each_id(identities)
        found = self._found(wanted, replace(parts, version=self.may_move), refreshes=refreshes)
        if not parts.whole or not found.stored:
            return found
        outdated = Find(Where(ids=tuple(found.stored), is_current=False))
        (rows,) = run(rows_of_ids([outdated]), self.store)
        return replace(found, outdated=frozenset(row.ref.id for row in rows))

    def _found(self, wanted: Mapping[str, str | None], parts: Parts, *, refreshes: bool) -> Lookup:
        """Return where documents are and what the index has of them, by ids with their routings."""
        if self.config.is_stream:
            return self._lookup_in_indices(wanted, parts, refreshes=refreshes)
        places = Lookup()
        if any(wanted.values()) or self.has_routings:
            places = resolve(wanted, self._places(wanted, refreshes=refreshes))
        refs = tuple(
            DocumentRef(None, id, routing or places.routings.get(id))
            for id, routing in wanted.items()
        )
        rows = self.store.ask([DocumentsAt(refs, parts)])[0] if refs else {}
        there = replace(places, stored={ref.id: row.source for ref, row in rows.items()})
        if not self.config.is_alias:
            return there
        # The name alone leads to them: to no index that it does not stand for any more.
        versions = {ref.id: _version_at(ref, row) for ref, row in rows.items()}
        missing = [id for id in wanted if id not in there.stored]
        others = Lookup()
        if missing:
            others = self._lookup_in_indices(missing, parts, refreshes=refreshes)
        return replace(
            there,
            stored={**there.stored, **others.stored},
            versions={**versions, **others.versions},
        )

    def _places(
        self, ids: Iterable[str], *, refreshes: bool
    ) -> Mapping[str, Sequence[DocumentRef]]:
        """Return where documents are, by a search."""
        if refreshes:
            self.store.refresh_if_allowed(self.name)
        found: Mapping[str, Sequence[DocumentRef]]
        (found,) = self.store.ask([FindPlaces(tuple(ids))])
        return found

    def _lookup_in_indices(self, wanted: Iterable[str], parts: Parts, *, refreshes: bool) -> Lookup:
        """Return what several indices have of some documents: of several with one id, the newest.

        They are those of a data stream or an alias.
        """
        found = self._places(wanted, refreshes=refreshes)
        # Names of indices that are rolled over end with a number that grows.
        refs = [max(places) for places in found.values() if places]
        rows = self.store.ask([DocumentsAt(tuple(refs), parts)])[0]
        return Lookup(
            stored={ref.id: row.source for ref, row in rows.items()},
            versions={ref.id: _version_at(ref, row) for ref, row in rows.items()},
        )

    def change(self, changes: Sequence[Change]) -> Sequence[WriteResult]:
        """Change documents, and return the result of each.

        Raises:
            ClusterError: A change is rejected for another reason than a newer version.
        """
        return require_accepted(changes, self.store.change(changes))

    def write(
        self,
        prepared: Prepared,
        known: Collection[str] = (),
        kept: Collection[str] = DECIDED,
    ) -> dict[int, str]:
        """Write the documents of a batch.

        What conflicts in an alias or a data stream was changed or moved since it was looked up, or
        was written although no answer said so. It is looked up again and written where it is then:
        the last writer wins, as in a plain index.

        Args:
            prepared: The batch.
            known: Ids that the run has written before. An alias or a data stream may have them in
                another index than the one that takes new documents.
            kept: Members that stay as the document has them when it is looked up again, where its
                text is the same.

        Returns:
            The reason for each document that was rejected for good, by its number in the body.

        Raises:
            ClusterError: The cluster rejects every document, or is busy for too long.
        """
        if known and self.may_move:
            self._place_known(prepared, known, kept)
        failures = self.store.write(prepared.body, prepared.ends)
        for _ in range(WRITE_ATTEMPTS - 1):
            conflicts = [n for n, failure in failures.items() if failure.status == "conflict"]
            if not conflicts:
                break
            again = Prepared()
            again.fill(self._placed_now(prepared.actions(conflicts), kept))
            results = self.store.write(again.body, again.ends)
            failures = {
                **{n: failure for n, failure in failures.items() if failure.status != "conflict"},
                **{conflicts[n]: result for n, result in results.items()},
            }
        return {number: _reason(failure) for number, failure in failures.items()}

    def _place_known(
        self, prepared: Prepared, known: Collection[str], kept: Collection[str]
    ) -> None:
        """Look up documents that a batch would create although the run has written them."""
        numbers = [number for number, id in enumerate(prepared.ids) if id in known]
        created = [
            number
            for number, action in zip(numbers, prepared.actions(numbers), strict=True)
            if not WriteAction.of(action).has_version
        ]
        if not created:
            return
        actions = prepared.actions(range(len(prepared.ids)))
        placed = self._placed_now(prepared.actions(created), kept)
        for number, action in zip(created, placed, strict=True):
            actions[number] = action
        prepared.fill(actions)

    def _placed_now(self, actions: Sequence[bytes], kept: Collection[str]) -> list[bytes]:
        """Return actions so that they write documents where they are now, or create them."""
        written = [WriteAction.of(action) for action in actions]
        identities = (Identity(each.id, each.routing) for each in written)
        lookup = self.lookup(identities, kept_parts(self.config), refreshes=True)
        return [
            action
            if each.id in lookup.refused
            else index_action(
                each.id,
                with_decisions(each.source, lookup.stored.get(each.id, {}), self.config, kept),
                each.routing,
                creates=self.config.is_stream,
                version=lookup.versions.get(each.id),
            )
            for action, each in zip(actions, written, strict=True)
        ]


def _version_at(ref: DocumentRef, row: Row) -> DocumentVersion:
    """Return the version of a document at the place where it was read.

    Its routing may be another one of the same shard; that is not said of one without a source.
    """
    return replace(row.read_version, ref=replace(ref, routing=row.ref.routing or ref.routing))


def _reason(failure: WriteResult) -> str:
    if failure.status == "conflict":
        return f"Each of {WRITE_ATTEMPTS} attempts met a newer write: {failure.reason}"
    return str(failure.reason)
