"""Parameters of a request: ids in its path, and the bounded ones of its query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from es_simhash.constraints import Bounds
from es_simhash.described import Parameter, parameters
from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.service.operations import FamilyPage, MemberPage, Operation
from es_simhash.service.paging import (
    RECENCY_OPTIONS,
    SEARCH_OPTIONS,
    outside_names,
)
from es_simhash.service.parameter_values import parameter_value
from es_simhash.service.request_bodies import nearest
from es_simhash.service.responses import Problem, not_found
from es_simhash.service.service_config import MAX_ID_BYTES, ServiceLimits
from es_simhash.store.options import Recency, SearchOptions
from es_simhash.store.order import Sort

# Days after which a document is old by any half-life.
_MAX_HALF_LIFE = 36_525
# What a query may choose of each option class.
_CHOSEN = {
    SearchOptions: SEARCH_OPTIONS,
    MemberPage: ("size", "offset"),
    FamilyPage: ("size", "after"),
    OnVersion: ("kinds", "min_score", "lose"),
}
Options = TypeVar("Options", SearchOptions, MemberPage, FamilyPage, OnVersion)


def query_parameters(
    operation: Operation, limits: ServiceLimits, sorts: Sequence[Sort], date: str | None
) -> dict[str, Parameter]:
    """Return the parameters that the query of an operation may have, as its options are in Python.

    Args:
        operation: The operation.
        limits: Bounds of numbers.
        sorts: Orders that are possible.
        date: The date field that may be told of; None without one.
    """
    kind = operation.options
    if kind is None:
        return {}
    described, names = parameters(kind), outside_names(kind)
    chosen = {names[option]: described[option] for option in _CHOSEN[kind]}
    if "size" in chosen:
        size = min(chosen["size"].default, limits.size)
        chosen["size"] = replace(chosen["size"], bounds=Bounds(1, limits.size), default=size)
    if "from" in chosen:
        chosen["from"] = replace(chosen["from"], bounds=Bounds(0, limits.offset))
    if kind is SearchOptions:
        chosen["sort"] = replace(chosen["sort"], choices=tuple(sorts))
        if operation.body is not None:
            # Neither a text nor several documents have the one family that others are chosen by.
            del chosen["family"]
        if date is not None:
            chosen |= _recency(date)
    return chosen


def _recency(date: str) -> dict[str, Parameter]:
    described, names = parameters(Recency), outside_names(Recency)
    chosen = {names[option]: described[option] for option in RECENCY_OPTIONS}
    chosen["recency"] = replace(
        chosen["recency"], choices=(date,), is_required=False, is_optional=True
    )
    half_life = chosen["recency_half_life"]
    bounds = Bounds(0, _MAX_HALF_LIFE, excludes_minimum=True)
    chosen["recency_half_life"] = replace(half_life, bounds=bounds)
    return chosen


def options_of(
    kind: type[Options], given: Iterable[tuple[str, str]], allowed: Mapping[str, Parameter]
) -> Options:
    """Return the options that the query of a request chooses.

    Args:
        kind: The option class.
        given: Names and values.
        allowed: Parameters that it may have, by name.

    Raises:
        Problem: 400, for a parameter that is unknown, repeated, or out of bounds; 422 for two
            that do not go together.
    """
    values = _values(given, allowed)
    of_recency = set(outside_names(Recency).values())
    options: dict[str, Any] = {
        parameter.name: _chosen(parameter, values.get(name, []))
        for name, parameter in allowed.items()
        if kind is not SearchOptions or name not in of_recency
    }
    ages = {name: values[name] for name in allowed if name in of_recency and name in values}
    # Without it the other two are nothing: generated clients send the defaults of all parameters.
    if kind is SearchOptions and "recency" in ages:
        named = {allowed[name].name: value for name, (value,) in ages.items()}
        options["recency"] = Recency(**named)
    if kind is OnVersion:
        options["action"] = "skip"
        options["kinds"] = options["kinds"] or OnVersion().kinds
    try:
        return kind(**options)
    except InputError as error:
        # Each value is possible by itself.
        raise Problem(422, str(error)) from error


def _values(
    given: Iterable[tuple[str, str]], allowed: Mapping[str, Parameter]
) -> dict[str, list[Any]]:
    """Return the values of each parameter that is given."""
    values: dict[str, list[Any]] = {}
    for name, value in given:
        if name not in allowed:
            raise Problem(400, f"Unknown parameter {nearest(name, list(allowed))}")
        if name in values and not allowed[name].is_repeatable:
            raise Problem(400, f"{name} is given twice.")
        values.setdefault(name, []).append(parameter_value(name, value, allowed[name]))
    return values


def _chosen(parameter: Parameter, values: Sequence[Any]) -> Any:
    if parameter.is_repeatable:
        # In one order, so that the same question has the same answer in the cache.
        return tuple(choice for choice in parameter.choices if choice in values)
    return values[0] if values else parameter.default


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
