"""Files of documents: Parquet, or JSON Lines where the name says so."""

from es_simhash.errors import InputError
from es_simhash.spark.engine import AnalysisException, DataFrame, Session

_JSON = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")


def read_documents(session: Session, path: str) -> DataFrame:
    """Return the documents of a file, or of a folder of files.

    Args:
        session: The Spark session.
        path: JSON Lines with an ending such as `.jsonl`, otherwise Parquet.

    Raises:
        InputError: There is nothing, or it has another format.
    """
    try:
        return session.read.json(path) if path.endswith(_JSON) else session.read.parquet(path)
    except AnalysisException as error:
        raise InputError(f"Cannot read {path!r}: {_first_line(error)}") from error


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
        raise InputError(f"Cannot write {path!r}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
