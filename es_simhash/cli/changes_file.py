"""`--changes-file`: what runs change of families, one line of JSON each, for other programs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from es_simhash.cli.output import now
from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.append_files import AppendOnlyFile
from es_simhash.pairs.family_changes import FamilyChanges

Command = TypeVar("Command", bound=Callable[..., Any])

changes_file_option = click.option(
    "--changes-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL file to which families that were joined or split, and documents that moved, "
    "are appended.",
)


def require_writable(path: Path | None) -> None:
    """Check before a run that its changes can be appended.

    Raises:
        InputError: They cannot.
    """
    if path is None:
        return
    try:
        path.open("ab").close()
    except OSError as error:
        raise InputError(
            f"Cannot write to {path} ({error.strerror}). Name another file.",
            parameter="changes_file",
        ) from error


def append_changes(path: Path | None, index: str, changes: FamilyChanges) -> None:
    """Append the changes of a run, each with the time and the index."""
    time = now()
    with AppendOnlyFile(path, "changes_file") as file:
        for event in changes.events():
            line = json.dumps({"time": time, "index": index, **event}, ensure_ascii=False)
            file.write(f"{line}\n".encode())
