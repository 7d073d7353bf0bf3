"""Files elsewhere: `s3://`, `https://` and whatever else fsspec knows."""

import io
import os
import re
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar

from es_simhash.errors import InputError, MissingExtra, pip_command
from es_simhash.text.escaping import one_line

# What a file has that is not there; None where no HTTP status says so.
_MISSING = frozenset({None, 404, 410})
_FORBIDDEN = (401, 403)
# The package in the sentence of an import that fails.
_PACKAGE = re.compile(r"(?:Install |requires \"|install )([\w-]+)")

Returned = TypeVar("Returned")


def is_remote(path: str) -> bool:
    """Check whether a path is an address: it has a scheme that is no drive."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and len(scheme) > 1 and "/" not in scheme


class RemoteFile:
    """A file at an address.

    Args:
        url: The address.

    Attributes:
        size: Its bytes; None where that is not known.

    Raises:
        InputError: It is not there, or may not be read.
        MissingExtra: fsspec, or what it needs for the scheme, is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise MissingExtra.of("remote", f"{url} is read with fsspec") from error
        try:
            self._system, self._path = url_to_fs(url)
        except ImportError as error:
            # "Install s3fs to access S3", 'SFTPFileSystem requires "paramiko" to be installed'
            named = _PACKAGE.search(str(error))
            package = named[1] if named else "a package of its own"
            command = f": {pip_command()} install {package}" if named else ""
            raise MissingExtra(f"{url} is read with {package}{command}.") from error
        except Exception as error:  # each scheme has its own
            raise self._refused(error) from error
        info = self._called(lambda: self._system.info(self._path))
        if info.get("type") == "directory":
            raise InputError(f"{url} is a folder. Name the files in it.")
        self.size: int | None = info.get("size")

    def open(self) -> BinaryIO:
        """Return its bytes from the start."""
        stream = self._called(lambda: self._system.open(self._path, "rb"))
        return io.BufferedReader(_Remote(stream))

    def _called(self, call: Callable[[], Returned]) -> Returned:
        try:
            return call()
        except Exception as error:  # those of the libraries of each scheme
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> InputError:
        # Over HTTP, whatever goes wrong is a file that is not found; the cause says why.
        cause = error.__cause__
        status = getattr(cause, "status", None)
        if isinstance(error, FileNotFoundError):
            if status in _MISSING and not isinstance(cause, OSError):
                return InputError(f"{self.url} does not exist. Check the address.")
            error = cause if isinstance(cause, Exception) else error
        reason = one_line(str(error))[:200] or type(error).__name__
        if isinstance(error, PermissionError) or status in _FORBIDDEN:
            return InputError(
                f"{self.url} may not be read ({reason}). Check the rights and credentials that "
                "this machine has there."
            )
        return InputError(f"{self.url} cannot be read ({reason}).")


class _Remote(io.RawIOBase):
    """A stream whose errors are those of a file, so that a run ends, and is resumed later."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except Exception as error:  # those of the libraries of each scheme
            raise OSError(one_line(str(error))[:200] or type(error).__name__) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
