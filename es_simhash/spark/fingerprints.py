"""The `simhash` object of each document of a frame: the same that an index stores."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from es_simhash.errors import InputError
from es_simhash.maintenance.backfills.document_updates import derived_objects, rejection
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.spark.engine import (
    Batches,
    Column,
    Columns,
    DataFrame,
    F,
    ddl,
    pyarrow,
    struct_type,
)
from es_simhash.spark.texts import SIMHASH, require_fingerprints
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.source import field_names, text_of
from es_simhash.text.limits import require_text_size

# Members of the object, with their types.
FINGERPRINTS: Columns = (
    (fields.SCHEME, "string"),
    (fields.STATUS, "string"),
    (fields.CONTENT_HASH, "string"),
    (fields.FINGERPRINT, "string"),
    (fields.BLOCKS, "array<string>"),
    (fields.SHINGLES, "array<string>"),
    (fields.CHUNKS, "string"),
    (fields.SKETCH, "string"),
    (fields.ERROR, "string"),
)
SEMANTICS: Columns = (
    (fields.SEMANTIC_SCHEME, "string"),
    (fields.CONCEPTS, "map<string,double>"),
    (fields.ENTITIES, "array<string>"),
    (fields.VECTOR, "string"),
    (fields.VECTOR_FINGERPRINT, "string"),
    (fields.INDEX_VECTOR, "string"),
    (fields.VECTOR_TABLE, "string"),
    (fields.VECTOR_LANGUAGE, "string"),
)
# Columns that the texts and the entities of the documents are in while they are read.
_READ = "__es_simhash_{}"


def with_fingerprints(frame: DataFrame, config: IndexConfig | None = None) -> DataFrame:
    """Return a frame with the column `simhash`: the fingerprints of the text of each row.

    It is the object that `ingest` writes. A row without words has the status `empty`; one whose
    text cannot be fingerprinted has nothing but `error`, the reason.

    Args:
        frame: The documents.
        config: Column of the text, or several separated by commas, and the scheme.

    Raises:
        InputError: There is no such column, or it holds no text.
    """
    config = replace(config or IndexConfig(), semantics=None, schemes=())
    return _with_objects(frame, config, FINGERPRINTS)


def fingerprinted(frame: DataFrame, config: IndexConfig) -> DataFrame:
    """Return a frame with the column `simhash`; as it is when it has one.

    Raises:
        InputError: The column has no fingerprints, or without it there is no text.
    """
    if SIMHASH not in frame.columns:
        return with_fingerprints(frame, config)
    require_fingerprints(frame)
    return frame


def with_semantics(frame: DataFrame, config: IndexConfig | None = None) -> DataFrame:
    """Return a frame with the column `simhash`: fingerprints, and what each text is about.

    Args:
        frame: The documents.
        config: Column of the text, the schemes, the vocabulary and the word vectors, by default
            the default schemes; `index_config` returns that of an index.

    Raises:
        InputError: There is no such column, or it holds no text.
        MissingExtra: The semantic scheme needs a package that is not installed.
    """
    config = replace(config or IndexConfig(), schemes=())
    if config.semantics is None:
        config = replace(config, semantics=DEFAULT_SEMANTICS)
    return _with_objects(frame, config, (*FINGERPRINTS, *SEMANTICS))


def _with_objects(frame: DataFrame, config: IndexConfig, members: Columns) -> DataFrame:
    taken = [name for name in frame.columns if name != SIMHASH]
    read, names = text_columns(frame, config)
    schema = ", ".join(
        [
            *(f"`{name}` {frame.schema[name].dataType.simpleString()}" for name in taken),
            f"{SIMHASH} struct<{struct_ddl(members)}>",
        ]
    )
    # The word vectors of an index may be large: each worker gets them once.
    shared = frame.sparkSession.sparkContext.broadcast(config)
    selected = frame.select(*(F.col(f"`{name}`") for name in taken), *read)
    return selected.mapInArrow(partial(_objects, shared, names, members), schema)


def text_columns(frame: DataFrame, config: IndexConfig) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns of the texts, and of the entities, of a frame, and their names.

    Raises:
        InputError: There is none of such a name, or it holds no text.
    """
    names = (*field_names(config.text_field), *config.entity_fields)
    columns = [
        _column(frame, name).alias(_READ.format(number)) for number, name in enumerate(names)
    ]
    return columns, names


def sources_of(batch: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of a batch, with the fields that its last columns hold."""
    read = [column.to_pylist() for column in batch.columns[batch.num_columns - len(names) :]]
    return [_nested(names, values) for values in zip(*read, strict=True)]


def struct_ddl(members: Columns) -> str:
    """Return the members of a struct as Spark writes a schema."""
    return ddl(members).replace("` ", "`:")


def _column(frame: DataFrame, name: str) -> Column:
    """Return a column by its name; dots lead into structs.

    Raises:
        InputError: There is none, or it holds neither text nor lists of it.
    """
    first = name.split(".")[0]
    if first not in frame.columns:
        raise InputError(
            f"The frame has no column {first!r}, only {', '.join(frame.columns)}. Set text_field.",
            parameter="text_field",
        )
    column = F.col(".".join(f"`{part}`" for part in name.split(".")))
    kind = frame.select(column).schema[0].dataType.simpleString()
    if kind not in ("string", "array<string>"):
        raise InputError(
            f"Column {name!r} holds {kind}, not text. Set text_field.", parameter="text_field"
        )
    return column


def _objects(
    shared: Any, names: Sequence[str], members: Columns, batches: Batches
) -> Iterator[Any]:
    """Yield batches with the object of each row in place of what was read for it."""
    config: IndexConfig = shared.value
    for batch in batches:
        count = batch.num_columns - len(names)
        columns = batch.columns
        sources = sources_of(batch, names)
        objects = pyarrow.array(list(read_objects(sources, config)), type=struct_type(members))
        yield pyarrow.RecordBatch.from_arrays(
            [*columns[:count], objects], [*batch.schema.names[:count], SIMHASH]
        )


def _nested(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of a document as documents have them: dots lead into objects."""
    source: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        *above, last = name.split(".")
        inner = source
        for part in above:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return source


def read_objects(
    sources: Sequence[dict[str, Any]], config: IndexConfig
) -> Iterator[dict[str, Any]]:
    """Yield the object of each document; of one that cannot be read, why."""
    texts: list[str] = []
    faults: list[str | None] = []
    for source in sources:
        text, fault = text_or_fault(source, config)
        texts.append(text)
        faults.append(fault)
    read = [source if fault is None else {} for source, fault in zip(sources, faults, strict=True)]
    for content, fault in zip(derived_objects(texts, read, config), faults, strict=True):
        yield _members(json.loads(content)) if fault is None else {fields.ERROR: fault}


def text_or_fault(source: dict[str, Any], config: IndexConfig) -> tuple[str, str | None]:
    """Return the text of a document, or an empty one and why it cannot be fingerprinted."""
    try:
        text = require_text_size(text_of(source, config.text_field) or "")
    except InputError as error:
        return "", str(error)
    fault = rejection(text, source, config)
    return (text, None) if fault is None else ("", fault)


def _members(simhash: dict[str, Any]) -> dict[str, Any]:
    """Return an object as Arrow takes it: of a map, its pairs."""
    concepts = simhash.get(fields.CONCEPTS)
    if concepts is not None:
        simhash[fields.CONCEPTS] = list(concepts.items())
    return simhash
