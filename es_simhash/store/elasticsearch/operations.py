"""Names of requests as the client's own methods have them: what its OpenTelemetry spans are called.

The client names the span of a request that it is told no name of after the HTTP method alone.
"""

from typing import TypedDict
from urllib.parse import unquote

_INDEX = {
    "HEAD": "indices.exists",
    "GET": "indices.get",
    "PUT": "indices.create",
    "DELETE": "indices.delete",
}
# By the first part of a path that begins with `_`: the same whatever the method, or by the method.
_APIS: dict[str, str | dict[str, str]] = {
    "_alias": "indices.get_alias",
    "_bulk": "bulk",
    "_cat": "cat.indices",
    "_cluster": "cluster.health",
    "_component_template": {
        "GET": "cluster.get_component_template",
        "HEAD": "cluster.exists_component_template",
        "PUT": "cluster.put_component_template",
        "DELETE": "cluster.delete_component_template",
    },
    "_count": "count",
    "_create": "create",
    "_data_stream": "indices.get_data_stream",
    "_doc": {"HEAD": "exists", "GET": "get", "PUT": "index", "POST": "index", "DELETE": "delete"},
    "_flush": "indices.flush",
    "_forcemerge": "indices.forcemerge",
    "_index_template": {
        "GET": "indices.get_index_template",
        "HEAD": "indices.exists_index_template",
        "PUT": "indices.put_index_template",
        "POST": "indices.simulate_template",
        "DELETE": "indices.delete_index_template",
    },
    "_ingest": {
        "GET": "ingest.get_pipeline",
        "PUT": "ingest.put_pipeline",
        "POST": "ingest.simulate",
        "DELETE": "ingest.delete_pipeline",
    },
    "_mapping": {"GET": "indices.get_mapping", "PUT": "indices.put_mapping"},
    "_mget": "mget",
    "_msearch": "msearch",
    "_nodes": "nodes.stats",
    "_pit": {"POST": "open_point_in_time", "DELETE": "close_point_in_time"},
    "_refresh": "indices.refresh",
    "_resolve": "indices.resolve_index",
    "_search": "search",
    "_settings": {"GET": "indices.get_settings", "PUT": "indices.put_settings"},
    "_stats": "indices.stats",
    "_synonyms": "synonyms.get_synonym",
    "_update": "update",
}


class Operation(TypedDict):
    """What a span says of a request.

    Attributes:
        endpoint_id: Name of the request; None where it has none here.
        path_parts: Its index, if it is about one.
    """

    endpoint_id: str | None
    path_parts: dict[str, str]


def operation(method: str, path: str) -> Operation:
    """Return the name of a request, for `perform_request` of the client.

    Args:
        method: HTTP method.
        path: Path of the URL.
    """
    parts = path.partition("?")[0].strip("/").split("/")
    index = "" if parts[0].startswith("_") else unquote(parts[0])
    api = next((part for part in parts if part.startswith("_")), None)
    if api is None:
        named: str | dict[str, str] = _INDEX if index else "info"
    else:
        named = _APIS.get(api, {})
    name = named if isinstance(named, str) else named.get(method)
    return Operation(endpoint_id=name, path_parts={"index": index} if index else {})
