"""Locks on files, so that two commands do not write one file at the same time.

The lock is on the open file, not a file that says so: the system releases it when the process
ends, however it ends, and no stale lock keeps anyone out.
"""

import errno
import fcntl
import logging
import os
from pathlib import Path

from es_simhash.errors import FileInUse

# What a file system answers that has no locks, such as some network folders.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
_logger = logging.getLogger(__name__)


def lock(descriptor: int, name: str, *, parameter: str, shared: bool = False) -> None:
    """Lock an open file until it is closed, or the process ends.

    Where the file system has no locks, a warning says so, and the command goes on without.

    Args:
        descriptor: Of the file.
        name: Of the file, for the error: what it is, and where.
        parameter: Parameter that names the file, for the error.
        shared: True to read: others may read it at the same time, and none may write it.

    Raises:
        FileInUse: Another command has it.
        OSError: The file cannot be locked for another reason.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileInUse(
            f"{name} is in use by another command. Wait until that ends, or give another file. "
            f"Set {parameter}.",
            parameter=parameter,
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        _logger.warning(
            "%s cannot be locked on this file system (%s): run no two commands with it at once.",
            name,
            error.strerror,
        )


class LockFile:
    """A file next to another that is replaced as a whole, and so cannot be locked itself.

    Args:
        path: Of the lock file; it is created, and deleted in the end.
        name: Of the other file, for the error.
        parameter: Parameter that names that file.
    """

    def __init__(self, path: Path, name: str, parameter: str) -> None:
        self._path = path
        self._name = name
        self._parameter = parameter

    def __enter__(self) -> "LockFile":
        """Lock it.

        Raises:
            FileInUse: Another command has it.
            OSError: The file cannot be created.
        """
        while True:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                lock(self._descriptor, self._name, parameter=self._parameter)
                if self._is_current():
                    return self
            except BaseException:
                os.close(self._descriptor)
                raise
            # The command that had it has deleted the file since it was opened.
            os.close(self._descriptor)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def __exit__(self, *error: object) -> None:
        # Deleted before it is released, so that nobody waits for a file that is gone.
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
