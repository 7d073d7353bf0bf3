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

Schema = Mapping[str, Any]
_TEXT = {"type": ["string", "null"]}
_SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_CONTEXT = {
    "type": ["object", "null"],
    "properties": dict.fromkeys(("title", "date", "owner", "language", "link", "family"), _TEXT),
}
_RELATION = {
    "type": "object",
    "description": "The relation object of docs/json.md.",
    "required": ["id", "kind", "score", "coverage", "evidence", "source", "document"],
    "properties": {
        "id": _TEXT,
        "kind": {"enum": [*KINDS, "none"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "coverage": {"type": "object"},
        "evidence": {"type": "array", "items": {"type": "object"}},
        "source": {"type": "object", "description": "Allowed fields of the document."},
        "direction": {"enum": ["older", "newer", "same", None]},
        "document": {"$ref": "#/components/schemas/Context"},
    },
}
_SCHEMAS: Schema = {
    "Context": _CONTEXT,
    "Relation": _RELATION,
    "Related": {
        "type": "object",
        "required": ["document", "relations", "total", "is_estimate", "next", "truncated"],
        "properties": {
            "document": {"$ref": "#/components/schemas/Context"},
            "relations": {"type": "array", "items": {"$ref": "#/components/schemas/Relation"}},
            "total": {"type": "integer", "minimum": 0},
            "is_estimate": {"type": "boolean", "description": "Whether `total` may change."},
            "next": {
                "type": ["integer", "null"],
                "description": "`from` of the next page; null after the last that may be read.",
            },
            "truncated": {"type": "boolean"},
        },
    },
    "Comparison": {
        "type": "object",
        "required": ["relation", "changes", "a", "b"],
        "properties": {
            "relation": {"$ref": "#/components/schemas/Relation"},
            "changes": {"type": ["object", "null"]},
            "a": {"$ref": "#/components/schemas/Context"},
            "b": {"$ref": "#/components/schemas/Context"},
        },
    },
    "Member": {
        "type": "object",
        "required": ["id", "title", "date", "is_representative", "kept_from_previous"],
        "properties": {
            "id": {"type": "string"},
            "title": _TEXT,
            "date": _TEXT,
            "is_representative": {"type": "boolean"},
            "kept_from_previous": _SHARE,
            "kept_from_first": _SHARE,
        },
    },
    "Family": {
        "type": "object",
        "required": ["name", "representative", "members", "documents", "near", "truncated"],
        "properties": {
            "name": {"type": "string"},
            "representative": _TEXT,
            "members": {"type": "array", "items": {"$ref": "#/components/schemas/Member"}},
            "documents": {"type": "integer", "minimum": 0},
            "near": {"type": "array", "items": {"type": "object"}},
            "truncated": {"type": "boolean"},
        },
    },
    "Document": {
        "type": "object",
        "required": ["id", "document", "source"],
        "properties": {
            "id": {"type": "string"},
            "document": {"$ref": "#/components/schemas/Context"},
            "source": {"type": "object"},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
        },
    },
    "Status": {"type": "object", "properties": {"status": {"type": "string"}}},
}
_ID = {
    "in": "path",
    "required": True,
    "description": f"An id of 1 to {MAX_ID_BYTES} bytes, escaped as in any URL.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES},
}
_TEXT_BODY = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string", "minLength": 1}},
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
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


def _problems(*statuses: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(status): {"description": TITLES[status], "content": content} for status in statuses}
