"""The OpenAPI document of the service, as it is configured."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from importlib.metadata import version
from typing import Any

import msgspec

from es_simhash.described import Parameter, documented_entries
from es_simhash.service.answer_types import ProblemDocument, Status
from es_simhash.service.operations import VERSION, Operation
from es_simhash.service.request_bodies import IdsBody
from es_simhash.service.responses import PROBLEM_TYPE, TITLES
from es_simhash.service.service_config import MAX_ID_BYTES, ServiceConfig

Schema = dict[str, Any]
# Numbers that are shares or scores wherever they are.
_SHARES = {
    *("score", "coverage", "of_query", "of_hit", "changed", "common", "kept", "share"),
    *("kept_from_previous", "kept_from_first", "similarity"),
}
_COUNTS = {"total", "copies", "start", "end", "status", "characters", "documents"}
_ID = {
    "in": "path",
    "required": True,
    "description": f"An id of 1 to {MAX_ID_BYTES} bytes, escaped as in any URL.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES},
}
_PROBLEMS = {
    "GET": (400, 404, 405, 413, 421, 422, 429, 500, 503),
    "POST": (400, 405, 408, 413, 415, 421, 422, 429, 500, 503),
}
_TEXT: Schema = {"type": "string"}
_HEADERS: dict[str, Schema] = {
    "X-Request-Id": {"description": "Id of the request in the logs.", "schema": _TEXT},
    "ETag": {"description": "Changes with the answer; for If-None-Match.", "schema": _TEXT},
    "Cache-Control": {"description": "How long the answer may be used.", "schema": _TEXT},
    "Cache-Status": {
        "description": "On an answer that was made before, while the search engine is away.",
        "schema": _TEXT,
    },
    "Link": {"description": 'The next page, as rel="next".', "schema": _TEXT},
    "Retry-After": {
        "description": "Seconds to wait.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {"description": "What is asked for.", "schema": _TEXT},
}
_OF_STATUS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def openapi(
    config: ServiceConfig,
    operations: Sequence[Operation],
    parameters: Mapping[str, Mapping[str, Parameter]],
) -> dict[str, Any]:
    """Return the OpenAPI document.

    Args:
        config: Configuration of the service: bounds of bodies, whether credentials are needed.
        operations: Operations about documents.
        parameters: The parameters that the query of each may have, by its address.
    """
    paths: dict[str, Any] = {}
    tags = [item.tag for item in operations]
    for item in operations:
        described = _operation(item, config, parameters[item.path])
        paths.setdefault(item.path, {})[item.method.lower()] = described
    schemas = _schemas(operations)
    for member in schemas.get(IdsBody.__name__, {}).get("properties", {}).values():
        member["maxItems"] = config.limits.ids
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Related documents",
            "version": version("es-simhash"),
            "description": f"Addresses below {VERSION} keep the form of their answers: members "
            "may be added, none is taken away.",
        },
        "tags": [{"name": name} for name in dict.fromkeys([*tags, _OWN])],
        "paths": {
            **paths,
            "/healthz": _probe("health", "Whether the process is there"),
            "/readyz": _probe("readiness", "Whether the index can be searched", 503),
        },
        "components": {"schemas": schemas, "headers": _HEADERS},
    }
    if not config.is_open:
        document["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        }
    return document


_OWN = "service"


def _operation(
    operation: Operation, config: ServiceConfig, parameters: Mapping[str, Parameter]
) -> dict[str, Any]:
    is_get = operation.method == "GET"
    headers = ["ETag", "Cache-Control", "Cache-Status"] if is_get else []
    if is_get and any(member.name == "next" for member in fields(operation.answers)):
        headers.append("Link")
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": [
            *({"name": name, **_ID} for name in operation.ids),
            *(_query(name, parameters[name]) for name in parameters),
        ],
        "responses": {
            "200": _answer(operation.answers.__name__, headers),
            **_problems(*_PROBLEMS[operation.method]),
        },
    }
    if operation.body is not None:
        described["description"] = f"The body may have at most {config.limits.body_bytes} bytes."
        content = {"application/json": {"schema": _ref(operation.body.__name__)}}
        described["requestBody"] = {"required": True, "content": content}
    else:
        unchanged = "As the entity tag of If-None-Match says, the caller has it."
        described["responses"]["304"] = {
            "description": unchanged,
            "headers": _headers(["ETag", "Cache-Control"]),
        }
    if not config.is_open:
        described["security"] = [{"bearer": []}, {"key": []}]
        described["responses"] |= _problems(401)
    return described


def _query(name: str, parameter: Parameter) -> dict[str, Any]:
    none_for = f" Default: {parameter.none_for}." if parameter.none_for else ""
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": f"{parameter.help}{none_for}",
        "schema": {**_lengths(parameter), **parameter.json_schema()},
        **({"style": "form", "explode": True} if parameter.is_repeatable else {}),
    }


def _lengths(parameter: Parameter) -> Schema:
    """Return the bounds of a string that is none of several choices."""
    if parameter.type is not str or parameter.choices:
        return {}
    return {"minLength": 1, "maxLength": MAX_ID_BYTES}


def _probe(name: str, summary: str, *statuses: int) -> dict[str, Any]:
    responses = {"200": _answer("Status", []), **_problems(405, *statuses, 500)}
    described = {"operationId": name, "tags": [_OWN], "summary": summary, "responses": responses}
    return {"get": described}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(schema: str, headers: Sequence[str]) -> dict[str, Any]:
    return {
        "description": "The answer.",
        "headers": _headers(headers),
        "content": {"application/json": {"schema": _ref(schema)}},
    }


def _problems(*statuses: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": _ref(ProblemDocument.__name__)}}
    return {
        str(status): {
            "description": TITLES[status],
            "headers": _headers(_OF_STATUS.get(status, ())),
            "content": content,
        }
        for status in statuses
    }


def _headers(names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}


def _schemas(operations: Sequence[Operation]) -> Schema:
    """Return the schemas of all that is decoded and encoded, with what their docstrings say."""
    bodies = [item.body for item in operations if item.body is not None]
    types = [*(item.answers for item in operations), *bodies, ProblemDocument, Status]
    template = "#/components/schemas/{name}"
    _, schemas = msgspec.json.schema_components(types, ref_template=template)
    for kind in _dataclasses(types):
        schema = schemas[kind.__name__]
        schema["description"] = (kind.__doc__ or "").partition("\n")[0]
        entries = documented_entries(kind)
        for name, member in schema["properties"].items():
            member.pop("default", None)
            if name in entries:
                member["description"] = re.sub(r"\bNone\b", "null", entries[name])
            _bound(name, member)
        if kind in bodies:
            schema["additionalProperties"] = False
        else:
            # What is encoded always has all members, also those with a default.
            schema["required"] = list(schema["properties"])
    return schemas


def _bound(name: str, member: Schema) -> None:
    """Set the bounds of a number that is a share, or a count."""
    for schema in (member, *member.get("anyOf", ())):
        if name in _SHARES and schema.get("type") == "number":
            schema |= {"minimum": 0, "maximum": 1}
        if name in _COUNTS and schema.get("type") == "integer":
            schema["minimum"] = 0


def _dataclasses(types: Sequence[type]) -> list[type]:
    """Return dataclasses, and those that their members are of, each once."""
    known: dict[type, None] = {}
    pending = list(msgspec.inspect.multi_type_info(types))
    while pending:
        info = pending.pop()
        if isinstance(info, msgspec.inspect.DataclassType):
            if info.cls in known:
                continue
            known[info.cls] = None
            pending += [member.type for member in info.fields]
        else:
            pending += _parts(info)
    return list(known)


def _parts(info: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    """Yield the types that a type is made of."""
    for name in ("types", "item_types"):
        yield from getattr(info, name, ())
    for name in ("item_type", "key_type", "value_type", "type"):
        if (part := getattr(info, name, None)) is not None:
            yield part
