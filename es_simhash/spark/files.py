"""Files of documents: Parquet, or JSON Lines where the name says so."""

import re

from es_simhash.errors import InputError
from es_simhash.spark.engine import AnalysisException, Column, DataFrame, F, Py4JJavaError, Session
from es_simhash.spark.texts import named

_JSON = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
# Columns of what is read, which no document has: lines that are no JSON, and dates.
_CORRUPT, _OTHER, _DATE = "__es_simhash_corrupt", "__es_simhash_other", "__es_simhash_date"
# Characters of such a line in an error.
_SHOWN_OF_LINE = 80
# Put after a line, as a string of JSON: where it is not read, the line is more than one value.
_END = "__es_simhash_end"
# What Spark's traces say of a file that cannot be read, and of why.
_UNREAD = "[FAILED_READ_FILE"
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.M)


def read_documents(session: Session, path: str) -> DataFrame:
    """Return the documents of a file, or of a folder of files.

    Args:
        session: The Spark session.
        path: JSON Lines with an ending such as `.jsonl`, otherwise Parquet.

    Raises:
        InputError: There is nothing, it has another format, a line is no JSON, or a packed file is
            damaged.
    """
    try:
        return _read_lines(session, path) if path.endswith(_JSON) else session.read.parquet(path)
    except AnalysisException as error:
        raise InputError(f"Cannot read {path!r}: {first_line(error)}") from error
    except Py4JJavaError as error:
        trace = str(error)
        _, unread, message = trace.partition(_UNREAD)
        if not unread:
            raise
        name = message.partition(" file ")[2].partition(". ")[0]
        *_, cause = ["unknown cause", *_CAUSE.findall(trace)]
        raise InputError(f"Cannot read {name!r}: {cause}. Repair or replace it.") from error


def _read_lines(session: Session, path: str) -> DataFrame:
    frame = session.read.json(path, columnNameOfCorruptRecord=_CORRUPT)
    if _CORRUPT not in frame.columns:
        lines = session.read.text(path).where(_is_no_document(F.col("value")))
        if (row := lines.first()) is not None:
            raise _no_object(path, row[0])
        return frame
    # Spark does not select this column alone.
    corrupt = session.read.schema(f"{_OTHER} string, {_CORRUPT} string").json(
        path, columnNameOfCorruptRecord=_CORRUPT
    )
    raise _no_object(path, corrupt.where(F.col(_CORRUPT).isNotNull()).first()[_CORRUPT])


def _is_no_document(line: Column) -> Column:
    """Return whether a line is null, or goes on after its object, where Spark stops reading."""
    # A byte order mark, as the first line of a file may have, is none of the JSON.
    elements = F.concat(F.lit("["), F.regexp_replace(line, "^\ufeff", ""), F.lit(f',"{_END}"]'))
    read = F.from_json(elements, "array<string>")
    is_one = (F.size(read) == 2) & F.get(read, 0).isNotNull() & (F.get(read, 1) == _END)
    return line.rlike(r"\S") & ~F.coalesce(is_one, F.lit(False))


def _no_object(path: str, line: str) -> InputError:
    shown = line[:_SHOWN_OF_LINE]
    return InputError(f"Cannot read {path!r}: line {shown!r} is no JSON object. Correct it.")


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
