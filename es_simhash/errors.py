"""Every error this package raises on purpose.

EsSimhashError
├── ClusterError            the cluster is unreachable, rejects a request, or has no room
│   ├── IndexMissing        no such index
│   ├── DocumentMissing     no such document
│   ├── DocumentAmbiguous   several documents have the id
│   └── MappingConflict     a field has another type, or the fingerprint fields are absent
├── InputError              a file, document or parameter is invalid
│   ├── UnreadableParts     what is stored of a text was not written by this package
│   └── FileInUse           another command writes the file
├── SchemeError             unknown scheme, or invalid parameters of one
│   └── SchemeMismatch      fingerprints of two schemes cannot be compared
└── MissingExtra            an optional dependency is not installed

A message says what failed, quotes the value, and ends with one imperative fix.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# From here on a name may have been meant (`difflib`).
_ALIKE = 0.62


class EsSimhashError(Exception):
    """Base of all errors of this package; the CLI prints its text and exits with 1.

    Args:
        message: What failed, the value received, and one imperative fix. Where the fix is to set
            the parameter, it is `Set <parameter>.` and stands at the end.
        parameter: The parameter that the fix is about, by its name in Python; the command line
            names its option instead.
    """

    def __init__(self, message: str = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class ClusterError(EsSimhashError):
    """The cluster is unreachable, rejects the request, or has no room."""


class IndexMissing(ClusterError):
    """The index does not exist.

    Args:
        message: One sentence.
        index: Its name; empty where that is not known.
        parameter: See `EsSimhashError`.
    """

    def __init__(self, message: str = "", *, index: str = "", parameter: str | None = None) -> None:
        super().__init__(message, parameter=parameter)
        self.index = index


class DocumentMissing(ClusterError):
    """The document does not exist in the index."""

    @classmethod
    def of(cls, id: object, index: object) -> "DocumentMissing":
        """Return the error of an id that no document of an index has."""
        return cls(f"Document {id!r} is not in index {index!r}. Check the id.")


class DocumentAmbiguous(ClusterError):
    """Several documents behind the name have the id."""


class MappingConflict(ClusterError):
    """A field has another type than needed, or the index has no fingerprint fields."""


class InputError(EsSimhashError):
    """A file, a document or a parameter is invalid."""


class UnreadableParts(InputError):
    """What an index stores of a text was not written by this package."""


class FileInUse(InputError):
    """Another command writes the file at this moment."""


class SchemeError(EsSimhashError):
    """The scheme is unknown, or its parameters are invalid."""


class SchemeMismatch(SchemeError):
    """Fingerprints of two schemes cannot be compared."""


class MissingExtra(EsSimhashError):
    """An optional dependency is not installed."""

    @classmethod
    def of(cls, extra: str, need: str) -> "MissingExtra":
        """Return the error of something that an extra of this package installs.

        Args:
            extra: Name of the extra.
            need: What needs what, as `Plots need matplotlib`.
        """
        return cls(f"{need}: {install_command(extra)}.")


# What is wrong with one of several documents, and not with the search.
OF_ONE_DOCUMENT = (DocumentAmbiguous, DocumentMissing, InputError, MissingExtra, SchemeMismatch)


def nearest_note(value: object, names: "Iterable[object]") -> str:
    """Return ` (nearest: NAME)` for a value that is none of some names; empty where none is near.

    Args:
        value: What was given.
        names: What it could have been.
    """
    near = nearest_name(value, names)
    return f" (nearest: {near})" if near else ""


def nearest_name(value: object, names: "Iterable[object]", alike: float = _ALIKE) -> str:
    """Return the name that was probably meant by a value; empty where none is near.

    Args:
        value: What was given.
        names: What it could have been.
        alike: From here on, of 0 to 1, one may have been meant.
    """
    # Errors are seldom.
    from difflib import get_close_matches

    by_letters = {name.casefold(): name for name in map(str, names)}
    near = get_close_matches(str(value).casefold(), list(by_letters), 1, alike)
    return by_letters[near[0]] if near else ""


def install_command(extra: str) -> str:
    """Return the command that installs an extra here: from the clone or the wheel this is from."""
    # Errors are seldom, and these take longer to import than this module.
    import json
    import shlex
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    options, source = "", "es-simhash"
    try:
        # What pip writes where a package is from elsewhere than an index (PEP 610).
        origin = json.loads(distribution("es-simhash").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    place = urlsplit(origin.get("url", ""))
    if place.scheme == "file" and Path(unquote(place.path)).exists():
        source = unquote(place.path)
        options = " -e" if origin.get("dir_info", {}).get("editable") else ""
    return f"{pip_command()} install{options} {shlex.quote(f'{source}[{extra}]')}"


def pip_command() -> str:
    """Return how pip is called here."""
    import os
    import shlex
    import sys

    if sys.prefix not in (sys.base_prefix, os.environ.get("VIRTUAL_ENV")):
        # The environment is not activated: its `pip` is not the one of the shell.
        return f"{shlex.quote(sys.executable)} -m pip"
    return "pip"
