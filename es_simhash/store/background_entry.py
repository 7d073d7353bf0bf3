"""The form that the background of an index has in its state index: one entry."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.semantics.background import Background, LanguageBackground

KIND = "background"
# Version of the form; an entry of another one is counted again.
SCHEMA = 2


@dataclass(frozen=True)
class CountedIndex:
    """The index as it was when its background was counted, to recognise that it has changed.

    Attributes:
        documents: Documents that it had.
        writes: Sum of the highest sequence numbers of its shards.
    """

    documents: int
    writes: int


def entry_of(background: Background, counted: CountedIndex) -> dict[str, Any]:
    """Return the entry of a background."""
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "name": background.name,
        "date": background.date,
        "scheme": background.scheme,
        "documents": counted.documents,
        "writes": counted.writes,
        # A string: words are no names of fields.
        "languages": json.dumps(background.counts(), ensure_ascii=False),
    }


def counted_index(entry: Mapping[str, Any]) -> CountedIndex:
    """Return the index as it was when the background of an entry was counted."""
    return CountedIndex(entry.get("documents", 0), entry.get("writes", 0))


def background_of(entry: Mapping[str, Any], index: str, scheme: str) -> Background:
    """Return the background of an entry.

    Args:
        entry: The entry.
        index: Name of the index, for errors.
        scheme: Name of the semantic scheme of the index.

    Raises:
        SchemeMismatch: It was counted with another semantic scheme, or by another version.
        InputError: It is not as it was written.
    """
    repair = f"Run `es-simhash background {index}`."
    name = entry.get("name")
    if entry.get("schema") != SCHEMA:
        raise SchemeMismatch(
            f"Background {name!r} of index {index!r} has form {entry.get('schema')!r}, but this "
            f"version reads form {SCHEMA}. {repair}"
        )
    if entry.get("scheme") != scheme:
        raise SchemeMismatch(
            f"Background {name!r} of index {index!r} was counted with semantic scheme "
            f"{entry.get('scheme')!r}, but the index has {scheme!r}. {repair}"
        )
    try:
        languages = {
            code: LanguageBackground(**counts)
            for code, counts in json.loads(entry["languages"]).items()
        }
        background = Background(entry["date"], scheme, languages)
        is_whole = background.name == name
    except (KeyError, TypeError, ValueError, AttributeError):
        is_whole = False
    if not is_whole:
        raise InputError(f"Background {name!r} of index {index!r} is damaged. {repair}")
    return background
