"""Reads what a journal has, also while a command writes it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def rows(journal: Path, query: str) -> list[Any]:
    """Return the rows of a query; none when there is no such file, or table."""
    uri = f"{journal.absolute().as_uri()}?mode=ro&nolock=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as database:
            return database.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


def saved_lines(journal: Path) -> int:
    """Return how many lines of its sources a run has done."""
    return sum(lines for (lines,) in rows(journal, "SELECT lines FROM checkpoints"))
