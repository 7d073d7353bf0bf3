"""The form that a learned table of word vectors has in its state index: a head, and parts."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from es_simhash.errors import EsSimhashError, InputError, SchemeMismatch
from es_simhash.semantics.learned_vectors import LearnedVectors, read_table, table_name

HEAD, PART = "vectors", "vectors_part"
# Version of the form, and of how vectors are made by a table; one of another version is learned
# again. In the first, vectors had 48 dimensions of words of the index, which counted alike.
TABLE_SCHEMA = 3
# Bytes of a part, before they are written in base64.
_PART_BYTES = 1 << 19
# Parts that are searched for: those of a table of the greatest size, and of the one before it.
MAX_PARTS = 100


def head_of(table: LearnedVectors) -> dict[str, Any]:
    """Return the entry that names a table and says what it is."""
    return {
        "kind": HEAD,
        "schema": TABLE_SCHEMA,
        "name": table.name,
        "date": table.date,
        "scheme": table.scheme,
        "texts": table.documents,
        "words": table.words,
        "languages": sorted(table.languages),
        "parts": len(parts_of(table)),
    }


def parts_of(table: LearnedVectors) -> list[dict[str, Any]]:
    """Return the entries that have the vectors."""
    content = table.to_bytes
    return [
        {
            "kind": PART,
            "table": table.name,
            "number": number,
            "content": base64.b64encode(content[start : start + _PART_BYTES]).decode(),
        }
        for number, start in enumerate(range(0, len(content), _PART_BYTES))
    ]


def table_of(
    head: Mapping[str, Any], parts: Iterable[Mapping[str, Any]], index: str, scheme: str
) -> LearnedVectors:
    """Return the table of a head and its parts; parts of other tables are left out.

    Args:
        head: The head.
        parts: Parts of tables, in any order.
        index: Name of the index, for errors.
        scheme: Name of the semantic scheme of the index.

    Raises:
        SchemeMismatch: It was learned with another semantic scheme, or by another version.
        InputError: It is not as it was written.
    """
    repair = f"Run `es-simhash background {index} --vectors` and `es-simhash backfill {index}`."
    name = head.get("name")
    if head.get("schema") != TABLE_SCHEMA:
        raise SchemeMismatch(
            f"The word vectors {name!r} of index {index!r} have form {head.get('schema')!r}, but "
            f"this version reads form {TABLE_SCHEMA}. {repair}"
        )
    if head.get("scheme") != scheme:
        raise SchemeMismatch(
            f"The word vectors {name!r} of index {index!r} were learned with semantic scheme "
            f"{head.get('scheme')!r}, but the index has {scheme!r}. {repair}"
        )
    try:
        own = {part["number"]: part["content"] for part in parts if part["table"] == name}
        content = b"".join(base64.b64decode(own[number]) for number in range(head["parts"]))
        is_whole = table_name(content, head["date"], scheme) == name
        table = read_table(content, head["date"], scheme) if is_whole else None
    except (KeyError, TypeError, ValueError, AttributeError, EsSimhashError):
        table = None
    if table is None:
        raise InputError(f"The word vectors {name!r} of index {index!r} are damaged. {repair}")
    return table
