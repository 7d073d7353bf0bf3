"""Moving an index to another scheme: both schemes side by side, and one switch of the mapping.

The documents get a second object, under a field of its own, while everybody reads the first one.
Then `_meta` of the mapping says which of the two counts, in one request for each index. Until the
first object is emptied, the same request leads back.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from es_simhash.errors import ClusterError, EsSimhashError, MappingConflict
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.added_schemes import added_schemes
from es_simhash.store.config import DOCUMENT_SETTINGS, IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.index_templates import data_streams
from es_simhash.store.installation.install import install
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.installation.stored_objects import (
    MAX_PASSES,
    carry_decisions,
    count_behind,
    count_objects,
    count_without,
    empty_documents,
)
from es_simhash.store.mapping_meta import (
    MOVED_FROM,
    MOVED_TO,
    UNFINISHED_FROM,
    current_field,
    first_field,
    learned_field,
    meta_entry,
    schemes_of,
    source_of,
    with_entries,
)
from es_simhash.store.paths import mapped_field

Mappings = Mapping[str, Mapping[str, Any]]
# Names of a scheme of fingerprints, and of a semantic one; None where an index has none.
Schemes = tuple[str, str | None]


@dataclass(frozen=True)
class UpgradeReport:
    """What an upgrade did, or would do.

    Attributes:
        before: Scheme that the index had, and its semantic scheme where that changes.
        after: Scheme that it has now, likewise.
        field_before: Field that had the fingerprints.
        field: Field that has them now; the same where the scheme stays.
        written: Documents whose fields were written, or would be.
        failed: Documents that could not be fingerprinted; they have no fingerprints of either.
        carried: Documents whose family or flag was carried over.
        emptied: Documents that the fields of the earlier scheme were taken from.
    """

    before: str
    after: str
    field_before: str
    field: str
    written: int = 0
    failed: int = 0
    carried: int = 0
    emptied: int = 0


@dataclass(frozen=True)
class UpgradeOptions:
    """What `upgrade` does.

    Attributes:
        scheme: Published name of the scheme to move to; `keyed` for the default one with a key.
        revert: Go back to the scheme before the last upgrade.
        finish: After the move, take the fields of the earlier scheme from the documents, so that
            nothing leads back but another upgrade.
        dry_run: Print what would be done; write nothing.
    """

    scheme: str = DEFAULT.name
    revert: bool = False
    finish: bool = False
    dry_run: bool = False


def upgrade(
    client: Client,
    index: str,
    *,
    options: UpgradeOptions | None = None,
    config: IndexConfig | None = None,
    settings: BackfillSettings | None = None,
) -> UpgradeReport:
    """Bring an index to the fields and the scheme of this version; see `Index.upgrade`.

    Args:
        client: Client of the cluster.
        index: Index or alias.
        options: Which scheme, or back.
        config: Names of the fields and the vocabulary.
        settings: How documents are fingerprinted.
    """
    options = options or UpgradeOptions()
    run = _Upgrade(Gateway.of(client), index, config or IndexConfig(), settings)
    return run.reverted(options) if options.revert else run.moved(options)


class _Upgrade:
    """One run; each step finds out what is done already."""

    def __init__(
        self,
        gateway: Gateway,
        index: str,
        given: IndexConfig,
        settings: BackfillSettings | None,
    ) -> None:
        self._gateway = gateway
        self._index = index
        self._given = given
        self._settings = settings
        mappings = self._mappings
        self._field = current_field(mappings, given.simhash_field)
        if not any(meta_entry(mapping, self._field) for mapping in mappings.values()):
            schemes_of(index, mappings, given.simhash_field)  # names what is missing
        if source := source_of(mappings, self._field):
            raise MappingConflict(
                f"Index {index!r} is the sidecar of {source!r}. Make another one with "
                f"`es-simhash backfill {source} --sidecar NAME`, and remove this one with "
                f"`es-simhash uninstall {index}`."
            )

    @property
    def _mappings(self) -> Mappings:
        return self._gateway.mappings(self._index)

    def moved(self, options: UpgradeOptions) -> UpgradeReport:
        wanted = chosen_scheme(options.scheme)
        before = self._entry(self._field)
        now, then = _schemes(before), (wanted.name, _name(_semantics(before)))
        field = self._field if now == then else self._next_field(then)
        report = UpgradeReport(*_shown(now, then), self._field, field)
        if options.dry_run:
            return replace(report, written=self._without(field, wanted))
        report = self._caught_up(report, self._field)
        # Whether an upgrade that was ended, or reverted, has left fingerprints there.
        is_left = any(meta_entry(mapping, field) for mapping in self._mappings.values())
        self._install(field, wanted, before)
        if field != self._field:
            self._require_no_stream()
            self._continue(field)
            self._learn(field)
            report = self._filled(report, field, check=is_left)
            report = self._carried(report, self._field, field, replacing=True)
            self._require_complete(field)
            self._switch(self._field, field)
            report = self._caught_up(report, field)
        else:
            report = self._filled(report, field)
        return replace(report, emptied=self._finished(field) if options.finish else 0)

    def reverted(self, options: UpgradeOptions) -> UpgradeReport:
        """Lead back to the scheme before; what was written since gets its fingerprints."""
        now = self._entry(self._field)
        later = now.get(UNFINISHED_FROM)
        if later is not None and self._entry(later).get(MOVED_FROM) == self._field:
            return self._revert_resumed(options, later)
        earlier = now.get(MOVED_FROM)
        if earlier is None:
            raise MappingConflict(
                f"Index {self._index!r} has scheme {now['scheme']!r} from the beginning. There is "
                "nothing to revert."
            )
        self._require_unfinished(earlier)
        before = self._entry(earlier)
        report = UpgradeReport(*_shown(_schemes(now), _schemes(before)), self._field, earlier)
        try:
            known = Scheme.parse(before["scheme"])
            if before.get("semantics"):
                SemanticScheme.from_meta(before["semantics"])
        except EsSimhashError as error:
            raise MappingConflict(
                f"This version does not compute scheme {report.after!r}, so that documents written "
                "since would have none. Run it with the version that wrote them."
            ) from error
        if options.dry_run:
            return replace(report, written=self._without(earlier, known))
        # What was decided since the last switch; nobody decides under the earlier field yet.
        report = self._carried(report, self._field, earlier, replacing=True)
        self._switch(self._field, earlier)
        return self._caught_up(report, earlier)

    def _require_unfinished(self, earlier: str) -> None:
        """Check that the documents still have the object that a revert makes count at once.

        Raises:
            MappingConflict: They have not.
        """
        counts = [
            count_objects(self._gateway, self._index, [each]) for each in (earlier, self._field)
        ]
        if not counts[0] and counts[1]:
            raise MappingConflict(
                f"Nothing leads back: documents of {self._index!r} have no fields under "
                f"{earlier!r} since the upgrade was finished. Move to the scheme that you want."
            )

    def _revert_resumed(self, options: UpgradeOptions, later: str) -> UpgradeReport:
        """Finish a revert that was ended after its switch."""
        now = self._entry(self._field)
        names = _shown(_schemes(self._entry(later)), _schemes(now))
        report = UpgradeReport(*names, later, self._field)
        if options.dry_run:
            written = self._without(self._field, Scheme.parse(now["scheme"]))
            return replace(report, written=written)
        return self._caught_up(report, self._field)

    def _entry(self, field: str) -> Mapping[str, Any]:
        entries = [meta_entry(mapping, field) for _, mapping in sorted(self._mappings.items())]
        return next(entry for entry in reversed(entries) if entry is not None)

    def _next_field(self, wanted: Schemes) -> str:
        """Return the field that the second object has, or gets: that of a run that was ended."""
        mappings = self._mappings
        first = first_field(mappings, self._field)
        number = 1
        while True:
            number += 1
            field = f"{first}_{number}"
            entries = [meta_entry(mapping, field) for mapping in mappings.values()]
            if any(_continues(entry, self._field, wanted) for entry in entries):
                return field
            if not any(entries) and all(mapped_field(m, field) is None for m in mappings.values()):
                return field

    def _install(self, field: str, wanted: Scheme, before: Mapping[str, Any]) -> None:
        methods = [each.method for each in added_schemes(before)]
        install(
            self._gateway,
            self._index,
            scheme=[wanted.name, *methods],
            semantics=_semantics(before),
            simhash_field=field,
        )

    def _require_no_stream(self) -> None:
        for stream in data_streams(self._mappings):
            raise MappingConflict(
                f"{stream!r} is a data stream, whose next index would have the fields of the "
                "earlier scheme. Compose the new scheme into its template, with another "
                "simhash_field."
            )

    def _continue(self, field: str) -> None:
        """Say of the second object whose families, state and settings it continues."""
        for name, mapping in self._mappings.items():
            entry, before = meta_entry(mapping, field), meta_entry(mapping, self._field) or {}
            if entry is not None:
                kept = {key: before[key] for key in (DOCUMENT_SETTINGS,) if key in before}
                continued = {**entry, **kept, MOVED_FROM: self._field}
                self._put(name, mapping, {field: continued})

    def _learn(self, field: str) -> None:
        """Count the background of another semantic scheme, and learn its vectors.

        Those of the scheme before stay: with them the first object is read, until it is emptied.
        """
        mappings = self._mappings
        if learned_field(mappings, field) == learned_field(mappings, self._field):
            return
        config = replace(self._given, simhash_field=field)
        is_counted = StateIndex(self._gateway, self._index, field).background() is not None
        if schemes_of(self._index, mappings, field).semantics is not None and not is_counted:
            count_background(self._gateway, self._index, config=config)

    def _switch(self, before: str, after: str) -> None:
        """Say in which field the fingerprints are from now on: one request for each index.

        The entry of the earlier scheme leads to that of the later one; a revert leaves it the last.

        Args:
            before: The field that has had them.
            after: The field that has them now.
        """
        for name, mapping in self._mappings.items():
            entries = {}
            if entry := dict(meta_entry(mapping, before) or {}):
                entry.pop(UNFINISHED_FROM, None)
                moved = {} if entry.get(MOVED_FROM) == after else {MOVED_TO: after}
                entries[before] = {**entry, **moved}
            if entry := dict(meta_entry(mapping, after) or {}):
                entry.pop(MOVED_TO, None)
                entries[after] = {**entry, UNFINISHED_FROM: before}
            self._put(name, mapping, entries)

    def _caught_up(self, report: UpgradeReport, field: str) -> UpgradeReport:
        """Bring to a field what was written, changed or decided under the one before its switch.

        Nothing is left of that but where a run was ended.
        """
        before = self._entry(field).get(UNFINISHED_FROM)
        if before is None:
            return report
        report = self._filled(report, field, check=True)
        report = self._carried(report, before, field)
        for name, mapping in self._mappings.items():
            if entry := dict(meta_entry(mapping, field) or {}):
                entry.pop(UNFINISHED_FROM, None)
                self._put(name, mapping, {field: entry})
        return report

    def _put(self, name: str, mapping: Mapping[str, Any], entries: Mapping[str, Any]) -> None:
        if with_entries(mapping, entries) != mapping.get("_meta"):
            self._gateway.put_mapping(name, {"_meta": with_entries(mapping, entries)})

    def _filled(self, report: UpgradeReport, field: str, *, check: bool = False) -> UpgradeReport:
        """Fingerprint the documents that have none of the scheme in its field yet.

        Args:
            report: What is counted so far.
            field: The field.
            check: Also those whose fingerprints there are of an earlier text: who knew the other
                field alone has left them.
        """
        outcomes = backfill(
            self._gateway,
            self._index,
            config=replace(self._given, simhash_field=field),
            selection=Selection(check=check),
            settings=self._settings,
        )
        counts = Counter(outcome.status for outcome in outcomes)
        written = report.written + counts["written"]
        return replace(report, written=written, failed=counts["failed"])

    def _carried(
        self, report: UpgradeReport, source: str, field: str, *, replacing: bool = False
    ) -> UpgradeReport:
        """Carry families and flags from one object to the other.

        Args:
            report: What is counted so far.
            source: The field that has them.
            field: The field that gets them.
            replacing: Whatever this has, as it did not count until now.
        """
        carried = carry_decisions(self._gateway, self._index, source, field, replacing=replacing)
        if carried is None:
            raise self._busy()
        return replace(report, carried=report.carried + carried)

    def _require_complete(self, field: str) -> None:
        """Fingerprint what other programs write until nothing is missing; only then is switched.

        Raises:
            ClusterError: Documents with fingerprints of the first scheme have none of the other.
        """
        config = replace(self._given, simhash_field=field)
        for _pass in range(MAX_PASSES):
            self._gateway.refresh_if_allowed(self._index)
            if not count_behind(self._gateway, self._index, self._field, field):
                return
            for _ in backfill(self._gateway, self._index, config=config, settings=self._settings):
                pass
        raise self._busy()

    def _busy(self) -> ClusterError:
        return ClusterError(
            f"Documents of {self._index!r} are written faster than they are fingerprinted, or some "
            "cannot be: `es-simhash backfill` names these. Run it again to resume."
        )

    def _without(self, field: str, wanted: Scheme) -> int:
        return count_without(self._gateway, self._index, field, wanted.name)

    def _finished(self, field: str) -> int:
        """Empty the objects of earlier schemes; their entries go on leading to the last one."""
        emptied, learned = 0, learned_field(self._mappings, field)
        while earlier := self._entry(field).get(MOVED_FROM):
            field = earlier
            emptied += empty_documents(self._gateway, self._index, field)
            if field != learned:
                state = StateIndex(self._gateway, self._index, field)
                state.write_background(None)
                state.remove_table()
        return emptied


def _schemes(entry: Mapping[str, Any]) -> Schemes:
    return entry["scheme"], (entry.get("semantics") or {}).get("name")


def _name(semantics: SemanticScheme | None) -> str | None:
    return None if semantics is None else semantics.name


def _shown(before: Schemes, after: Schemes) -> tuple[str, str]:
    """Return the names that a report has: the semantic one too where it is another."""
    if before[1] == after[1]:
        return before[0], after[0]
    before_names, after_names = (" and ".join(filter(None, each)) for each in (before, after))
    return before_names, after_names


def _continues(entry: Mapping[str, Any] | None, field: str, wanted: Schemes) -> bool:
    """Check whether an entry is of an upgrade of a field that was ended, or reverted."""
    return (
        entry is not None
        and _schemes(entry) == wanted
        and entry.get(MOVED_FROM, field) == field
        and MOVED_TO not in entry
    )


def _semantics(before: Mapping[str, Any]) -> SemanticScheme | None:
    """Return the semantic scheme of an index in this version; its default for unknown ones."""
    if not before.get("semantics"):
        return None
    try:
        return SemanticScheme.renewed(before["semantics"])
    except EsSimhashError:
        return DEFAULT_SEMANTICS
