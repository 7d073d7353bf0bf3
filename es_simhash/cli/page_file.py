"""Pages of HTML, and plots, that a command writes to a file."""

from pathlib import Path

from es_simhash.errors import InputError


def require_page_file(path: Path, parameter: str) -> None:
    """Check before a run that its page can be written; a file that is there stays as it is.

    Raises:
        InputError: It cannot.
    """
    is_new = not path.exists()
    try:
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise _refused(path, error, parameter) from error


def write_page(path: Path, page: str, parameter: str) -> None:
    """Write a page.

    Raises:
        InputError: It cannot be written.
    """
    write_bytes(path, page.encode("utf-8", "surrogatepass"), parameter)


def write_bytes(path: Path, content: bytes, parameter: str) -> None:
    """Write a file.

    Raises:
        InputError: It cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _refused(path, error, parameter) from error


def _refused(path: Path, error: OSError, parameter: str) -> InputError:
    return InputError(
        f"Cannot write to {path} ({error.strerror}). Name another file.", parameter=parameter
    )
