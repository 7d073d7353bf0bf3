"""Parameters of a request: ids in its path, the bounded ones of its query, the text of its body."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_to_bytes

from es_simhash.constraints import Bounds
from es_simhash.described import Parameter, parameters
from es_simhash.service.responses import Problem, not_found
from es_simhash.service.service_config import ServiceLimits
from es_simhash.store.options import SearchOptions
from es_simhash.store.order import Sort

# The engine takes no longer id.
MAX_ID_BYTES = 512
_WHOLE = re.compile(r"[0-9]{1,9}")
# Search options that a query may choose, by the names that they have in it.
_SEARCH_OPTIONS = {
    "size": "size",
    "from": "offset",
    "sort": "sort",
    "kind": "kinds",
    "evidence": "evidence",
}
_BOOLEANS = {"true": True, "false": False}


def search_parameters(limits: ServiceLimits, sorts: Sequence[Sort]) -> dict[str, Parameter]:
    """Return the parameters that the query of a search may have, as the search options are.

    Args:
        limits: Bounds of numbers.
        sorts: Orders that are possible.
    """
    described = parameters(SearchOptions)
    size = min(described["size"].default, limits.size)
    narrower: dict[str, dict[str, Any]] = {
        "size": {"bounds": Bounds(1, limits.size), "default": size},
        "from": {"bounds": Bounds(0, limits.offset)},
        "sort": {"choices": tuple(sorts)},
    }
    return {
        name: replace(described[option], **narrower.get(name, {}))
        for name, option in _SEARCH_OPTIONS.items()
    }


def search_options(
    given: Iterable[tuple[str, str]], allowed: Mapping[str, Parameter]
) -> SearchOptions:
    """Return the search options that the query of a request chooses.

    Args:
        given: Names and values.
        allowed: Parameters that it may have, by name.

    Raises:
        Problem: 400, for a parameter that is unknown, repeated, or out of bounds.
    """
    values: dict[str, list[Any]] = {}
    for name, value in given:
        if name not in allowed:
            *names, last = allowed
            raise Problem(400, f"Unknown parameter; use {', '.join(names)} and {last}.")
        if name in values and not allowed[name].is_repeatable:
            raise Problem(400, f"{name} is given twice.")
        values.setdefault(name, []).append(parameter_value(name, value, allowed[name]))
    return SearchOptions(
        **{
            _SEARCH_OPTIONS[name]: _chosen(parameter, values.get(name, []))
            for name, parameter in allowed.items()
        }
    )


def _chosen(parameter: Parameter, values: Sequence[Any]) -> Any:
    if parameter.is_repeatable:
        # In one order, so that the same question has the same answer in the cache.
        return tuple(choice for choice in parameter.choices if choice in values)
    return values[0] if values else parameter.default


def parameter_value(name: str, value: str, parameter: Parameter) -> Any:
    """Return the value of a parameter.

    Raises:
        Problem: 400, when it is not one of the choices, or no number within the bounds.
    """
    bounds = parameter.bounds
    if parameter.type is bool:
        if value not in _BOOLEANS:
            raise Problem(400, f"{name} must be true or false.")
        return _BOOLEANS[value]
    if bounds is None:
        if value not in parameter.choices:
            raise Problem(400, f"{name} must be one of {', '.join(parameter.choices)}.")
        return value
    is_whole = parameter.type is int
    with suppress(ValueError):
        number = parameter.type(value)
        if number in bounds and (not is_whole or _WHOLE.fullmatch(value)):
            return number
    kind = "whole number" if is_whole else "number"
    raise Problem(400, f"{name} must be a {kind} from {bounds.minimum} to {bounds.maximum}.")


def require_no_parameters(given: Iterable[tuple[str, str]]) -> None:
    """Check that a request has no query.

    Raises:
        Problem: 400, when it has.
    """
    if any(True for _ in given):
        raise Problem(400, "This address takes no parameters.")


def path_ids(raw_path: bytes, prefix: str, count: int) -> list[str]:
    """Return the ids in a path, as they were before they were escaped.

    Args:
        raw_path: Path of the request, still escaped.
        prefix: Part of the path before the ids.
        count: How many there are; a slash that is part of one of two must be escaped.

    Raises:
        Problem: 404, when there can be no such document.
    """
    rest = raw_path.partition(b"?")[0].removeprefix(prefix.encode())
    parts = [rest] if count == 1 else rest.split(b"/")
    if len(parts) != count:
        raise Problem(404, "Write the two ids with a slash between them; escape one within as %2F.")
    return [_id(part) for part in parts]


def _id(part: bytes) -> str:
    escaped = unquote_to_bytes(part)
    try:
        id = escaped.decode("utf-8")
    except UnicodeDecodeError:
        raise not_found() from None
    if not 0 < len(escaped) <= MAX_ID_BYTES:
        raise not_found()
    return id


def text_of_body(body: bytes) -> str:
    """Return the text of a request body `{"text": …}`.

    Raises:
        Problem: 400, when it is something else.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON.") from None
    if not isinstance(value, dict) or value.keys() != {"text"}:
        raise Problem(400, 'The body must be an object with the one member "text".')
    text = value["text"]
    if not isinstance(text, str) or not text:
        raise Problem(400, '"text" must be a string that is not empty.')
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem(400, '"text" has half of a surrogate pair.') from None
    return text
