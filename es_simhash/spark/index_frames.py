"""An index of Elasticsearch as a frame, and families of a frame in an index.

Each partition reads a slice of one point in time, and writes by sequence numbers, with the store
that everything else reads and writes with.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import Assignment, FamilyDocument, Membership
from es_simhash.maintenance.families.family_writer import RETRY, FamilyWriter
from es_simhash.pairs.parted_texts import values_of
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.spark.engine import (
    Batches,
    Columns,
    DataFrame,
    F,
    Session,
    ddl,
    kept,
    pyarrow,
    rows_of,
    struct_type,
    table,
)
from es_simhash.spark.family_rules import FamilyRules, FrameFamilies
from es_simhash.spark.fingerprints import FINGERPRINTS, read_objects, struct_ddl
from es_simhash.spark.texts import SIMHASH, FrameColumns
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.snapshot import ElasticsearchSnapshot
from es_simhash.store.elasticsearch.store import ElasticsearchStore, opened_store
from es_simhash.store.installation.noted_pairs import family_state, standing
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import FindDateField, FindKeywordField, Parts, Where
from es_simhash.store.rows import Row

# Documents of one page, which are fingerprinted together.
_READ_AT_ONCE = 200
# Documents whose families are written with one request.
_WRITES = 1000
_PLACE: Columns = (("index", "string"), ("id", "string"), ("routing", "string"))
_VERSION: Columns = (("seq_no", "long"), ("primary_term", "long"))
_READ: Columns = (
    *_PLACE,
    *_VERSION,
    ("content_hash", "string"),
    ("family", "string"),
    ("represents", "boolean"),
    ("values", "array<string>"),
    ("text", "string"),
)
_WRITTEN: Columns = (("id", "string"), ("is_written", "boolean"))
_ANOTHER_TEXT = "The text is missing, or is not the one that was fingerprinted."


@dataclass(frozen=True)
class Cluster:
    """Where an Elasticsearch is, and how to authenticate: each worker opens connections of its own.

    Attributes:
        url: Scheme, host and port.
        api_key: Encoded API key.
        user: User of basic authentication; ignored with an API key.
        password: Password of that user.
        ca_certs: File on each worker, with the certificate of the authority that signed the
            cluster's.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_certs: str | None = None

    def client(self) -> Client:
        """Return a client; nothing is sent yet."""
        return connect(
            self.url,
            api_key=self.api_key,
            user=self.user,
            password=self.password,
            ca_certs=self.ca_certs,
        )


@dataclass(frozen=True)
class IndexFrame:
    """An index as it was at one moment.

    Attributes:
        documents: A row for each document with fingerprints of the scheme: where it is, its text,
            its `simhash` object, and in which version it was read.
        columns: Names of the columns for `families`.
        config: How the index is read and fingerprinted.
        rules: How families are found: the rule of the index, and what a person decided about pairs.
        cluster: Where it is.
        index: Its name.
    """

    documents: DataFrame
    columns: FrameColumns
    config: IndexConfig
    rules: FamilyRules
    cluster: Cluster
    index: str


@dataclass(frozen=True)
class WrittenFamilies:
    """What became of families that were written.

    Attributes:
        written: How many documents got another family than they had.
        conflicts: Ids of those that another writer changed or deleted meanwhile; nothing was
            written to them.
    """

    written: int
    conflicts: tuple[str, ...]


@contextmanager
def opened_index(
    session: Session,
    cluster: Cluster,
    index: str,
    *,
    options: FamilyOptions | None = None,
    config: IndexConfig | None = None,
    slices: int = 8,
) -> Iterator[IndexFrame]:
    """Open an index, alias or data stream as a frame, while a `with` statement lasts.

    Its documents are read when the frame is first used, each slice by a task, as they were when the
    statement began; what is lost with an executor is read again, from the same moment.

    Args:
        session: The Spark session.
        cluster: Where it is.
        index: Its name.
        options: Which document represents a family, and what keeps families apart, as for
            `Index.families`.
        config: Names of the fields; the schemes are read from the mapping.
        slices: Tasks that read; one to three for each shard are best.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or no field of dates of that name.
    """
    given = config or IndexConfig()
    gateway = Gateway.of(cluster.client())
    mapped = gateway.mappings(index)
    why = "and families are in the documents themselves"
    require_own_fields(mapped, index, given.simhash_field, why=why, command="families run")
    store = opened_store(gateway, index, given, mapped)
    state = family_state(StateIndex(gateway, index, store.config.state_field))
    options = (options or FamilyOptions()).configured(store.config).as_before(state.options)
    date, within = _fields(store, options)
    parts = Parts(
        text=True,
        members=True,
        date=date,
        values=() if within is None else (within,),
        version=True,
    )
    with store.snapshot() as snapshot:
        reading = _Reading(cluster, index, replace(store.config, table=None), snapshot.point)
        dated = ("date", "double" if date is not None and date.is_number else "long")
        schema = f"{ddl((*_READ, dated))}, {SIMHASH} struct<{struct_ddl(FINGERPRINTS)}>"
        read = partial(_read, reading, parts, slices, (*_READ, dated))
        documents = kept(session.range(0, slices, 1, slices).mapInArrow(read, schema))
        columns = FrameColumns(
            index="index",
            routing="routing",
            date=None if date is None else "date",
            within="values",
            family="family",
        )
        rules = FamilyRules(
            options.rule, sorted(standing(state.dismissals)), sorted(standing(state.joins))
        )
        yield IndexFrame(documents, columns, store.config, rules, cluster, index)


def _fields(
    store: ElasticsearchStore, options: FamilyOptions
) -> tuple[DateField | None, str | None]:
    """Return the field of the dates, where they decide, and the one that keeps families apart."""
    date, within = None, None
    if options.compares_dates:
        (date,) = store.ask([FindDateField(str(options.date_field), "date_field")])
    if options.within:
        (within,) = store.ask([FindKeywordField(options.within, "within")])
    return date, within


@dataclass(frozen=True)
class _Reading:
    """What a worker needs to read a slice."""

    cluster: Cluster
    index: str
    config: IndexConfig
    point: str

    def snapshot(self) -> ElasticsearchSnapshot:
        gateway = Gateway.of(self.cluster.client())
        return ElasticsearchSnapshot(gateway, self.index, self.config, point=self.point)


def _read(
    reading: _Reading, parts: Parts, slices: int, columns: Columns, batches: Batches
) -> Iterator[Any]:
    """Yield the documents of slices, by the numbers of these."""
    snapshot = reading.snapshot()
    config = replace(reading.config, text_field="text", semantics=None, schemes=())
    for numbers in rows_of(batches, slices):
        for number in numbers:
            where = Where(fingerprinted=True)
            part = snapshot.slices(where, parts, slices)[number["id"]]
            while rows := part.read(_READ_AT_ONCE):
                batch = table(columns, [_columns(row) for row in rows])
                objects = pyarrow.array(_objects(rows, config), type=struct_type(FINGERPRINTS))
                yield pyarrow.RecordBatch.from_arrays(
                    [*batch.columns, objects], [*batch.schema.names, SIMHASH]
                )


def _columns(row: Row) -> tuple[Any, ...]:
    ref, version = row.ref, row.read_version
    return (
        *(ref.index, ref.id, ref.routing, version.seq_no, version.primary_term),
        *(row.content_hash, row.family, row.represents),
        *(values_of(chain(*row.values.values())), row.text, row.date),
    )


def _objects(rows: list[Row], config: IndexConfig) -> list[dict[str, Any]]:
    """Return the objects of the texts as they are now; of one of another text, why it has none."""
    objects = list(read_objects([{"text": row.text} for row in rows], config))
    return [
        simhash if _is_current(row, simhash) else {fields.ERROR: _ANOTHER_TEXT}
        for row, simhash in zip(rows, objects, strict=True)
    ]


def _is_current(row: Row, simhash: dict[str, Any]) -> bool:
    if fields.ERROR in simhash:
        return True
    if simhash.get(fields.STATUS) == fields.STATUS_EMPTY:
        return row.is_current(row.text, None)
    return bool(simhash[fields.CONTENT_HASH] == row.content_hash)


def write_families(read: IndexFrame, found: FrameFamilies) -> WrittenFamilies:
    """Write families into the documents of an index, never over a newer text.

    Documents that have their family already are left alone. A task that is repeated writes the same
    once more.

    Args:
        read: The index.
        found: Families of its documents.

    Raises:
        ClusterError: A write is rejected, or other writers never pause.
    """
    before = read.documents.select(
        *(F.col(name).alias(f"old_{name}") for name, _ in _READ if name != "text")
    )
    same = F.lit(True)
    for name, _ in _PLACE:
        same = same & F.col(name).eqNullSafe(F.col(f"old_{name}"))
    changed = found.documents.join(before, same).where(
        "not (family <=> old_family and representative <=> old_represents)"
    )
    write = partial(_write, read.cluster, read.index, replace(read.config, table=None))
    rows = changed.mapInArrow(write, ddl(_WRITTEN)).collect()
    conflicts = sorted(row.id for row in rows if not row.is_written)
    return WrittenFamilies(len(rows) - len(conflicts), tuple(conflicts))


def _write(cluster: Cluster, index: str, config: IndexConfig, batches: Batches) -> Iterator[Any]:
    """Yield of the documents of a partition whether their families were written."""
    gateway = Gateway.of(cluster.client(), RETRY)
    writer = FamilyWriter(ElasticsearchStore(gateway, index, config, is_complete=True))
    for rows in rows_of(batches, _WRITES):
        conflicts = writer.write([_assignment(row) for row in rows])
        results = [(row["id"], _ref(row) not in conflicts) for row in rows]
        yield table(_WRITTEN, results)


def _ref(row: dict[str, Any]) -> DocumentRef:
    return DocumentRef(row["index"], row["id"], row["routing"])


def _assignment(row: dict[str, Any]) -> Assignment:
    version = DocumentVersion(_ref(row), row["old_seq_no"], row["old_primary_term"])
    document = FamilyDocument(
        version, row["old_content_hash"] or "", row["old_family"], row["old_represents"], None
    )
    return document, Membership(row["family"], row["representative"])
