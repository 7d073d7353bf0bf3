"""The OpenAPI document of the service, as it is configured."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from es_simhash.described import Parameter
from es_simhash.relation.relation import KINDS
from es_simhash.service.operations import Operation
from es_simhash.service.request_parameters import MAX_ID_BYTES
from es_simhash.service.responses import PROBLEM_TYPE, TITLES
from es_simhash.service.service_config import ServiceConfig

Schema = dict[str, Any]


def _object(required: str, **properties: Any) -> Schema:
    """Return the schema of an object.

    Args:
        required: Names of the members that it always has.
        properties: Schema of each member.
    """
    return {"type": "object", "required": required.split(), "properties": properties}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_STRING, _INTEGER, _BOOLEAN, _ANY = (
    {"type": name} for name in ("string", "integer", "boolean", "object")
)
_TEXT = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_SCHEMAS: Schema = {
    "Context": {
        "type": ["object", "null"],
        "properties": dict.fromkeys(
            ("title", "date", "owner", "language", "link", "family"), _TEXT
        ),
    },
    "Relation": {
        **_object(
            "id kind score coverage evidence source document",
            id=_TEXT,
            kind={"enum": [*KINDS, "none"]},
            score={"type": "number", "minimum": 0, "maximum": 1},
            coverage=_ANY,
            evidence=_list(_ANY),
            source={**_ANY, "description": "Allowed fields of the document."},
            direction={"enum": ["older", "newer", "same", None]},
            document=_ref("Context"),
            fields=_list(_ANY),
        ),
        "description": "The relation object of docs/json.md.",
    },
    "Related": _object(
        "document relations total is_estimate next truncated",
        document=_ref("Context"),
        relations=_list(_ref("Relation")),
        total=_COUNT,
        is_estimate={**_BOOLEAN, "description": "Whether `total` may change."},
        next={
            "type": ["integer", "null"],
            "description": "`from` of the next page; null after the last that may be read.",
        },
        truncated=_BOOLEAN,
    ),
    "Comparison": _object(
        "relation changes a b",
        relation=_ref("Relation"),
        changes={"type": ["object", "null"]},
        a=_ref("Context"),
        b=_ref("Context"),
    ),
    "Evidence": _object("relation", relation=_ref("Relation")),
    "Member": _object(
        "id title date is_representative kept_from_previous",
        id=_STRING,
        title=_TEXT,
        date=_TEXT,
        is_representative=_BOOLEAN,
        kept_from_previous=_SHARE,
        kept_from_first=_SHARE,
    ),
    "Family": _object(
        "name representative members documents near truncated",
        name=_STRING,
        representative=_TEXT,
        members=_list(_ref("Member")),
        documents=_COUNT,
        near=_list(_ANY),
        truncated=_BOOLEAN,
    ),
    "Document": _object("id document source", id=_STRING, document=_ref("Context"), source=_ANY),
    "Problem": _object(
        "type title status detail", type=_STRING, title=_STRING, status=_INTEGER, detail=_STRING
    ),
    "Status": {**_ANY, "properties": {"status": _STRING}},
}
_ID = {
    "in": "path",
    "required": True,
    "description": f"An id of 1 to {MAX_ID_BYTES} bytes, escaped as in any URL.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES},
}
_TEXT_BODY = {
    **_object("text", text={"type": "string", "minLength": 1}),
    "additionalProperties": False,
}
_PROBLEMS = {"GET": (400, 404, 422, 429, 503), "POST": (400, 408, 413, 415, 422, 429, 503)}


def openapi(
    config: ServiceConfig, operations: Sequence[Operation], search: Mapping[str, Parameter]
) -> dict[str, Any]:
    """Return the OpenAPI document.

    Args:
        config: Configuration of the service: bounds of bodies, whether credentials are needed.
        operations: Operations about documents.
        search: Parameters that the query of a search may have.
    """
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Related documents", "version": version("es-simhash")},
        "paths": {
            **{item.path: _operation(item, config, search) for item in operations},
            "/healthz": _probe("Whether the process is there"),
            "/readyz": _probe("Whether the index can be searched", 503),
        },
        "components": {"schemas": dict(_SCHEMAS)},
    }
    if not config.is_open:
        document["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        }
    return document


def _operation(
    operation: Operation, config: ServiceConfig, search: Mapping[str, Parameter]
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": operation.summary,
        "parameters": [{"name": name, **_ID} for name in operation.ids],
        "responses": {"200": _json(operation.schema), **_problems(*_PROBLEMS[operation.method])},
    }
    if operation.searches:
        described["parameters"] += [_query(name, search[name]) for name in search]
    if operation.reads_text:
        described["description"] = f"The body may have at most {config.limits.body_bytes} bytes."
        content = {"application/json": {"schema": _TEXT_BODY}}
        described["requestBody"] = {"required": True, "content": content}
    else:
        unchanged = "As the entity tag of If-None-Match says, the caller has it."
        described["responses"]["304"] = {"description": unchanged}
    if not config.is_open:
        described["security"] = [{"bearer": []}, {"key": []}]
        described["responses"] |= _problems(401)
    return {operation.method.lower(): described}


def _query(name: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": parameter.help,
        "schema": parameter.json_schema(),
        **({"style": "form", "explode": True} if parameter.is_repeatable else {}),
    }


def _probe(summary: str, *statuses: int) -> dict[str, Any]:
    return {
        "get": {"summary": summary, "responses": {"200": _json("Status"), **_problems(*statuses)}}
    }


def _json(schema: str) -> dict[str, Any]:
    return {
        "description": "The answer.",
        "content": {"application/json": {"schema": _ref(schema)}},
    }


def _problems(*statuses: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": _ref("Problem")}}
    return {str(status): {"description": TITLES[status], "content": content} for status in statuses}
