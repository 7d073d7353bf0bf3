"""PySpark and Arrow, of which nothing else of the package knows, and frames that are kept."""

from collections.abc import Iterator, Sequence
from typing import Any

from es_simhash.errors import MissingExtra

try:
    import pyarrow
    from py4j.protocol import Py4JJavaError
    from pyspark import StorageLevel
    from pyspark.errors import AnalysisException, PythonException
    from pyspark.sql import Column, DataFrame, Window
    from pyspark.sql import SparkSession as Session
    from pyspark.sql import functions as F
except ImportError as error:
    raise MissingExtra.of("spark", "Bulk work on Spark needs PySpark") from error

__all__ = [
    "AnalysisException",
    "Column",
    "DataFrame",
    "F",
    "Py4JJavaError",
    "PythonException",
    "Session",
    "Window",
    "kept",
    "pyarrow",
    "rows_of",
    "settled",
    "struct_type",
    "table",
]

Batches = Iterator[Any]


def kept(frame: DataFrame) -> DataFrame:
    """Return a frame that is computed once, as far as memory and disk of the executors allow.

    What an executor had that is lost is computed again.
    """
    return frame.persist(StorageLevel.MEMORY_AND_DISK)


def settled(frame: DataFrame) -> DataFrame:
    """Return a frame that is computed, and forgets how: for what is repeated many times.

    It is written to the checkpoint directory of the session, where there is one; otherwise it is
    lost with its executor, and the job with it.
    """
    context = frame.sparkSession.sparkContext
    if context.getCheckpointDir() is not None:
        return frame.checkpoint()
    return frame.localCheckpoint()


def rows_of(batches: Batches, size: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of Arrow batches as dictionaries, so many at a time at the most."""
    for batch in batches:
        for start in range(0, batch.num_rows, size):
            yield batch.slice(start, size).to_pylist()


# Types of columns, as Spark and as Arrow name them.
_TYPES = {
    "string": pyarrow.string(),
    "binary": pyarrow.binary(),
    "boolean": pyarrow.bool_(),
    "byte": pyarrow.int8(),
    "int": pyarrow.int32(),
    "long": pyarrow.int64(),
    "double": pyarrow.float64(),
    "array<string>": pyarrow.list_(pyarrow.string()),
    "array<int>": pyarrow.list_(pyarrow.int32()),
    "map<string,double>": pyarrow.map_(pyarrow.string(), pyarrow.float64()),
}

# Columns: name and type of each.
Columns = Sequence[tuple[str, str]]


def ddl(columns: Columns) -> str:
    """Return columns as Spark writes a schema."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def struct_type(columns: Columns) -> Any:
    """Return the Arrow type of a struct of columns."""
    return pyarrow.struct([(name, _TYPES[kind]) for name, kind in columns])


def table(columns: Columns, rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as an Arrow batch."""
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [
        pyarrow.array(column, _TYPES[kind])
        for column, (_, kind) in zip(values, columns, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, [name for name, _ in columns])
