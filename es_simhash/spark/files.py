"""Files of documents: Parquet, or JSON Lines where the name says so."""

from es_simhash.errors import InputError
from es_simhash.spark.engine import AnalysisException, DataFrame, F, Session
from es_simhash.spark.texts import named

_JSON = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
# Columns of what is read, which no document has: lines that are no JSON, and dates.
_CORRUPT, _OTHER, _DATE = "__es_simhash_corrupt", "__es_simhash_other", "__es_simhash_date"
# Characters of such a line in an error.
_SHOWN_OF_LINE = 80


def read_documents(session: Session, path: str) -> DataFrame:
    """Return the documents of a file, or of a folder of files.

    Args:
        session: The Spark session.
        path: JSON Lines with an ending such as `.jsonl`, otherwise Parquet.

    Raises:
        InputError: There is nothing, it has another format, or a line is no JSON.
    """
    try:
        return _read_lines(session, path) if path.endswith(_JSON) else session.read.parquet(path)
    except AnalysisException as error:
        raise InputError(f"Cannot read {path!r}: {first_line(error)}") from error


def _read_lines(session: Session, path: str) -> DataFrame:
    frame = session.read.json(path, columnNameOfCorruptRecord=_CORRUPT)
    if _CORRUPT not in frame.columns:
        return frame
    # Spark does not select this column alone.
    lines = session.read.schema(f"{_OTHER} string, {_CORRUPT} string").json(
        path, columnNameOfCorruptRecord=_CORRUPT
    )
    line = lines.where(F.col(_CORRUPT).isNotNull()).first()[_CORRUPT]
    raise InputError(
        f"Cannot read {path!r}: line {line[:_SHOWN_OF_LINE]!r} is no JSON object. Correct it."
    )


def with_dates(frame: DataFrame, name: str | None) -> tuple[DataFrame, str | None]:
    """Return documents and their column of dates, read where that is text, as JSON has them.

    Args:
        frame: The documents.
        name: Column of the dates; None for none.

    Raises:
        InputError: There is no such column, or a value of it is no date.
    """
    column = named(frame, name, "date")
    if frame.select(column.alias(_DATE)).dtypes[0][1] != "string":
        return frame, name
    read = F.try_to_timestamp(column)
    unread = frame.where(column.isNotNull() & read.isNull()).select(column.alias(_DATE)).first()
    if unread is not None:
        raise InputError(
            f"Column {name!r} has {unread[0]!r}, which is no date such as 2024-01-31. Set date.",
            parameter="date",
        )
    return frame.withColumn(_DATE, read), _DATE


def write_documents(frame: DataFrame, path: str) -> None:
    """Write a frame to a folder that does not exist yet.

    Args:
        frame: The frame.
        path: Of JSON Lines with an ending such as `.jsonl`, otherwise of Parquet.

    Raises:
        InputError: It exists.
    """
    writer = frame.write
    try:
        writer.json(path) if path.endswith(_JSON) else writer.parquet(path)
    except AnalysisException as error:
        raise InputError(f"Cannot write {path!r}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return what Spark says of an error, without its plans and traces."""
    return str(error).partition("\n")[0]
