"""One line of JSON: its id, its text, and its bytes with members cut out or put in.

The user's JSON is never encoded again, so that each number and escape stays as it was written.
"""

import hashlib
import json
from collections.abc import Collection
from difflib import get_close_matches
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.sources.source_format import nearest
from es_simhash.store.config import IndexConfig
from es_simhash.store.paths import get_values
from es_simhash.store.source import text_of
from es_simhash.text.escaping import printable
from es_simhash.text.limits import require_text_size

# Elasticsearch rejects longer ids, and the whole bulk request with them.
LONGEST_ID = 512

ID = "_id"
# Member of a document that names its routing, as Elasticsearch's own searches return it.
PLAIN_ID = "id"
ROUTING = "_routing"
_decoder = json.JSONDecoder()


class Document(NamedTuple):
    """One document that can be fingerprinted.

    Attributes:
        position: Its number in the batch.
        id: Its id.
        text: Its text.
        source: Its JSON as it was written, without `_id`, `_routing` and the `simhash` object.
        line: Its JSON as it was read.
        routing: What it is routed by; None for its id.
    """

    position: int
    id: str
    text: str
    source: bytes
    line: str
    routing: str | None = None


def parse_line(line: bytes, position: int, config: IndexConfig) -> Document | Failure:
    """Return the document of one line of JSON, or why it is none."""
    id = None
    try:
        content = decode(line).strip(" \t\r\n")
        fields = _fields(content)
        id = _id_of(fields, content, config)
        routing = _routing_of(fields)
        text = _checked_text(fields, config)
    except InputError as error:
        return Failure(position, id, str(error))
    foreign = {ID, ROUTING, config.simhash_field} & fields.keys()
    if config.drops_id and ID not in fields:
        foreign |= {PLAIN_ID} & fields.keys()
    source = cut(content, foreign) if foreign else content
    return Document(position, id, text, source.encode(), content, routing)


def decode(content: bytes) -> str:
    """Return UTF-8 as text, with or without a byte order mark.

    Raises:
        InputError: The bytes are not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"Byte {error.start} is not UTF-8. Convert the file, for example with iconv."
        ) from error


def _fields(content: str) -> dict[str, Any]:
    try:
        fields = loads(content)
    except RecursionError as error:
        raise InputError("The JSON is nested too deeply. Flatten it.") from error
    except ValueError as error:
        raise InputError(f"Malformed JSON: {error}. Write one object a line.") from error
    if not isinstance(fields, dict):
        kind = type(fields).__name__
        raise InputError(f"The line holds a {kind}, not an object. Write one object a line.")
    return fields


def loads(content: str) -> Any:
    """Return parsed JSON; integers too long for Python become floats.

    Raises:
        ValueError: The text is no JSON.
    """
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        raise
    except ValueError:  # the guard against quadratic conversion, 4300 digits by default
        return json.loads(content, parse_int=float)


def _id_of(fields: dict[str, Any], content: str, config: IndexConfig) -> str:
    """Return the id; the digest makes a second run find the documents of the first."""
    names = (config.id_field,) if config.id_field else (ID, PLAIN_ID)
    for name in names:
        if fields.get(name) is not None:
            return checked_id(fields[name], name)
    if config.id_field:
        raise InputError(
            f"The document has no field {config.id_field!r} for its id. Name another field.",
            parameter="id_field",
        )
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _routing_of(fields: dict[str, Any]) -> str | None:
    """Return the routing of a document as Elasticsearch takes it: a string that is not empty."""
    value = fields.get(ROUTING)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        kind = "an empty string" if value == "" else type(value).__name__
        raise InputError(f"Field {ROUTING!r} holds {kind}, not a routing. Leave it out.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The routing {printable(value[:40])} is not Unicode. Repair it."
        ) from error
    return value


def checked_id(value: object, name: str) -> str:
    """Return an id as Elasticsearch takes it: a string of at most 512 bytes.

    Raises:
        InputError: The value is no such id.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        kind = "an empty string" if value == "" else type(value).__name__
        raise InputError(
            f"Field {name!r} holds {kind}, not an id. Name another field.", parameter="id_field"
        )
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InputError(f"The id {printable(value[:40])} is not Unicode. Repair it.") from error
    if size > LONGEST_ID:
        raise InputError(
            f"The id {printable(value[:40])}… has {size} bytes, and at most {LONGEST_ID} are "
            "possible. Shorten it."
        )
    return value


def _checked_text(fields: dict[str, Any], config: IndexConfig) -> str:
    text = text_of(fields, config.text_field)
    if text is None:
        for name in config.text_fields:
            if None in get_values(fields, name):
                raise InputError(
                    f"Field {name!r} holds null, not text. Leave the document out, or name another "
                    "field.",
                    parameter="text_field",
                )
        raise InputError(
            f"The document has no field {config.text_field!r} for its text"
            f"{_nearest(config.text_field, fields)}. Name another field.",
            parameter="text_field",
        )
    return require_text_size(text)


def _nearest(names: str, fields: Collection[str]) -> str:
    """Return which field was probably meant, else which there are."""
    for name in filter(None, names.split(",")):
        if close := get_close_matches(name, fields, n=1, cutoff=0.7):
            return f" (nearest: {close[0]!r})"
    return nearest("", fields)


def cut(content: str, names: Collection[str]) -> str:
    """Return a JSON object without some members; each other byte stays as it is.

    >>> cut('{"_id": 1, "a": 1.00}', {"_id"})
    '{"a": 1.00}'
    """
    spans = [span for name, span in _members(content) if name not in names]
    return "{" + ",".join(spans) + "}"


def splice(source: bytes, member: bytes, value: bytes) -> bytes:
    """Return a JSON object with one more member in front; each other byte stays as it is.

    >>> splice(b'{"a":1.00}', b'"simhash"', b"{}")
    b'{"simhash":{},"a":1.00}'
    """
    rest = source[1:].lstrip()
    comma = b"" if rest == b"}" else b","
    return b"{%b:%b%b%b" % (member, value, comma, rest)


def _members(content: str) -> list[tuple[str, str]]:
    """Return the names of the members of a valid object, each with its text."""
    members = []
    at = _skip(content, 1)
    while content[at] != "}":
        start = at
        name, at = scanstring(content, at + 1, False)
        at = _value_end(content, _skip(content, _skip(content, at) + 1))
        members.append((name, content[start:at]))
        at = _skip(content, at)
        if content[at] == ",":
            at = _skip(content, at + 1)
    return members


def _value_end(content: str, start: int) -> int:
    try:
        return _decoder.raw_decode(content, start)[1]
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of thousands of digits, as in `loads`
        return json.JSONDecoder(parse_int=float).raw_decode(content, start)[1]


def _skip(content: str, start: int) -> int:
    match = WHITESPACE.match(content, start)
    assert match is not None  # the pattern matches nothing as well
    return int(match.end())
