"""Labels of vocabulary files: decoded, cleaned, quoted for messages."""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from es_simhash.errors import InputError

# The longest label of the thesauri looked at has 112 characters; a longer one is a definition.
MAX_LABEL_LENGTH = 200

_QUOTED_LENGTH = 60
_CONTROLS = frozenset({"Cc", "Cf", "Cs"})
# Joiners belong to words in Arabic, Persian, Hindi and to emoji.
_JOINERS = frozenset("\u200c\u200d")


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def decode(content: bytes, path: Path) -> str:
    """Return the content of a file as text, without a byte order mark.

    Raises:
        InputError: It is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The position of the error counts from behind a byte order mark.
        line = len(re.findall(rb"\r\n?|\n", error.object[: error.start])) + 1
        raise InputError(
            f"{path}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8; "
            "save the file as UTF-8."
        ) from error


def clean_label(label: str) -> str:
    """Return a label on one line, without control characters and needless spaces."""
    spaced = " ".join(label.split())
    if spaced.isprintable():
        return spaced
    visible = "".join(
        character
        for character in spaced
        if character in _JOINERS or unicodedata.category(character) not in _CONTROLS
    )
    return " ".join(visible.split())


def quoted(label: str) -> str:
    """Return a label in quotes, cut when it is long, for a message."""
    cleaned = clean_label(label)
    return f"'{cleaned if len(cleaned) <= _QUOTED_LENGTH else cleaned[: _QUOTED_LENGTH - 1] + '…'}'"


@lru_cache(maxsize=1024)
def primary_language(tag: str) -> str:
    """Return the language of a tag without region and script: `en` for `en-GB`."""
    return re.split("[-_]", tag.strip().lower(), maxsplit=1)[0]
