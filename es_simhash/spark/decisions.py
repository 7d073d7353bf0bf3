"""De-duplication of a frame: the decisions that `ingest` makes of the documents in their order.

A decision rests on earlier documents that are versions, and on what was decided about these. So the
documents that versions connect are decided together, in their order, by what decides batches.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, cast

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.text_fingerprints import fingerprint_texts
from es_simhash.ingestion.deduplication.batch_decider import BatchDecider
from es_simhash.ingestion.deduplication.dry_run import Unreserved
from es_simhash.ingestion.deduplication.effects import join_families
from es_simhash.ingestion.deduplication.recent_documents import RecentDocuments
from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery
from es_simhash.ingestion.deduplication.stored_documents import DocumentDates, StoredDocuments
from es_simhash.ingestion.deduplication.version_decisions import Decision, IncomingDocument
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.pairs.parted_texts import values_of
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.relation.scoring import score_candidates
from es_simhash.spark.candidates import MAX_TEXTS, hot_shingles, postings
from es_simhash.spark.components import components
from es_simhash.spark.engine import (
    Batches,
    Columns,
    DataFrame,
    F,
    ddl,
    kept,
    pyarrow,
    rows_of,
    table,
)
from es_simhash.spark.fingerprints import sources_of, text_columns, text_or_fault
from es_simhash.spark.texts import (
    FrameColumns,
    dated,
    key_of,
    named,
    stored_parts,
    values_apart,
)
from es_simhash.store import fields
from es_simhash.store.codec import simhash_object
from es_simhash.store.config import IndexConfig
from es_simhash.store.memory import MemoryStore
from es_simhash.store.protocol import WritableStore

# Rows that are decoded at once.
_PAIRS_AT_ONCE = 500
_VALUES = ("values", "array<string>")
_DATE: Columns = (("moment", "long"), ("number", "double"))
_EDGE: Columns = (("one", "long"), ("other", "long"))
# What a text is queried by, and what is compared of it.
_TEXT: Columns = (
    ("key", "long"),
    ("asked", "array<int>"),
    ("least", "byte"),
    ("has", "array<int>"),
    ("content_hash", "string"),
    ("shingles", "binary"),
    ("chunks", "string"),
    ("sketch", "string"),
)
_COMPARED = ("content_hash", "shingles", "chunks", "sketch")
_DECISION: Columns = (
    ("id", "string"),
    ("action", "string"),
    ("original", "string"),
    ("kind", "string"),
    ("score", "double"),
    ("kept", "string"),
    ("family", "string"),
    ("superseded", "string"),
    ("lost", "double"),
    ("writes", "boolean"),
)


@dataclass(frozen=True)
class Deduplicated:
    """A frame without what is not to be written.

    Attributes:
        documents: The rows that are to be written, as they were.
        decisions: A row for each document: `action` as of `ingest`, its `original` with `kind` and
            `score` of their relation, which one is `kept`, its `family` where it is linked, the id
            of what `superseded` it, the share of words that would be `lost`, and whether it
            `writes`.
        hot: Shingles of more than `max_texts` texts, `shingle` and `texts`, of which only the first
            were compared with others by them; none where the decisions are complete.
    """

    documents: DataFrame
    decisions: DataFrame
    hot: DataFrame


def deduplicate(
    frame: DataFrame,
    on_version: OnVersion | str = "skip",
    columns: FrameColumns | None = None,
    config: IndexConfig | None = None,
    *,
    order: str | None = None,
    max_texts: int = MAX_TEXTS,
) -> Deduplicated:
    """Decide which documents of a frame are versions of earlier ones, and what becomes of them.

    Args:
        frame: The documents.
        on_version: The action, or all rules.
        columns: Names of the columns; no two rows have one id.
        config: Column of the text, the scheme, and where versions begin.
        order: Column by which the documents come; of equal ones, the smaller id. None for the ids.
        max_texts: Texts of a shingle that others are compared with by it.

    Raises:
        InputError: A column is missing, a row has no id, two rows have one id, or dates decide and
            no column has them.
    """
    columns, config = columns or FrameColumns(), config or IndexConfig()
    rules = OnVersion.of(on_version)
    if rules.compares_dates and columns.date is None:
        raise InputError("The newest is kept by its date. Set date.", parameter="date")
    documents = kept(_documents(frame, columns, config, order))
    twice = documents.groupBy("id").count().where("count > 1 or id is null").first()
    if twice is not None and twice[0] is None:
        raise InputError("A document has no id. Set id.", parameter="id")
    if twice is not None:
        raise InputError(f"Several rows have the id {twice[0]!r}. Set id.", parameter="id")
    texts = kept(
        documents.where("key is not null").select(*_names(_TEXT)).dropDuplicates(["content_hash"])
    )
    listed = postings(texts, by="has")
    edges = kept(_edges(texts, listed, max_texts, config.versions_from))
    labels = components(edges)
    together = documents.where("key is not null").join(labels, "key", "left")
    grouped = together.withColumn("component", F.coalesce("component", "key"))
    sizes = grouped.groupBy("component").count()
    several = grouped.join(sizes.where("count > 1"), "component", "left_semi")
    decide = partial(_decided, rules, replace(config, text_field="text", table=None))
    decided = (
        several.select("component", "id", "place", "values", *_names(_DATE), "text")
        .repartition("component")
        .sortWithinPartitions("component", "place", "id")
        .mapInArrow(decide, ddl(_DECISION))
    )
    alone = documents.join(decided, "id", "left_anti").select(
        *(_alone(name).cast(kind).alias(name) for name, kind in _DECISION)
    )
    decisions = kept(decided.unionByName(alone))
    dropped = decisions.where("not writes").select(F.col("id").alias("__es_simhash_id"))
    is_dropped = named(frame, columns.id, "id").cast("string") == F.col("__es_simhash_id")
    hot = hot_shingles(listed, max_texts)
    return Deduplicated(frame.join(dropped, is_dropped, "left_anti"), decisions, hot)


def _names(columns: Columns) -> list[str]:
    return [name for name, _ in columns]


def _alone(name: str) -> Any:
    """Return the decision about a document that is a version of nothing."""
    values = {"id": F.col("id"), "action": F.lit("write"), "writes": F.lit(True)}
    return values.get(name, F.lit(None))


def _documents(
    frame: DataFrame, columns: FrameColumns, config: IndexConfig, order: str | None
) -> DataFrame:
    """Return the documents with what their texts are queried by."""
    place = F.lit(0) if order is None else named(frame, order, "order")
    texts, names = text_columns(frame, config)
    read = frame.select(
        named(frame, columns.id, "id").cast("string").alias("id"),
        place.alias("place"),
        values_apart(frame, columns.within).alias("values"),
        *dated(frame, columns.date),
        *texts,
    )
    placed = ("place", str(read.schema["place"].dataType.simpleString()))
    schema = ddl((("id", "string"), placed, _VALUES, *_DATE, ("text", "string"), *_TEXT))
    return read.mapInArrow(partial(_queried, replace(config, table=None), names), schema)


def _queried(config: IndexConfig, names: Sequence[str], batches: Batches) -> Iterator[Any]:
    """Yield documents with their texts, and what these are queried by."""
    for batch in batches:
        columns = batch.columns[: batch.num_columns - len(names)]
        contents = [text_or_fault(each, config)[0] for each in sources_of(batch, names)]
        rows = table(
            _TEXT, [_text_row(each) for each in fingerprint_texts(contents, config.scheme)]
        )
        texts = table((("text", "string"),), [(content,) for content in contents])
        yield pyarrow.RecordBatch.from_arrays(
            [*columns, *texts.columns, *rows.columns],
            [*batch.schema.names[: len(columns)], "text", *_names(_TEXT)],
        )


def _text_row(prints: TextFingerprints) -> tuple[Any, ...]:
    if prints.is_empty:
        return (None,) * len(_TEXT)
    query, stored = ShingleQuery.of(prints), simhash_object(prints)
    return (
        key_of(prints.content_hash),
        query.shingles.tolist(),
        query.min_shared,
        prints.shingles.tolist(),
        prints.content_hash,
        prints.shingles.astype("<u4").tobytes(),
        stored[fields.CHUNKS],
        stored[fields.SKETCH],
    )


def _edges(texts: DataFrame, listed: DataFrame, max_texts: int, threshold: float) -> DataFrame:
    """Return the pairs of texts of which one is found by a search for the other, and is a version.

    That is more than decisions ask for, so that none of them misses a document.
    """
    asked = texts.select(F.col("key").alias("one"), "least", F.explode("asked").alias("shingle"))
    first = listed.where(F.col("place") <= max_texts).select("shingle", F.col("key").alias("other"))
    found = (
        asked.join(first, "shingle")
        .where("one <> other")
        .groupBy("one", "other")
        .agg(F.count(F.lit(1)).alias("shared"), F.first("least").alias("least"))
        .where("shared >= least")
        .select(F.least("one", "other").alias("one"), F.greatest("one", "other").alias("other"))
        .distinct()
    )
    compared = F.struct("key", *_COMPARED)
    pairs = (
        found.join(texts.select(F.col("key").alias("one"), compared.alias("a")), "one")
        .join(texts.select(F.col("key").alias("other"), compared.alias("b")), "other")
        .select("a", "b")
    )
    return pairs.mapInArrow(partial(_versions, threshold), ddl(_EDGE))


def _versions(threshold: float, batches: Batches) -> Iterator[Any]:
    """Yield the pairs of texts that are versions of each other, of whatever kind."""
    for rows in rows_of(batches, _PAIRS_AT_ONCE):
        edges = []
        for row in rows:
            one, other = stored_parts(row["a"]), stored_parts(row["b"])
            (relation,) = score_candidates(one, [Candidate.of(one, other)], threshold)
            if relation.kind in VERSION_KINDS:
                edges.append((row["a"]["key"], row["b"]["key"]))
        yield table(_EDGE, edges)


def _decided(rules: OnVersion, config: IndexConfig, batches: Batches) -> Iterator[Any]:
    """Yield the decisions about documents, which come by component and in their order."""
    rows = (row for several in rows_of(batches, _PAIRS_AT_ONCE) for row in several)
    for _, component in groupby(rows, key=lambda row: row["component"]):
        decisions = _decisions(list(component), rules, config)
        yield table(_DECISION, [_decision_row(decision) for decision in decisions])


def _decisions(
    rows: Sequence[Mapping[str, Any]], rules: OnVersion, config: IndexConfig
) -> list[Decision]:
    """Return the decisions about documents that have no versions but each other."""
    incoming = [
        _incoming(number, row, prints)
        for number, (row, prints) in enumerate(
            zip(rows, fingerprint_texts([row["text"] for row in rows], config.scheme), strict=True)
        )
    ]
    context = RunContext("", config, rules, "")
    # Nothing is asked of the store: all that these decisions rest on is in the batch.
    stored = StoredDocuments(context, cast(WritableStore, MemoryStore(config)))
    recent = RecentDocuments(forgets=False)
    decider = BatchDecider(stored, recent, Unreserved(), DocumentDates())
    decisions, _ = decider.decide(incoming, [()] * len(incoming))
    return join_families(decisions, {}) if rules.action == "link" else decisions


def _incoming(number: int, row: Mapping[str, Any], prints: TextFingerprints) -> IncomingDocument:
    date = row["number"] if row["moment"] is None else row["moment"]
    source = json.dumps({"text": row["text"]}).encode()
    return IncomingDocument(
        row["id"],
        number,
        prints,
        source,
        b"{}",
        date=date,
        is_undated=date is None,
        values=values_of(row["values"]),
    )


def _decision_row(decision: Decision) -> tuple[Any, ...]:
    relation, lost = decision.relation, decision.lost
    return (
        *(decision.id, decision.action, decision.other),
        None if relation is None else relation.kind,
        None if relation is None else relation.score,
        *(decision.kept, decision.family, decision.superseded),
        None if lost is None else lost.share,
        decision.writes,
    )
