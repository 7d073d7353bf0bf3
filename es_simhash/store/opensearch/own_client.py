"""Clients of opensearch-py as the transport of the client that es-simhash uses.

Whoever connects with opensearch-py, as with signatures of AWS, passes that client: how it connects,
signs and retries stays its own.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from es_simhash.store.elasticsearch.client import elastic_transport, json_value

_PACKAGE = "opensearchpy"
_PORT = 9200


def is_opensearch_client(client: Any) -> bool:
    """Check whether a client is one of opensearch-py, which need not be installed."""
    return any(kind.__module__.partition(".")[0] == _PACKAGE for kind in type(client).__mro__)


def is_asynchronous(client: Any) -> bool:
    """Check whether a client of opensearch-py does not wait."""
    return any(kind.__name__ == "AsyncOpenSearch" for kind in type(client).__mro__)


@dataclass(frozen=True)
class _Node:
    """A node that a client sends to; `base_url` is its address."""

    base_url: str


@dataclass(frozen=True)
class _Nodes:
    """The nodes of a client."""

    nodes: tuple[_Node, ...]

    def all(self) -> list[_Node]:
        """Return all nodes."""
        return list(self.nodes)


class _Sender:
    """What both transports know of a client of opensearch-py.

    Args:
        client: The client.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def node_pool(self) -> _Nodes:
        """Nodes that the client sends to."""
        hosts = self._client.transport.hosts or [{}]
        return _Nodes(tuple(_Node(_address(host)) for host in hosts))


class OpenSearchTransport(_Sender):
    """Sends requests with a client of opensearch-py."""

    def perform_request(
        self, method: str, target: str, *, body: Any = None, headers: Any = None, **options: Any
    ) -> Any:
        """Return the response to a request, whatever its status."""
        try:
            with _translated():
                answer = self._client.transport.perform_request(
                    method, **_arguments(target, body, headers)
                )
        except _Rejected as rejected:
            return _response(rejected.status, rejected.body)
        return _answered(method, answer)

    def close(self) -> None:
        """Close the client."""
        self._client.close()


class AsyncOpenSearchTransport(_Sender):
    """The same for a client that does not wait."""

    async def perform_request(
        self, method: str, target: str, *, body: Any = None, headers: Any = None, **options: Any
    ) -> Any:
        """Return the response to a request, whatever its status."""
        try:
            with _translated():
                answer = await self._client.transport.perform_request(
                    method, **_arguments(target, body, headers)
                )
        except _Rejected as rejected:
            return _response(rejected.status, rejected.body)
        return _answered(method, answer)

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()


class _Rejected(Exception):
    """The server answers with an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


@contextmanager
def _translated() -> Iterator[None]:
    """Turn errors of opensearch-py into those of the client's own transport."""
    from opensearchpy import exceptions

    try:
        yield
    except exceptions.ConnectionTimeout as error:
        raise elastic_transport.ConnectionTimeout(str(error)) from error
    except exceptions.SSLError as error:
        raise elastic_transport.TlsError(str(error)) from error
    except exceptions.ConnectionError as error:
        raise elastic_transport.ConnectionError(str(error)) from error
    except exceptions.TransportError as error:
        raise _Rejected(int(error.status_code), error.info) from error


def _arguments(target: str, body: Any, headers: Any) -> dict[str, Any]:
    """Return the arguments of a request; the body is serialised as the client would."""
    path, _, query = target.partition("?")
    sent = body
    if isinstance(body, list):
        sent = "".join(f"{_line(each)}\n" for each in body)
    elif isinstance(body, Mapping):
        sent = _line(body)
    params = dict(parse_qsl(query, keep_blank_values=True))
    # In lower case they replace those of the client.
    named = {str(name).lower(): value for name, value in dict(headers or {}).items()}
    return {"url": path, "params": params, "body": sent, "headers": named}


def _line(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return value.decode() if isinstance(value, bytes) else value
    return json.dumps(value, default=json_value, ensure_ascii=False)


def _answered(method: str, answer: Any) -> Any:
    if method == "HEAD":
        return _response(200 if answer else 404, None)
    return _response(200, answer)


def _response(status: int, body: Any) -> Any:
    # The client tells neither headers nor the node.
    meta = elastic_transport.ApiResponseMeta(
        status,
        "1.1",
        elastic_transport.HttpHeaders(),
        0.0,
        elastic_transport.NodeConfig("http", "opensearch", _PORT),
    )
    return elastic_transport.TransportApiResponse(meta, body)


def _address(host: Mapping[str, Any]) -> str:
    scheme = "https" if host.get("use_ssl") or host.get("scheme") == "https" else "http"
    return f"{scheme}://{host.get('host', 'localhost')}:{host.get('port', _PORT)}"
