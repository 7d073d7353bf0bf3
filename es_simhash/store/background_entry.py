"""The form that the background of an index has in its state index: a head, and its counts.

Each question reads the head, and the counts only where they are not known yet: they have megabytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.semantics.background import Background, LanguageBackground

HEAD, COUNTS = "background", "background_counts"
# Version of the form; an entry of another one is counted again. In the second, the head had the
# counts.
SCHEMA = 3


@dataclass(frozen=True)
class CountedIndex:
    """The index as it was when its background was counted, to recognise that it has changed.

    Attributes:
        documents: Documents that it had.
        writes: Sum of the highest sequence numbers of its shards.
    """

    documents: int
    writes: int


def head_of(background: Background, counted: CountedIndex) -> dict[str, Any]:
    """Return the entry that names a background and says what it is."""
    return {
        "kind": HEAD,
        "schema": SCHEMA,
        "name": background.name,
        "date": background.date,
        "scheme": background.scheme,
        "documents": counted.documents,
        "writes": counted.writes,
    }


def counts_of(background: Background) -> dict[str, Any]:
    """Return the entry that has the counts of a background."""
    return {
        "kind": COUNTS,
        "background": background.name,
        # A string: words are no names of fields.
        "languages": json.dumps(background.counts(), ensure_ascii=False),
    }


def counted_index(head: Mapping[str, Any]) -> CountedIndex:
    """Return the index as it was when the background of a head was counted."""
    return CountedIndex(head.get("documents", 0), head.get("writes", 0))


def background_of(
    head: Mapping[str, Any], counts: Iterable[Mapping[str, Any]], index: str, scheme: str
) -> Background:
    """Return the background of a head and its counts; those of other backgrounds are left out.

    Args:
        head: The head.
        counts: Counts of backgrounds, in any order.
        index: Name of the index, for errors.
        scheme: Name of the semantic scheme of the index.

    Raises:
        SchemeMismatch: It was counted with another semantic scheme, or by another version.
        InputError: It is not as it was written.
    """
    repair = f"Run `es-simhash background {index}`."
    name = head.get("name")
    if head.get("schema") != SCHEMA:
        raise SchemeMismatch(
            f"Background {name!r} of index {index!r} has form {head.get('schema')!r}, but this "
            f"version reads form {SCHEMA}. {repair}"
        )
    if head.get("scheme") != scheme:
        raise SchemeMismatch(
            f"Background {name!r} of index {index!r} was counted with semantic scheme "
            f"{head.get('scheme')!r}, but the index has {scheme!r}. {repair}"
        )
    try:
        (own,) = (each["languages"] for each in counts if each["background"] == name)
        languages = {
            code: LanguageBackground(**counted) for code, counted in json.loads(own).items()
        }
        background = Background(head["date"], scheme, languages)
        is_whole = background.name == name
    except (KeyError, TypeError, ValueError, AttributeError):
        is_whole = False
    if not is_whole:
        raise InputError(f"Background {name!r} of index {index!r} is damaged. {repair}")
    return background
