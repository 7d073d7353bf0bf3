"""Values come back from a statement of SQLite as they were given."""

import sqlite3

from es_simhash.maintenance.listed_values import NUMBERS, TEXTS, listed_numbers, listed_texts

# U+0000 ends a string of JSON for SQLite, and the others stand for it in what it is given.
NAMES = [
    "",
    "\0",
    "\0a",
    "a\0b",
    "a\0c",
    "\1",
    "\0010",
    "\0011",
    "\1\0",
    "\0\1",
    "é\U0001f600",
    "1",
]


def test_texts_come_back_whole() -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE names (value TEXT UNIQUE)")
        database.executemany("INSERT INTO names VALUES (?)", [(name,) for name in NAMES])
        found = f"SELECT value FROM {TEXTS}"
        assert [name for (name,) in database.execute(found, [listed_texts(NAMES)])] == NAMES
        among = f"SELECT value FROM names WHERE value IN {TEXTS}"
        for name in NAMES:
            assert database.execute(among, [listed_texts([name])]).fetchall() == [(name,)]
        assert database.execute(among, [listed_texts([])]).fetchall() == []


def test_numbers_come_back() -> None:
    with sqlite3.connect(":memory:") as database:
        found = f"SELECT value FROM {NUMBERS}"
        assert database.execute(found, [listed_numbers({3, 1})]).fetchall() == [(1,), (3,)]
