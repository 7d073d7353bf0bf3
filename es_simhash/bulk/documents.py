"""One line of JSON: its id, its text, and its bytes without the members that are not its own.

The user's JSON is never encoded anew, so that each number and escape stays as it was written.
"""

import hashlib
import json
from collections.abc import Collection
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from es_simhash.errors import InputError
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.source import text_of
from es_simhash.text.escaping import printable
from es_simhash.text.limits import require_text_size

# Elasticsearch refuses longer ids, and the whole bulk request with them.
LONGEST_ID = 512

ID = "_id"
_decoder = json.JSONDecoder()


class Document(NamedTuple):
    """One document that can be fingerprinted.

    Attributes:
        place: Its number in the batch.
        id: Its id.
        text: Its text.
        source: Its JSON as it was written, without `_id` and our own field.
        line: Its JSON as it was read.
    """

    place: int
    id: str
    text: str
    source: bytes
    line: str


class Refused(NamedTuple):
    """One document that cannot be fingerprinted, and why."""

    place: int
    id: str | None
    reason: str


def parse_line(line: bytes, place: int, config: IndexConfig) -> Document | Refused:
    """Read one line of JSON."""
    id = None
    try:
        content = decode(line).strip(" \t\r\n")
        fields = _fields(content)
        id = _id_of(fields, content, config)
        text = _checked_text(fields, config)
    except InputError as error:
        return Refused(place, id, str(error))
    foreign = {ID, config.simhash_field} & fields.keys()
    source = cut(content, foreign) if foreign else content
    return Document(place, id, text, source.encode(), content)


def decode(content: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark.

    Raises:
        InputError: It is something else.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"Byte {error.start} is not UTF-8; convert the file, for example with iconv."
        ) from error


def _fields(content: str) -> dict[str, Any]:
    try:
        fields = loads(content)
    except RecursionError as error:
        raise InputError("The JSON is nested too deeply; flatten it.") from error
    except ValueError as error:
        raise InputError(f"Malformed JSON: {error}; one object a line is expected.") from error
    if not isinstance(fields, dict):
        kind = type(fields).__name__
        raise InputError(f"The line holds a {kind}, not an object; one object a line is expected.")
    return fields


def loads(content: str) -> Any:
    """Parse JSON; integers that Python refuses for their length become floats.

    Raises:
        ValueError: It is no JSON.
    """
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        raise
    except ValueError:  # the guard against quadratic conversion, 4300 digits by default
        return json.loads(content, parse_int=float)


def _id_of(fields: dict[str, Any], content: str, config: IndexConfig) -> str:
    """Return the id; the digest makes a second run find the documents of the first."""
    names = (config.id_field,) if config.id_field else (ID, "id")
    name = next((each for each in names if fields.get(each) is not None), None)
    if name is not None:
        return checked_id(fields[name], name)
    if config.id_field:
        raise InputError(f"The document has no field {config.id_field!r} for its id.")
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def checked_id(value: object, name: str) -> str:
    """Return an id as Elasticsearch takes it: a string of at most 512 bytes.

    Raises:
        InputError: The value is no such id.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        kind = "an empty string" if value == "" else type(value).__name__
        raise InputError(f"Field {name!r} holds {kind}, not an id; choose another with --id-field.")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InputError(f"The id {printable(value[:40])} is not Unicode; repair it.") from error
    if size > LONGEST_ID:
        raise InputError(
            f"The id {printable(value[:40])}… has {size} bytes; at most {LONGEST_ID} are possible."
        )
    return value


def _checked_text(fields: dict[str, Any], config: IndexConfig) -> str:
    text = text_of(fields, config.text_field)
    if text is None:
        raise InputError(
            f"The document has no field {config.text_field!r}; name its text with --field."
        )
    return require_text_size(text)


def cut(content: str, names: Collection[str]) -> str:
    """Take members out of a JSON object and leave each other byte as it is.

    >>> cut('{"_id": 1, "a": 1.00}', {"_id"})
    '{"a": 1.00}'
    """
    kept = [span for name, span in _members(content) if name not in names]
    return "{" + ",".join(kept) + "}"


def splice(source: bytes, member: bytes, value: bytes) -> bytes:
    """Put a member in front of those of a JSON object, whose bytes stay as they are.

    >>> splice(b'{"a":1.00}', b'"simhash"', b"{}")
    b'{"simhash":{},"a":1.00}'
    """
    rest = source[1:].lstrip()
    comma = b"" if rest == b"}" else b","
    return b"{%b:%b%b%b" % (member, value, comma, rest)


def _members(content: str) -> list[tuple[str, str]]:
    """Names of the members of a valid object, each with its text."""
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
