"""Files that commands read and write: texts, queries, pages, changes of families."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from es_simhash.cli.output import now, shortened
from es_simhash.errors import InputError
from es_simhash.text.limits import require_text_size

if TYPE_CHECKING:
    from es_simhash.pairs.family_changes import FamilyChanges

_EXAMPLE = '\'{"term": {"lang": "en"}}\''


def read_text(file: str) -> str:
    """Read a UTF-8 file, or standard input for `-`.

    Raises:
        InputError: It cannot be read, is not UTF-8, or is longer than a text may be.
    """
    source = "Standard input" if file == "-" else f"File {file!r}"
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return require_text_size(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}. "
            "Convert it, for example with iconv."
        ) from error
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}. Check the path.") from error


def parse_query(value: str | None, option: str) -> dict[str, Any] | None:
    """Return the Elasticsearch query given as JSON, or None when the option is not used.

    Raises:
        InputError: The value is not JSON, or not a JSON object.
    """
    if value is None:
        return None
    try:
        query = json.loads(value)
    except ValueError as error:
        raise InputError(
            f"{option} is not valid JSON ({error}), got {shortened(value)!r}. "
            f"Give an Elasticsearch query such as {_EXAMPLE}."
        ) from error
    if not isinstance(query, dict):
        raise InputError(
            f"{option} must be a JSON object, got {type(query).__name__} {shortened(value)!r}. "
            f"Give an Elasticsearch query such as {_EXAMPLE}."
        )
    return query


def require_writable(path: Path | None, parameter: str) -> None:
    """Check before a run that its file can be written; one that is there stays as it is.

    Raises:
        InputError: It cannot.
    """
    if path is None:
        return
    is_new = not path.exists()
    try:
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise refused_file(path, error, parameter) from error


def write_file(path: Path, content: str | bytes, parameter: str) -> None:
    """Write a file; a text in UTF-8.

    Raises:
        InputError: It cannot be written.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise refused_file(path, error, parameter) from error


def refused_file(path: Path, error: OSError, parameter: str) -> InputError:
    """Return the error of a file that cannot be written."""
    return InputError(
        f"Cannot write to {path} ({error.strerror}). Name another file.", parameter=parameter
    )


def append_changes(path: Path | None, index: str, changes: "FamilyChanges") -> None:
    """Append the changes of a run, each with the time and the index."""
    from es_simhash.ingestion.bulk.append_files import AppendOnlyFile

    time = now()
    if path is not None:
        # Whoever follows the file finds it after the first run, also without a change.
        path.touch()
    with AppendOnlyFile(path, "changes_file") as file:
        for event in changes.events():
            line = json.dumps({"time": time, "index": index, **event}, ensure_ascii=False)
            file.write(f"{line}\n".encode())
