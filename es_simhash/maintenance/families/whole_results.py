"""What a run over all documents found: its report, and what it leaves to the next run."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.run_files import StoredDocument
from es_simhash.maintenance.families.whole_run import (
    FoundFamily,
    WholeRun,
    changed_documents,
)
from es_simhash.pairs.family_changes import Family, FamilyChanges, MovedDocument
from es_simhash.pairs.family_counts import FamilyCounts
from es_simhash.relation.references import DocumentRef
from es_simhash.store.installation.family_components import Component, FamilyComponents
from es_simhash.store.installation.noted_pairs import (
    Dismissals,
    FamilyState,
    Joins,
    NotedPair,
    NotedPairs,
)
from es_simhash.store.installation.state_index import LeftFamilies, StateIndex
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import Ids

# Entries of the state index that are written together.
_ENTRIES = 20_000


class WholeResults:
    """The families of a run, read once more from what it has on disk.

    Args:
        run: The run; its families have names, and are written unless it is a dry run.
        options: Of the run.
    """

    def __init__(self, run: WholeRun, options: FamilyOptions) -> None:
        self._run = run
        self._options = options
        self._conflicts = {
            number for (number,) in run.files.select("SELECT document FROM conflicts")
        }
        self._families: list[Family] = []
        self._documents = self._changed = 0
        self._undated: list[str] = []
        self._valueless: list[str] = []
        self._joined: dict[str, tuple[str, ...]] = {}
        self._moved: list[MovedDocument] = []
        self._rewritten: set[DocumentRef] = set()
        self._targets: dict[str, set[str]] = defaultdict(set)
        self._sizes: dict[str, int] = {}
        self._counts = FamilyCounts()
        # Of families by their names, those that documents have to which nothing was written.
        self._kept: dict[str, set[str]] = defaultdict(set)
        for _, families in run.families():
            changed = [document for document, _ in changed_documents(families)]
            self._changed += len(changed)
            had_family = {document.ref for document in changed if document.family is not None}
            self._rewritten |= had_family - self._unwritten(families)
            for name, found in families:
                self._add(name, found)
        self._skipped = run.files.documents("NOT is_current")
        for stored in self._skipped:
            if stored.document.family is not None:
                self._counts.add(stored.document.family, 1)

    def _unwritten(self, families: Sequence[FoundFamily]) -> set[DocumentRef]:
        """Return the documents of families that are in conflict with another writer."""
        return {
            stored.document.ref
            for _, found in families
            for stored in found
            if stored.number in self._conflicts
        }

    def _add(self, name: str, found: Sequence[StoredDocument]) -> None:
        self._documents += len(found)
        written = [stored for stored in found if stored.number not in self._conflicts]
        if len(found) > 1:
            self._families.append(Family(name, tuple(stored.document.ref for stored in found)))
            self._sizes[name] = len(written)
        before = {stored.document.family for stored in written} - {None}
        if len(before) > 1:
            self._joined[name] = tuple(sorted(map(str, before)))
        for stored in found:
            self._add_document(name, stored)

    def _add_document(self, name: str, stored: StoredDocument) -> None:
        document = stored.document
        before, is_written = document.family, stored.number not in self._conflicts
        kept = name if is_written else before
        if kept is not None:
            self._counts.add(kept, 1)
        if kept is not None and kept != name:
            self._kept[name].add(kept)
        if is_written and before is not None and before != name:
            self._moved.append(MovedDocument(document.ref, before, name))
            self._targets[before].add(name)
        if self._options.compares_dates and document.date is None:
            self._undated.append(document.ref.id)
        if self._options.within and not document.values:
            self._valueless.append(document.ref.id)

    def report(self, written: int) -> FamiliesReport:
        """Return the report.

        Args:
            written: Into how many documents families were written.
        """
        files, options = self._run.files, self._options
        skipped = [stored.document.ref.id for stored in self._skipped]
        for some in batches_of(self._conflicts, _ENTRIES):
            found = files.documents_by_number(some).values()
            skipped += [stored.document.ref.id for stored in found]
        query = (
            "SELECT id FROM documents WHERE number IN (SELECT min(number) FROM documents"
            " WHERE text IN (SELECT text FROM truncated) GROUP BY text)"
        )
        return FamiliesReport(
            families=tuple(sorted(self._families, key=lambda family: family.name)),
            documents=self._documents,
            queried=self._run.texts,
            written=self._changed if options.dry_run else written,
            skipped=tuple(sorted(skipped)),
            truncated=tuple(sorted(id for (id,) in files.select(query))),
            undated=tuple(sorted(self._undated)),
            dry_run=options.dry_run,
            contradicted=tuple(self._run.contradicted()),
            within=options.within or None,
            parted=tuple(self._run.parted()),
            valueless=tuple(sorted(self._valueless)),
            changes=self._changes(),
            rewritten=frozenset(self._rewritten),
        )

    def _changes(self) -> FamilyChanges:
        split = {}
        for before in sorted(self._targets):
            targets = self._targets[before]
            if self._has_stayed(before):
                targets.add(before)
            if len(targets) > 1:
                split[before] = tuple(sorted(targets))
        joined = {name: self._joined[name] for name in sorted(self._joined)}
        moved = tuple(sorted(self._moved, key=lambda moved: moved.document))
        return FamilyChanges(joined, split, moved)

    def _has_stayed(self, name: str) -> bool:
        """Check whether a document that had a family has it still."""
        query = (
            "SELECT members FROM families WHERE number = (SELECT family FROM names WHERE name = ?)"
        )
        return any(
            stored.document.family == name and stored.number not in self._conflicts
            for (members,) in self._run.files.select(query, [name])
            for stored in self._run.documents_of(members)
        )

    def store_state(
        self,
        state: StateIndex,
        stored: FamilyState,
        settings_key: str,
        scheme: str,
        seq_nos: Mapping[str, int] | None,
    ) -> None:
        """Store the sizes of the families, and acknowledge what a person decided.

        Args:
            state: Where the runs store their state.
            stored: State of the runs before.
            settings_key: What decided the families.
            scheme: Scheme by which texts were compared.
            seq_nos: Up to where the index was written, by the name of the shard; None where that is
                unknown.
        """
        is_first, components = stored.options is None, FamilyComponents(state)
        recorded = {} if is_first else state.sizes()
        sizes = {**dict.fromkeys(recorded, 0), **self._sizes}
        actions = chain(
            components.entries(self._components(), () if is_first else components.ids()),
            state.size_entries(sizes, recorded),
            [state.counts_entry(LeftFamilies(self._counts, seq_nos or {}, scheme))],
            self._acknowledgements(Dismissals(state), stored.dismissals, self._run.dismissed),
            self._acknowledgements(Joins(state), stored.joins, self._run.joined),
            # The last: without it the next run is one over all documents again.
            [state.run_entry(settings_key)],
        )
        for some in batches_of(actions, _ENTRIES):
            state.write(some)

    def _components(self) -> Iterator[Component]:
        """Yield the families whose texts are linked with each other."""
        kept = {**self._kept}
        query = (
            "SELECT component, json_group_array(name) FROM families WHERE component > ?"
            " GROUP BY component HAVING count(*) > 1 ORDER BY component LIMIT ?"
        )
        for rows in self._run.files.pages(query, _ENTRIES):
            links = self._run.links_of([label for label, _ in rows])
            for (_, listed), known in zip(rows, links, strict=True):
                names = set(json.loads(listed))
                others = set().union(*(kept.pop(name, ()) for name in names))
                yield Component(tuple(sorted(names | others)), None if others else known)
        for name, others in kept.items():
            yield Component(tuple(sorted({name, *others})))

    def _acknowledgements(
        self, noted: NotedPairs, pairs: Sequence[NotedPair], used: Sequence[Ids]
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield what marks pairs as applied: those that were known when texts were compared."""
        known = set(used)
        for pair in pairs:
            if pair.pending and pair.undone != (pair.ids in known):
                yield noted.acknowledgement(pair)
