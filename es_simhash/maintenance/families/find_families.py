"""Finding the version families of an index and writing them into its documents; the stored ones."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, replace
from functools import partial

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.journal_file import INDEX, UUIDS, Job, default_path
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import Assignment, FamilyReader
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.family_run import FamilyRun
from es_simhash.maintenance.families.family_writer import RETRY, FamilyWriter
from es_simhash.maintenance.families.links_among import links_among
from es_simhash.maintenance.families.recent_writes import RecentWrites
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.maintenance.families.whole_results import WholeResults
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.pairs.family_changes import Family, family_changes
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import Checkpoint
from es_simhash.store.elasticsearch.store import ElasticsearchStore, opened_store
from es_simhash.store.installation.noted_pairs import FamilyState, family_state, standing
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import (
    Count,
    FindDateField,
    FindKeywordField,
    Parts,
    TextFieldHint,
    Where,
)
from es_simhash.store.protocol import Progress, Snapshot, Store

# Documents that are read and compared with all in the time of searches for one.
READS_PER_SEARCH = 4


def stored_families(
    client: Client, index: str, *, config: IndexConfig | None = None
) -> tuple[Family, ...]:
    """Return the families of several documents that an index has, the representative of each first.

    Nothing is computed: these are the families that the last run wrote, without what was written
    or deleted since.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream with fingerprints.
        config: Names of the fields.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It is a sidecar.
    """
    members: dict[str, list[tuple[bool, DocumentRef]]] = defaultdict(list)
    store = _own_store(Gateway.of(client), index, config or IndexConfig())
    # Whoever may only read sees what a refresh has made visible.
    with store.snapshot(must_refresh=False) as snapshot:
        for row in snapshot.rows(Where(has_family=True), Parts(members=True)):
            members[str(row.family)].append((row.represents is not True, row.ref))
    return tuple(
        Family(name, tuple(ref for _, ref in sorted(members[name])))
        for name in sorted(members)
        if len(members[name]) > 1
    )


def find_families(
    client: Client,
    index: str,
    *,
    options: FamilyOptions | None = None,
    config: IndexConfig | None = None,
    progress: Progress | None = None,
) -> FamiliesReport:
    """Find the version families of an index and write them; see `Index.families`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        options: Which document represents a family, and which documents are processed.
        config: Names of the fields; the schemes are read from the mapping.
        progress: Called now and then, with what was read, compared or written.
    """
    options = options or FamilyOptions()
    given = config or IndexConfig()
    gateway = Gateway.of(client)
    store = _own_store(gateway, index, given)
    state = StateIndex(gateway, index, store.config.state_field)
    stored = family_state(state)
    options = options.configured(store.config).as_before(stored.options)
    finder = _Finder(store, state, stored, options, progress)
    return finder.of_all() if finder.is_of_all else finder.of_changed()


def _own_store(gateway: Gateway, index: str, config: IndexConfig) -> ElasticsearchStore:
    """Return an index whose documents can have families; a sidecar is rejected."""
    why = "and families are in the documents themselves"
    mapped = gateway.mappings(index)
    require_own_fields(mapped, index, config.simhash_field, why=why, command="families run")
    return opened_store(gateway, index, config, mapped)


class _Finder:
    """Finds families, of all documents or of what changed.

    Args:
        store: The index.
        state: Where the runs store their state.
        stored: State of the runs before.
        options: Of the run.
        progress: Called now and then.
    """

    def __init__(
        self,
        store: ElasticsearchStore,
        state: StateIndex,
        stored: FamilyState,
        options: FamilyOptions,
        progress: Progress | None,
    ) -> None:
        self._store = store
        self._state = state
        self._stored = stored
        self._options = options
        self._progress = progress
        self._fields = _date_field(store, options), _within(store, options)
        self._key = options.settings_key(store.config.versions_from)

    @property
    def is_of_all(self) -> bool:
        """Whether all documents are processed: they were never, or by other rules, or most are new.

        Searches for each of many new documents would take longer than to read all.
        """
        if self._options.everything or self._stored.options != self._key:
            return True
        new, all = Where(fingerprinted=True, has_family=False), Where(fingerprinted=True)
        counts: list[int] = self._store.ask([Count(new), Count(all)])
        return counts[0] * READS_PER_SEARCH > counts[1]

    def _reader(self, snapshot: Snapshot) -> FamilyReader:
        return FamilyReader(snapshot, *self._fields)

    @property
    def _writer(self) -> FamilyWriter:
        store = self._store
        gateway = Gateway.of(store.gateway, RETRY)
        return FamilyWriter(ElasticsearchStore(gateway, store.name, store.config, is_complete=True))

    def of_changed(self) -> FamiliesReport:
        """Process what changed since the last run, and what is linked with it."""
        writes = RecentWrites(self._store, self._stored.left)
        touched = writes.families()
        with self._store.snapshot() as snapshot:
            corpus = Corpus(self._reader(snapshot))
            threshold, memory = self._store.config.versions_from, self._options.memory
            among = partial(links_among, corpus=corpus, threshold=threshold, memory=memory)
            run = FamilyRun(corpus, self._state, self._stored, self._options, touched, among)
            run.explore(self._progress)
            families = run.families()
        changes = run.changes(families)
        conflicts: set[DocumentRef] = set()
        if not self._options.dry_run:
            conflicts = self._writer.write(changes)
            seq_nos = writes.ended(len(changes) - len(conflicts - run.corpus.skipped))
            run.store_state(families, run.corpus.skipped | conflicts, seq_nos)
        return _report(run, families, changes, conflicts, dry_run=self._options.dry_run)

    def of_all(self) -> FamiliesReport:
        """Process all documents, from where a run that was killed has stopped."""
        job, options = self._job(), self._options
        path = options.journal or default_path(job)
        with RunFiles.open(path, job, fresh=options.fresh) as files:
            is_resumed = files.progress("began") is not None
            writes = self._writes(files)
            run = WholeRun(files, options, self._store.config.versions_from, self._progress)
            with self._store.snapshot() as snapshot:
                run.read(self._reader(snapshot))
            require_texts(self._store, files)
            run.link(standing(self._stored.dismissals), standing(self._stored.joins))
            run.group()
            run.name()
            written = 0
            if not options.dry_run:
                written = run.write(self._writer)
                seq_nos = writes.ended(written)
            results = WholeResults(run, options)
            if not options.dry_run:
                scheme = self._store.config.scheme.name
                results.store_state(self._state, self._stored, self._key, scheme, seq_nos)
            report = replace(results.report(written), resumed=is_resumed)
            files.remove()
        return report

    def _job(self) -> Job:
        return {**run_job(self._store, "families"), "rules": self._key}

    def _writes(self, files: RunFiles) -> RecentWrites:
        """Return what was written since the run began, also where it was killed since."""
        began = files.progress("began")
        if began is not None:
            return RecentWrites(self._store, None, [Checkpoint(*values) for values in began])
        writes = RecentWrites(self._store, None)
        with files.commit(began=[astuple(checkpoint) for checkpoint in writes.began or ()]):
            return writes


def run_job(store: ElasticsearchStore, command: str) -> Job:
    """Return what the files of a run over all documents are for: others begin at the start."""
    uuids = store.gateway.settings(store.name, "index.uuid").values()
    return {
        INDEX: store.name,
        UUIDS: sorted(entry["index.uuid"] for entry in uuids),
        "command": command,
        "scheme": store.config.scheme.name,
        "text_field": store.config.text_field,
        "simhash_field": store.config.simhash_field,
    }


def require_texts(store: ElasticsearchStore, files: RunFiles) -> None:
    """Check that the text of any document of a run is the one that was fingerprinted.

    Raises:
        InputError: That of none is; the field is another, or all were changed.
    """
    query = "SELECT count(*), sum(NOT is_current), min(id) FROM documents"
    ((documents, skipped, id),) = files.select(query)
    if not documents or skipped < documents:
        return
    files.remove()
    (hint,) = store.ask([TextFieldHint()])
    hint = hint or "; name the field of the text"
    raise InputError(
        f"Field {store.config.text_field!r} does not match the fingerprinted text of any "
        f"document, such as {id!r}{hint}.",
        parameter="text_field",
    )


def _date_field(store: Store, options: FamilyOptions) -> DateField | None:
    """Return the field of the dates; a name that no mapping has is wrong even if none matters."""
    if options.date_field is None:
        return None
    field: DateField
    (field,) = store.ask([FindDateField(options.date_field, "date_field")])
    return field if options.compares_dates else None


def _within(store: Store, options: FamilyOptions) -> str | None:
    """Return the field that keeps families apart; None for none."""
    if not options.within:
        return None
    field: str
    (field,) = store.ask([FindKeywordField(options.within, "within")])
    return field


def _report(
    run: FamilyRun,
    families: Sequence[Family],
    changes: Sequence[Assignment],
    conflicts: set[DocumentRef],
    *,
    dry_run: bool,
) -> FamiliesReport:
    copies, stored = run.corpus.copies, run.stored_families
    unwritten = run.corpus.skipped | conflicts
    return FamiliesReport(
        families=tuple(family for family in families if len(family.documents) > 1),
        documents=sum(len(family.documents) for family in families),
        queried=len(run.graph.queried),
        written=len(changes) - len(conflicts - run.corpus.skipped),
        skipped=tuple(sorted(ref.id for ref in unwritten)),
        truncated=tuple(sorted(copies[key][0].id for key in run.graph.truncated)),
        undated=tuple(run.undated(families)),
        dry_run=dry_run,
        contradicted=tuple(run.contradicted()),
        within=run.within,
        parted=tuple(run.parted()),
        valueless=tuple(run.valueless(families)),
        changes=family_changes(stored, families, unwritten),
        rewritten=frozenset(document.ref for document, _ in changes if document.family is not None)
        - conflicts,
    )
