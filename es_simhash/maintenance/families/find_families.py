"""Finding the version families of an index and writing them into its documents; the stored ones."""

from collections import defaultdict
from collections.abc import Sequence

from es_simhash.errors import InputError
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.family_run import FamilyRun, is_full
from es_simhash.maintenance.families.family_writer import RETRY, FamilyWriter
from es_simhash.maintenance.families.recent_writes import RecentWrites
from es_simhash.pairs.family_changes import Family, family_changes
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore, opened_store
from es_simhash.store.installation.noted_pairs import family_state
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import FindDateField, FindKeywordField, Parts, TextFieldHint, Where
from es_simhash.store.protocol import Progress, Store


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
    """
    members: dict[str, list[tuple[bool, DocumentRef]]] = defaultdict(list)
    store = ElasticsearchStore(Gateway.of(client), index, config)
    with store.snapshot() as snapshot:
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
        progress: Called now and then, with the texts whose candidates were retrieved.
    """
    options = options or FamilyOptions()
    given = config or IndexConfig()
    gateway = Gateway.of(client)
    why = "and families are in the documents themselves"
    mapped = gateway.mappings(index)
    require_own_fields(mapped, index, given.simhash_field, why=why, command="families run")
    state = StateIndex(gateway, index, given.simhash_field)
    store = opened_store(gateway, index, given, mapped)
    stored = family_state(state)
    options = options.configured(store.config).as_before(stored.options)
    date_field, within = _date_field(store, options), _within(store, options)
    writes = RecentWrites(store, stored.left)
    touched = None
    if not is_full(options, stored, store.config.versions_from):
        touched = writes.families()
    with store.snapshot() as snapshot:
        run = FamilyRun(FamilyReader(snapshot, date_field, within), state, stored, options, touched)
        run.explore(progress)
        families = run.families()
    if run.is_full:
        _require_texts(store, run.corpus)
    changes = run.changes(families)
    conflicts: set[DocumentRef] = set()
    if not options.dry_run:
        retrying = ElasticsearchStore(
            Gateway.of(gateway, RETRY), index, store.config, is_complete=True
        )
        conflicts = FamilyWriter(retrying).write(changes)
        seq_nos = writes.ended(len(changes) - len(conflicts - run.corpus.skipped))
        run.store_state(families, run.corpus.skipped | conflicts, seq_nos)
    written = len(changes) - len(conflicts - run.corpus.skipped)
    return _report(run, families, written, conflicts, dry_run=options.dry_run)


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


def _require_texts(store: ElasticsearchStore, corpus: Corpus) -> None:
    if corpus.skipped and len(corpus.skipped) == len(corpus.documents):
        (hint,) = store.ask([TextFieldHint()])
        hint = hint or "; name the field of the text"
        raise InputError(
            f"Field {store.config.text_field!r} does not match the fingerprinted text of any "
            f"document, such as {min(corpus.skipped).id!r}{hint}.",
            parameter="text_field",
        )


def _report(
    run: FamilyRun,
    families: Sequence[Family],
    written: int,
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
        written=written,
        skipped=tuple(sorted(ref.id for ref in unwritten)),
        truncated=tuple(sorted(copies[key][0].id for key in run.graph.truncated)),
        undated=tuple(run.undated(families)),
        dry_run=dry_run,
        contradicted=tuple(run.contradicted()),
        within=run.within,
        parted=tuple(run.parted()),
        valueless=tuple(run.valueless(families)),
        changes=family_changes(stored, families, unwritten),
        added=frozenset(ref for ref, family in stored.items() if family is None) - unwritten,
    )
