"""Bodies of requests: types that are decoded strictly; the OpenAPI document is made of them."""

import json
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec

from es_simhash.service.responses import Problem
from es_simhash.service.service_config import MAX_ID_BYTES

# What is quoted of a name that nobody knows.
_MAX_QUOTED = 40


def _must(words: str, **bounds: Any) -> msgspec.Meta:
    """Return the bounds of a member, and what a problem says that it must be."""
    return msgspec.Meta(extra={"must": words}, **bounds)


@dataclass(frozen=True)
class TextBody:
    """A text.

    Attributes:
        text: The text.
    """

    text: Annotated[str, _must("a string that is not empty", min_length=1)]


# Far more than a document has; Elasticsearch rejects a query for more than 65,536.
_MAX_VALUES = 1_000
_Values = str | int | Annotated[tuple[str | int, ...], msgspec.Meta(max_length=_MAX_VALUES)] | None


@dataclass(frozen=True)
class DraftBody:
    """A text that is not indexed.

    Attributes:
        text: The text.
        within: Values of the text in the field that keeps documents apart, an empty list for none:
            a document of other values does not count. None for all documents.
    """

    text: Annotated[str, _must("a string that is not empty", min_length=1)]
    within: Annotated[
        _Values, _must(f"a string, an integer, or a list of at most {_MAX_VALUES} of them")
    ] = None


_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ID_BYTES)]


@dataclass(frozen=True)
class IdsBody:
    """Ids of documents.

    Attributes:
        ids: The ids.
    """

    ids: Annotated[
        tuple[_Id, ...],
        _must(f"a list of ids of 1 to {MAX_ID_BYTES} characters, at least one", min_length=1),
    ]


Members = TypeVar("Members")


def body_of(content: bytes, kind: type[Members]) -> Members:
    """Return the body of a request.

    Args:
        content: JSON.
        kind: The type of the body.

    Raises:
        Problem: 400, when it is no JSON, or has other members than those of the type.
    """
    try:
        given = json.loads(content)
        # Halves of characters, which JSON can escape, are no text.
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(400, "The body has half of a surrogate pair.") from None
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON.") from None
    members = fields(kind)  # type: ignore[arg-type]
    names = [declared.name for declared in members]
    if not isinstance(given, dict):
        raise Problem(400, f"The body must be an object with {listed(names)}.")
    if unknown := [name for name in given if name not in names]:
        raise Problem(400, f"The body has an unknown member {nearest(unknown[0], names)}")
    for declared in members:
        if declared.default is MISSING and declared.name not in given:
            raise Problem(400, f'The body must have the member "{declared.name}".')
    types = get_type_hints(kind, include_extras=True)
    values = {name: _value(name, value, types[name]) for name, value in given.items()}
    return kind(**values)


def _value(name: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        (meta,) = (note for note in kind.__metadata__ if isinstance(note, msgspec.Meta))
        assert meta.extra is not None
        raise Problem(400, f'"{name}" must be {meta.extra["must"]}.') from None


def nearest(unknown: str, names: list[str]) -> str:
    """Return the end of a sentence about an unknown name: it, and what to use."""
    shown = repr(unknown if len(unknown) <= _MAX_QUOTED else f"{unknown[:_MAX_QUOTED]}…")
    close = get_close_matches(unknown[:_MAX_QUOTED], names, 1)
    return f"{shown}. Use {close[0] if close else listed(names)}."


def listed(names: list[str]) -> str:
    """Return names as a sentence lists them."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
