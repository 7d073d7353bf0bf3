"""Finding the version families of an index and writing them into its documents; the stored ones."""

from collections import defaultdict
from collections.abc import Sequence

from es_simhash.errors import InputError, MappingConflict
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.family_run import FamilyRun
from es_simhash.maintenance.families.family_writer import FamilyWriter
from es_simhash.pairs.family_changes import Family, family_changes
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.snapshot import ElasticsearchSnapshot
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.installation.date_fields import find_date_field
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.installation.text_fields import misspelt_hint
from es_simhash.store.intents import Parts, Where
from es_simhash.store.protocol import Progress


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
    gateway = Gateway.of(client)
    with ElasticsearchSnapshot(gateway, index, config or IndexConfig()) as snapshot:
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
    """Find the version families of an index and write them to `simhash.family`.

    Every document with fingerprints gets a family, a document without versions its own, so that
    `collapse` on the field returns each of them. Only documents without a family, and what is
    linked with them, are processed; the families are those of a run over all documents.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream with fingerprints.
        options: Which document represents a family, and which documents are processed.
        config: Names of the fields; the schemes are read from the mapping.
        progress: Called now and then, with the texts whose candidates were retrieved.

    Returns:
        The families of several documents, and counts.

    Raises:
        InputError: The name stands for several indices, no document has the fingerprinted text
            in the text field, or no mapping has the date field.
        MappingConflict: The index has no fingerprint fields, or is a sidecar, or the date field
            holds no dates.
    """
    options = options or FamilyOptions()
    given = config or IndexConfig()
    gateway = Gateway.of(client)
    _require_no_sidecar(gateway, index, given.simhash_field)
    state = StateIndex(gateway, index, given.simhash_field)
    installed = InstalledIndex(gateway, index, given).config
    options = options.configured(installed).as_before(state.last_run())
    date_field = _date_field(gateway, index, options)
    with ElasticsearchSnapshot(gateway, index, installed) as snapshot:
        run = FamilyRun(FamilyReader(snapshot, date_field), state, options)
        run.explore(progress)
        families = run.families()
    if run.is_full:
        _require_texts(gateway, index, run.corpus, installed.text_field)
    changes = run.changes(families)
    conflicts: set[DocumentRef] = set()
    if not options.dry_run:
        conflicts = FamilyWriter(gateway, index, installed).write(changes)
        gateway.refresh(index)
        run.store_state(families, run.corpus.skipped | conflicts)
    written = len(changes) - len(conflicts - run.corpus.skipped)
    return _report(run, families, written, conflicts, dry_run=options.dry_run)


def _require_no_sidecar(gateway: Gateway, index: str, simhash_field: str) -> None:
    """Reject a sidecar: `collapse` needs the families in the documents themselves."""
    source = sidecar_source(gateway, index, simhash_field)
    if source is not None:
        raise MappingConflict(
            f"Index {index!r} is the sidecar of {source!r}, and families are written to the "
            f"documents themselves. Run `es-simhash install {source}`, `es-simhash backfill "
            f"{source}` and `es-simhash families run {source}`."
        )


def _date_field(gateway: Gateway, index: str, options: FamilyOptions) -> DateField | None:
    """Return the field of the dates; a name that no mapping has is wrong even if none matters."""
    if options.date_field is None:
        return None
    mappings = gateway.mappings(index)
    field = find_date_field(mappings, options.date_field, parameter="date_field")
    return field if options.compares_dates else None


def _require_texts(gateway: Gateway, index: str, corpus: Corpus, text_field: str) -> None:
    if corpus.skipped and len(corpus.skipped) == len(corpus.documents):
        hint = misspelt_hint(gateway.mappings(index), text_field) or "; name the field of the text"
        raise InputError(
            f"Field {text_field!r} does not match the fingerprinted text of any document, such as "
            f"{min(corpus.skipped).id!r}{hint}.",
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
    copies = run.corpus.copies
    return FamiliesReport(
        families=tuple(family for family in families if len(family.documents) > 1),
        documents=sum(len(family.documents) for family in families),
        queried=len(run.graph.queried),
        written=written,
        skipped=tuple(sorted(ref.id for ref in run.corpus.skipped | conflicts)),
        truncated=tuple(sorted(copies[key][0].id for key in run.graph.truncated)),
        undated=tuple(run.undated(families)),
        dry_run=dry_run,
        contradicted=tuple(run.contradicted()),
        changes=family_changes(run.stored_families, families, run.corpus.skipped | conflicts),
    )
