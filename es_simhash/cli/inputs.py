"""What commands read: text files and queries."""

import json
import sys
from pathlib import Path
from typing import Any

from es_simhash.cli.output import shortened
from es_simhash.errors import InputError
from es_simhash.text.limits import require_text_size

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
