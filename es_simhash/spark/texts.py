"""What is compared of the documents of a frame: their places, and the parts of their texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.pairs.parted_texts import values_of
from es_simhash.relation.scoring import min_shared
from es_simhash.relation.stored_text import StoredParts
from es_simhash.spark.engine import Batches, Column, Columns, DataFrame, F, ddl, rows_of, table
from es_simhash.store import fields
from es_simhash.store.codec import shingles_of, unpack_chunks, unpack_sketch

# Rows that are decoded together.
_ROWS = 500
SIMHASH = fields.DEFAULT_FIELD
_KEY_DIGITS = 16
_HALF = 1 << 63

# Where a document is, and what decides about its family.
DOCUMENT: Columns = (
    ("index", "string"),
    ("id", "string"),
    ("routing", "string"),
    ("values", "array<string>"),
    ("moment", "long"),
    ("number", "double"),
    ("family", "string"),
    ("status", "string"),
    ("content_hash", "string"),
    ("key", "long"),
    ("characters", "int"),
)
# What is compared of its text.
PARTS: Columns = (
    ("asked", "array<int>"),
    ("least", "byte"),
    ("shingles", "binary"),
    ("chunks", "string"),
    ("sketch", "string"),
)
# Members of fingerprints that are read.
_MEMBERS: Columns = (
    (fields.SCHEME, "string"),
    (fields.STATUS, "string"),
    (fields.CONTENT_HASH, "string"),
    (fields.SHINGLES, "array<string>"),
    (fields.CHUNKS, "string"),
    (fields.SKETCH, "string"),
)


@dataclass(frozen=True)
class FrameColumns:
    """Columns of a frame by what they hold; dots lead into structs.

    Attributes:
        id: The id of a document; no two have the same in one index.
        index: Its index; None where all are of one.
        routing: What it is routed by; None where that is its id.
        date: Its date or a number that puts documents in order; None where neither matters.
        within: What keeps documents apart, as the owner; None for nothing.
        family: Its family of an earlier run, which keeps its name; None for none.
    """

    id: str = "id"
    index: str | None = None
    routing: str | None = None
    date: str | None = None
    within: str | None = None
    family: str | None = None


def compared_documents(frame: DataFrame, columns: FrameColumns, scheme: Scheme) -> DataFrame:
    """Return the documents of a frame with what is compared of their texts, `DOCUMENT` and `PARTS`.

    Args:
        frame: The documents, with the column `simhash`.
        columns: Names of the columns.
        scheme: Of the fingerprints that are compared; other documents have none.

    Raises:
        InputError: A column is missing, or holds what cannot be compared.
    """
    chosen = [
        *(
            named(frame, name, parameter).cast("string").alias(parameter)
            for name, parameter in (
                (columns.index, "index"),
                (columns.id, "id"),
                (columns.routing, "routing"),
            )
        ),
        values_apart(frame, columns.within).alias("values"),
        *dated(frame, columns.date),
        named(frame, columns.family, "family").cast("string").alias("family"),
        *_members(frame),
    ]
    selected = frame.select(*chosen)
    return selected.mapInArrow(partial(_decoded, scheme.name), ddl((*DOCUMENT, *PARTS)))


def _members(frame: DataFrame) -> Iterator[Column]:
    """Yield what is read of the fingerprints; files of JSON leave out what no document has."""
    present = _member_names(frame)
    for name, kind in _MEMBERS:
        column = F.col(f"{SIMHASH}.{name}") if name in present else F.lit(None).cast(kind)
        yield column.alias(f"simhash_{name}")


def _member_names(frame: DataFrame) -> list[str]:
    return list(getattr(frame.schema[SIMHASH].dataType, "names", ()))


def require_fingerprints(frame: DataFrame) -> None:
    """Check that the column `simhash` has fingerprints.

    Raises:
        InputError: It lacks what each of them has.
    """
    present = _member_names(frame)
    for name in (fields.SCHEME, fields.CONTENT_HASH):
        if name not in present:
            raise InputError(
                f"Column {SIMHASH!r} has no member {name!r}, only {', '.join(present) or 'none'}. "
                "Fingerprint the documents again."
            )


def distinct_texts(documents: DataFrame) -> DataFrame:
    """Return the texts with words of documents, each once."""
    parts = ["content_hash", "key", "characters", *(name for name, _ in PARTS)]
    with_words = documents.where("content_hash is not null and status is null")
    return with_words.select(*parts).dropDuplicates(["content_hash"])


def key_of(content_hash: str) -> int:
    """Return the number by which frames are joined in place of a hash of a text.

    64 of its 128 bits, as a signed number. Of a hundred million texts two may have one number with
    a probability of 1 in 4,000; only these two are not compared then, if they are versions at all.
    """
    return int(content_hash[:_KEY_DIGITS], 16) - _HALF


def stored_parts(row: dict[str, Any]) -> StoredParts:
    """Return what is compared of a text of a row with `PARTS`."""
    shingles = np.frombuffer(row["shingles"], "<u4")
    return StoredParts(
        row["content_hash"], shingles, unpack_chunks(row["chunks"]), unpack_sketch(row["sketch"])
    )


def named(frame: DataFrame, name: str | None, parameter: str) -> Column:
    """Return a column by its name, of nothing for no name.

    Raises:
        InputError: There is none.
    """
    if name is None:
        return F.lit(None)
    if name.split(".")[0] not in frame.columns:
        raise InputError(
            f"The frame has no column {name!r}, only {', '.join(frame.columns)}. Set {parameter}.",
            parameter=parameter,
        )
    return F.col(name)


def _type_of(frame: DataFrame, column: Column) -> str:
    return str(frame.select(column).schema[0].dataType.simpleString())


def values_apart(frame: DataFrame, name: str | None) -> Column:
    """Return what keeps documents apart, as an array; of null where nothing does."""
    column = named(frame, name, "within")
    if name is None or not _type_of(frame, column).startswith("array<"):
        column = F.array(column)
    return column.cast("array<string>")


def dated(frame: DataFrame, name: str | None) -> tuple[Column, Column]:
    """Return what puts documents in order: whole numbers, of which doubles lose digits, or others.

    Raises:
        InputError: The column holds text.
    """
    column = named(frame, name, "date")
    kind = "void" if name is None else _type_of(frame, column)
    if kind == "string":
        raise InputError(
            f"Column {name!r} holds text, which has no order in time. Cast it to a date. Set date.",
            parameter="date",
        )
    moment = number = F.lit(None)
    if kind.startswith(("date", "timestamp")):
        moment = F.unix_micros(column.cast("timestamp"))
    elif kind.startswith(("double", "float", "decimal")):
        number = column
    else:
        moment = column
    return moment.cast("long").alias("moment"), number.cast("double").alias("number")


def _decoded(scheme: str, batches: Batches) -> Iterator[Any]:
    """Yield documents with what is compared of their texts."""
    for rows in rows_of(batches, _ROWS):
        yield table((*DOCUMENT, *PARTS), [_row(row, scheme) for row in rows])


def _row(row: dict[str, Any], scheme: str) -> tuple[Any, ...]:
    content_hash, status = row["simhash_content_hash"], row["simhash_status"]
    if row["id"] is None:
        raise InputError("A document has no id. Set id.", parameter="id")
    if row["simhash_scheme"] != scheme:
        content_hash = status = None
    place = (row["index"], row["id"], row["routing"], values_of(row["values"]))
    head = (*place, row["moment"], row["number"], row["family"], status, content_hash)
    if content_hash is None or status is not None:
        return (*head, None, None, None, None, None, None, None)
    terms, chunks, sketch = (row[f"simhash_{name}"] for name in ("shingles", "chunks", "sketch"))
    parts = StoredParts(
        content_hash, shingles_of(terms), unpack_chunks(chunks), unpack_sketch(sketch)
    )
    return (
        *head,
        key_of(content_hash),
        parts.characters,
        parts.queried_shingles.tolist(),
        min_shared(parts),
        parts.shingles.astype("<u4").tobytes(),
        chunks,
        sketch,
    )
