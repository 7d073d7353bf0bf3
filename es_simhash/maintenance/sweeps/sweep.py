"""A sweep: enrich what was written since the last one, find its families, decide its versions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.audit_log import default_audit, open_audit
from es_simhash.ingestion.deduplication.stored_documents import DocumentDates
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.maintenance.backfills.backfill import run_backfill
from es_simhash.maintenance.backfills.backfill_job import (
    STATUSES,
    BackfillJob,
    BackfillSettings,
    IndexPart,
)
from es_simhash.maintenance.backfills.preconditions import open_job, require_text
from es_simhash.maintenance.backgrounds.background_report import BackgroundReport
from es_simhash.maintenance.backgrounds.count_background import renew_background
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.sweeps.changed_documents import (
    ChangedDocument,
    SweptDocuments,
    changed_documents,
    changed_parts,
    families_by_name,
    have_others_written,
    overlooked_documents,
    with_new_texts,
)
from es_simhash.maintenance.sweeps.family_policy import FamilyPolicy, require_one_index
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef, Key
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import Checkpoint, read_checkpoints
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.install import complete_fields
from es_simhash.store.installation.state_index import StateIndex, SweepCheckpoint
from es_simhash.store.intents import Where
from es_simhash.store.mapping_meta import source_of
from es_simhash.store.protocol import Progress


@dataclass(frozen=True)
class SweepReport:
    """What a sweep did.

    Attributes:
        enriched: Documents that were processed, by status, as `backfill` reports it.
        families: FamiliesReport of the run over the families; None when nothing was written since.
        decisions: Versions by what was done with them: flag, link, skip, replace or
            retain.
        conflicted: Ids of versions that another writer changed while they were decided; the next
            sweep decides them.
        undated: Ids of changed documents, and of those compared with them, without a date in the
            field of the rules: they come last, and where the newest is kept they are the oldest.
        audit: Name of the audit log; None without rules for versions.
        run: Id of the run in that log.
        background: What became of the background of the index; None where it stays, or nothing was
            written.
    """

    enriched: Counter[str] = field(default_factory=Counter)
    families: FamiliesReport | None = None
    decisions: Counter[str] = field(default_factory=Counter)
    conflicted: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    audit: str | None = None
    run: str | None = None
    background: BackgroundReport | None = None

    @property
    def writes(self) -> int | None:
        """How often the sweep wrote to the index; None where it does not know."""
        if self.families is None or self.families.resumed:
            return None
        return self.enriched["written"] + self.families.written + self.decisions.total()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return {
            "enriched": {name: self.enriched[name] for name in STATUSES},
            "families": self.families.to_dict() if self.families else None,
            "decisions": dict(sorted(self.decisions.items())),
            "conflicted": list(self.conflicted),
            "undated": list(self.undated),
            "audit": self.audit,
            "run": self.run,
            "background": self.background.to_dict() if self.background else None,
        }


@dataclass(frozen=True)
class SweepSettings(BackfillSettings):
    """How a sweep enriches documents, as a backfill does, and whom it reports to.

    Attributes:
        progress: Called now and then, with the texts whose candidates were retrieved.
    """

    progress: Progress | None = None


def sweep(
    client: Client,
    index: str,
    *,
    on_version: OnVersion | str | None = None,
    families: FamilyOptions | None = None,
    config: IndexConfig | None = None,
    settings: SweepSettings | None = None,
) -> SweepReport:
    """Process what was written since the last sweep; see `Index.sweep`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        on_version: What is done with changed documents that are versions of others.
        families: Which document represents a family.
        config: Names of the fields and the vocabulary; the schemes are read from the mapping.
        settings: How the sweep works, and whom it reports to.
    """
    gateway = Gateway.of(client)
    given = config or IndexConfig()
    mappings = gateway.mappings(index)
    _require_no_sidecar(index, mappings, given)
    mappings = complete_fields(gateway, index, given, mappings)
    job = open_job(gateway, index, given, mappings=mappings)
    state = StateIndex(gateway, index, job.config.state_field)
    rules = None if on_version is None else OnVersion.of(on_version).configured(job.config)
    if rules is not None:
        require_one_index(rules, job.indices)
    dates = DocumentDates() if rules is None else DocumentDates.of(gateway, index, rules)
    store = ElasticsearchStore(gateway, index, job.config, is_complete=True)
    settings = settings or SweepSettings()
    return _Sweep(store, job, rules, dates, state, settings).run(families)


def _require_no_sidecar(
    index: str, mappings: Mapping[str, Mapping[str, Any]], config: IndexConfig
) -> None:
    source = source_of(mappings, config.simhash_field)
    if source is not None:
        raise InputError(
            f"{index!r} is the sidecar of {source!r}; run "
            f"`es-simhash backfill {source} --sidecar {index}` instead."
        )


@dataclass
class _Sweep:
    """The state of one sweep."""

    store: ElasticsearchStore
    job: BackfillJob
    rules: OnVersion | None
    dates: DocumentDates
    state: StateIndex
    settings: SweepSettings
    last: SweepCheckpoint = field(init=False)

    def __post_init__(self) -> None:
        self.last = self.state.last_sweep(self.settings_key)

    @property
    def settings_key(self) -> str:
        """What decides the fields of a document; with another key a sweep processes all again."""
        config = self.job.config
        semantics = config.semantics.name if config.semantics else None
        names = [config.scheme.name, semantics, *(scheme.name for scheme in config.schemes)]
        return f"{config.text_field} {' '.join(map(str, names))}"

    @property
    def is_first(self) -> bool:
        """True when no sweep with these settings came before."""
        return not self.last.seq_nos

    def run(self, options: FamilyOptions | None) -> SweepReport:
        """Process what was written since the last sweep, and store the checkpoint."""
        # Read before any document, so that no write falls between two sweeps.
        began = read_checkpoints(self.store.gateway, self.store.name)
        parts = changed_parts(began, self.last.seq_nos)
        report, swept = SweepReport(), None
        if parts and self.rules is None:
            report = self._enriched(parts, options)[0]
        elif parts and self.rules is not None:
            # Opened first: where another run has the audit log, nothing is changed.
            with self._policy(self.rules) as policy:
                report, swept = self._decided(policy, parts, options)
        if parts or self.is_first:
            self._write_checkpoint(began, report, swept)
        return self._with_background(report) if parts else report

    def _write_checkpoint(
        self,
        began: Sequence[Checkpoint],
        report: SweepReport,
        swept: SweptDocuments | None,
    ) -> None:
        """Store where the next sweep begins.

        Args:
            began: Where the shards were when this one began.
            report: What it did.
            swept: What it decided about, or wrote to itself; None where it was not to decide.
        """
        seq_nos = {checkpoint.name: checkpoint.seq_no for checkpoint in began}
        now = read_checkpoints(self.store.gateway, self.store.name)
        # Of a shard that came meanwhile nothing is known, so that the next one decides all.
        ended = {each.name: each.highest for each in now if each.name in seq_nos}
        undecided = {*report.conflicted}
        # Reading again what the sweep wrote is left out where nobody else wrote.
        if swept is not None and have_others_written(began, now, report.writes):
            written = [each for each in began if each.seq_no < ended.get(each.name, -1)]
            undecided |= overlooked_documents(self.store, written, swept)
        done = SweepCheckpoint(seq_nos, ended=ended, undecided=frozenset(undecided))
        self.state.write_sweep(self.settings_key, done)

    def _with_background(self, report: SweepReport) -> SweepReport:
        """Count the background again where it has drifted; what fails there undoes no sweep."""
        if self.job.config.semantics is None:
            return report
        gateway, name, config = self.store.gateway, self.store.name, self.job.config
        return replace(report, background=renew_background(gateway, name, config=config))

    def _policy(self, rules: OnVersion) -> FamilyPolicy:
        store, config = self._retrying(), self.job.config
        state = StateIndex(store.gateway, store.name, config.state_field)
        audit = open_audit(rules.audit or default_audit(store.name), store.gateway)
        return FamilyPolicy(store, state, config, rules, self.dates, audit)

    def _retrying(self) -> ElasticsearchStore:
        """Return the index with the retry policy of the settings; whoever takes it may stop it."""
        gateway = Gateway.of(self.store.gateway, self.settings.retry)
        return ElasticsearchStore(gateway, self.store.name, self.job.config, is_complete=True)

    def _enriched(
        self, parts: Sequence[IndexPart], options: FamilyOptions | None
    ) -> tuple[SweepReport, set[Key]]:
        """Write fields and families of what changed; return also which documents got fields."""
        enriched, written = self._enrich(parts)
        families = find_families(
            self.store.gateway,
            self.store.name,
            options=options,
            config=self.job.config,
            progress=self.settings.progress,
        )
        return SweepReport(enriched, families), written

    def _enrich(self, parts: Sequence[IndexPart]) -> tuple[Counter[str], set[Key]]:
        store = self._retrying()
        require_text(store, self.job, Where())
        statuses: Counter[str] = Counter()
        written: set[Key] = set()
        for outcome in run_backfill(store, self.job, parts, self.settings):
            statuses[outcome.status] += 1
            # All documents of a first sweep are undecided, and may be many.
            if outcome.status == "written" and not self.is_first:
                written.add((outcome.index, outcome.id))
        return statuses, written

    def _decided(
        self, policy: FamilyPolicy, parts: Sequence[IndexPart], options: FamilyOptions | None
    ) -> tuple[SweepReport, SweptDocuments]:
        """Return the report of a sweep that decides, and what it decided about or wrote to."""
        # Before enrichment writes to them.
        found = changed_documents(self.store, parts, self.dates.field, self.last)
        report, written = self._enriched(parts, options)
        assert report.families is not None
        changes = with_new_texts(found, written)
        self.state.write_sweep(self.settings_key, replace(self.last, deciding=True))
        if self.last.deciding:
            policy.recover()
        policy.decide(self._families(report.families, changes), changes)
        swept = SweptDocuments(changes, report.families.rewritten)
        return self._reported(policy, report, changes), swept

    def _reported(
        self,
        policy: FamilyPolicy,
        report: SweepReport,
        changes: Mapping[DocumentRef, ChangedDocument],
    ) -> SweepReport:
        """Return the report with what was decided."""
        undated = policy.undated
        if self.dates.field is not None:
            undated |= {ref.id for ref, change in changes.items() if change.date is None}
        return replace(
            report,
            decisions=policy.decisions,
            conflicted=tuple(policy.conflicted),
            undated=tuple(sorted(undated)),
            audit=policy.audit,
            run=policy.run,
        )

    def _families(
        self, report: FamiliesReport, changes: Mapping[DocumentRef, ChangedDocument]
    ) -> Iterator[Family]:
        """Yield the families that were found, and those that changed documents had before."""
        yield from report.families
        reported = {family.name for family in report.families}
        stored = {change.family for change in changes.values() if change.family is not None}
        # A family of one document is not recorded.
        names = self.state.sizes_of(stored - reported)
        yield from families_by_name(self.store, names.keys())
