"""The OpenAPI document of the service, as it is configured."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from es_simhash.relation.relation import KINDS
from es_simhash.service.request_parameters import DEFAULT_SIZE
from es_simhash.service.responses import PROBLEM_TYPE, TITLES
from es_simhash.service.service_config import ServiceConfig
from es_simhash.store.order import Sort

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
_ID = "An id of 1 to 512 bytes, escaped as in any URL."


def openapi(config: ServiceConfig, sorts: Sequence[Sort]) -> dict[str, Any]:
    """Return the OpenAPI document.

    Args:
        config: Of the service: bounds of parameters, and whether credentials are needed.
        sorts: Orders that are possible.
    """
    chosen = _chosen(config, sorts)
    answers = {
        "/related/{id}": _asked("Documents related to a document", "Related", ["id"], chosen),
        "/related": _asked_by_text(config, chosen),
        "/compare/{a}/{b}": _asked(
            "How two documents are related, and what changed", "Comparison", ["a", "b"]
        ),
        "/families/{id}": _asked("The versions of a document", "Family", ["id"]),
        "/documents/{id}": _asked("The allowed fields of a document", "Document", ["id"]),
    }
    health = {
        "/healthz": _free("Whether the process is there", "Status"),
        "/readyz": _free("Whether the index can be searched", "Status", 503),
    }
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Related documents", "version": version("es-simhash")},
        "paths": {**answers, **health},
        "components": {"schemas": dict(_SCHEMAS)},
    }
    if not config.is_open:
        document["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        }
        for operations in answers.values():
            for operation in operations.values():
                operation["security"] = [{"bearer": []}, {"key": []}]
                operation["responses"]["401"] = _problem(401)
    return document


def _chosen(config: ServiceConfig, sorts: Sequence[Sort]) -> list[Schema]:
    limits = config.limits
    size = {"type": "integer", "minimum": 1, "maximum": limits.size}
    start = {"type": "integer", "minimum": 0, "maximum": limits.offset, "default": 0}
    kinds = {"type": "array", "items": {"enum": list(KINDS)}}
    return [
        _parameter("size", {**size, "default": min(DEFAULT_SIZE, limits.size)}),
        _parameter("from", start),
        _parameter("sort", {"enum": list(sorts), "default": "score"}),
        {**_parameter("kind", kinds), "style": "form", "explode": True},
    ]


def _parameter(name: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _asked(
    summary: str, schema: str, ids: Sequence[str], chosen: Sequence[Schema] = ()
) -> dict[str, Any]:
    of_path = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _ID,
            "schema": {"type": "string", "minLength": 1, "maxLength": 512},
        }
        for name in ids
    ]
    responses = {
        "200": _json(schema),
        "304": {"description": "As the entity tag of If-None-Match says, the caller has it."},
        **{str(status): _problem(status) for status in (400, 404, 422, 429, 503)},
    }
    return {
        "get": {
            "summary": summary,
            "parameters": [*of_path, *chosen],
            "responses": responses,
        }
    }


def _asked_by_text(config: ServiceConfig, chosen: Sequence[Schema]) -> dict[str, Any]:
    body = {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {"text": {"type": "string", "minLength": 1}},
    }
    statuses = (400, 408, 413, 415, 422, 429, 503)
    return {
        "post": {
            "summary": "Documents related to a text",
            "description": f"The body may have at most {config.limits.body_bytes} bytes.",
            "parameters": list(chosen),
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": {
                "200": _json("Related"),
                **{str(status): _problem(status) for status in statuses},
            },
        }
    }


def _free(summary: str, schema: str, *statuses: int) -> dict[str, Any]:
    problems = {str(status): _problem(status) for status in statuses}
    return {"get": {"summary": summary, "responses": {"200": _json(schema), **problems}}}


def _json(schema: str) -> dict[str, Any]:
    return {
        "description": "The answer.",
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


def _problem(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": TITLES[status], "content": {PROBLEM_TYPE: {"schema": schema}}}
