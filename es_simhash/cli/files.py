"""Reading the text files a command names."""

import sys
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.text.limits import require_text_size


def read_text(file: str) -> str:
    """Read a UTF-8 file, or standard input for `-`.

    Raises:
        InputError: It cannot be read, is not UTF-8, or is longer than any text may be.
    """
    shown = "The standard input" if file == "-" else f"File {file!r}"
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return require_text_size(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shown} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}; "
            "convert it first, for example with iconv."
        ) from error
    except OSError as error:
        raise InputError(f"{shown} cannot be read: {error.strerror}.") from error
