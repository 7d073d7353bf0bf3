"""Files that are replaced as a whole: who reads one finds the last content or the new one."""

import os
import threading
from pathlib import Path


def replace_file(path: Path, content: str) -> None:
    """Write a text in UTF-8 to a file in place of what it has; the file is whole at any moment.

    After a crash of the machine as well: the content is on disk before it gets its name.

    Args:
        path: The file; it need not exist.
        content: What it has then.

    Raises:
        OSError: It cannot be written; it stays as it was.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with beside.open("wb") as file:
            file.write(content.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
