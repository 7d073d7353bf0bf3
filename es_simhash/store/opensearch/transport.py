"""Transports of the client that find out which engine answers, and speak to OpenSearch as well.

The client takes a server for Elasticsearch by a header of its responses. Where it is missing, the
server is asked once what it is; with Elasticsearch no further request is sent.
"""

import re
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from es_simhash.store.elasticsearch.client import AnyClient, elastic_transport, elasticsearch
from es_simhash.store.elasticsearch.vector_values import (
    are_missing,
    has_vectors,
    out_of_source,
    with_values,
)
from es_simhash.store.opensearch.dialect import Dialect, Reply, Sent
from es_simhash.store.opensearch.own_client import (
    AsyncOpenSearchTransport,
    OpenSearchTransport,
    is_asynchronous,
    is_opensearch_client,
)

_PRODUCT = "x-elastic-product"
_ELASTICSEARCH = "Elasticsearch"
# A media type that names the version of the API, which OpenSearch does not know.
_VENDOR = re.compile(r"vnd\.elasticsearch\+|;\s*compatible-with=\d+")
# Servers 8 and 9 both speak the API of version 8; that of 9, which a client 9 asks for, 8 rejects.
_NEWER, _COMPATIBLE = "compatible-with=9", "compatible-with=8"
_MEDIA_TYPES = frozenset({"accept", "content-type"})
_TO_ASK = Sent("GET", "/")
# What a server before 3.3 warns of, which has no other order that all its shards agree on.
_BY_ID = "fielddata on the _id field"
# What a server answers that wants other credentials.
_REFUSED = frozenset({401, 403})
# What a server answers that is busy, or a proxy without one: nothing is learned from it.
_BUSY, _ERROR, _SERVER_ERROR = 429, 400, 500
# What OpenSearch answers to a body of Elasticsearch's media types.
_NOT_ACCEPTABLE = 406

Headers = Mapping[str, Any]
Result = TypeVar("Result")
SomeClient = TypeVar("SomeClient", bound="AnyClient")
# Yields what is sent, with its headers, and is sent the responses.
Steps = Generator[tuple[Sent, Headers], Any, Result]


class Engines:
    """Which engine answers a client, found out by its first responses."""

    def __init__(self) -> None:
        self.is_known = False
        self.dialect: Dialect | None = None
        self._has_vector_values = True

    def steps(self, sent: Sent, headers: Headers) -> Steps[Any]:
        """Return the response to a request."""
        headers = {name: _compatible(value) for name, value in headers.items()}
        if self.dialect is not None:
            return (yield from _spoken(self.dialect, sent, headers))
        if not self.is_known:
            return (yield from self._recognised(sent, headers, (yield sent, headers)))
        response = yield from self._of_elasticsearch(sent, headers)
        if _is_of_another(response.meta):
            # Another server took the address of the one that was known.
            self.is_known = False
            return (yield from self._recognised(sent, headers, response))
        return response

    def _recognised(self, sent: Sent, headers: Headers, response: Any) -> Steps[Any]:
        """Return a first response, or that of the request in the words of the engine it names."""
        if _PRODUCT in response.meta.headers:
            self.is_known = True
            return (yield from self._checked(sent, headers, response))
        if _is_busy(response.meta):
            return response
        rest = {name: value for name, value in headers.items() if name.lower() not in _MEDIA_TYPES}
        root = yield _TO_ASK, {**rest, "accept": "application/json"}
        dialect = dialect_of(root.body) if root.meta.status == 200 else None
        if dialect is None:
            # What other threads have learned meanwhile stays known.
            if root.meta.status in _REFUSED:
                # Without knowing the engine no request can be sent: this names the permission.
                return _answered(root.meta, Reply(root.meta.status, root.body))
            # A server that is busy meanwhile may be asked again.
            return root if _is_busy(root.meta) and response.meta.status >= _ERROR else response
        self.dialect, self.is_known = dialect, True
        if _had_effect(dialect, sent, response.meta):
            return _answered(response.meta, Reply(response.meta.status, response.body))
        return (yield from _spoken(dialect, sent, headers))

    def _of_elasticsearch(self, sent: Sent, headers: Headers) -> Steps[Any]:
        if self._has_vector_values or not _requests_vectors(sent):
            return (yield from self._checked(sent, headers, (yield sent, headers)))
        response = yield replace(sent, body=out_of_source(sent.body)), headers
        return _with_body(response, with_values(sent.body, response.body))

    def _checked(self, sent: Sent, headers: Headers, response: Any) -> Steps[Any]:
        """Return a response, or that of another request to a server without values of vectors."""
        if not (_requests_vectors(sent) and are_missing(response.body)):
            return response
        self._has_vector_values = False
        return (yield from self._of_elasticsearch(sent, headers))


def _spoken(dialect: Dialect, sent: Sent, headers: Headers) -> Steps[Any]:
    """Return the response to a request that is sent in the words of OpenSearch."""
    exchange = dialect.exchange(sent)
    try:
        wanted = next(exchange)
        while True:
            response = yield wanted, _plain(headers, wanted.body)
            wanted = exchange.send(Reply(response.meta.status, response.body))
    except StopIteration as stop:
        return _answered(response.meta, stop.value)


def _compatible(value: Any) -> Any:
    return value.replace(_NEWER, _COMPATIBLE) if isinstance(value, str) else value


def _requests_vectors(sent: Sent) -> bool:
    is_search = sent.target.partition("?")[0].endswith(("/_search", "/_msearch"))
    return is_search and has_vectors(sent.body)


def _with_body(
    response: "elastic_transport.TransportApiResponse", body: Any
) -> "elastic_transport.TransportApiResponse":
    return elastic_transport.TransportApiResponse(response.meta, body)


def _is_busy(meta: "elastic_transport.ApiResponseMeta") -> bool:
    return bool(meta.status == _BUSY or meta.status >= _SERVER_ERROR)


def _is_of_another(meta: "elastic_transport.ApiResponseMeta") -> bool:
    """Check whether a response is none of Elasticsearch, which names itself, but in some errors."""
    is_named = meta.status < _ERROR or meta.status == _NOT_ACCEPTABLE
    return is_named and _PRODUCT not in meta.headers


def _had_effect(dialect: Dialect, sent: Sent, meta: "elastic_transport.ApiResponseMeta") -> bool:
    """Check whether a first request did what it should, so that it must not be sent again.

    OpenSearch takes no body by the media types of Elasticsearch.
    """
    exchange = dialect.exchange(sent)
    is_same = next(exchange) == sent
    exchange.close()
    return is_same and sent.method not in ("GET", "HEAD") and meta.status < _ERROR


def dialect_of(root: Any) -> Dialect | None:
    """Return the dialect for what `GET /` answers; None where that is not OpenSearch."""
    version = root.get("version") if isinstance(root, Mapping) else None
    if not isinstance(version, Mapping) or version.get("distribution") != "opensearch":
        return None
    numbers = re.findall(r"\d+", str(version.get("number")))
    return Dialect(tuple(map(int, numbers[:2])))


def _plain(headers: Headers, body: Any) -> dict[str, Any]:
    """Return headers without the version of the API; one search of several is no longer NDJSON."""
    plain = {
        name: _VENDOR.sub("", value) if isinstance(value, str) else value
        for name, value in headers.items()
    }
    if isinstance(body, Mapping):
        plain["content-type"] = "application/json"
    return plain


def _answered(
    meta: "elastic_transport.ApiResponseMeta", reply: Reply
) -> "elastic_transport.TransportApiResponse":
    headers = elastic_transport.HttpHeaders({**meta.headers, _PRODUCT: _ELASTICSEARCH})
    if _BY_ID in (headers.get("warning") or ""):
        del headers["warning"]
    return elastic_transport.TransportApiResponse(
        replace(meta, status=reply.status, headers=headers), reply.body
    )


class EngineTransport:
    """The transport of a client, which speaks to Elasticsearch or OpenSearch.

    Args:
        inner: Sends the requests.
    """

    def __init__(self, inner: "elastic_transport.Transport") -> None:
        self._inner = inner
        self.engines = _engines.setdefault(inner, Engines())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def perform_request(
        self, method: str, target: str, *, body: Any = None, headers: Headers, **options: Any
    ) -> "elastic_transport.TransportApiResponse":
        """Return the response to a request, sent in the words of the engine that answers."""
        steps = self.engines.steps(Sent(method, target, body), headers)
        try:
            sent, wanted = next(steps)
            while True:
                response = self._inner.perform_request(
                    sent.method, sent.target, body=sent.body, headers=wanted, **options
                )
                sent, wanted = steps.send(response)
        except StopIteration as stop:
            answered: elastic_transport.TransportApiResponse = stop.value
            return answered


class AsyncEngineTransport:
    """The same for a client that does not wait; see `EngineTransport`."""

    def __init__(self, inner: "elastic_transport.AsyncTransport") -> None:
        self._inner = inner
        self.engines = _engines.setdefault(inner, Engines())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def perform_request(
        self, method: str, target: str, *, body: Any = None, headers: Headers, **options: Any
    ) -> "elastic_transport.TransportApiResponse":
        """Return the response to a request, sent in the words of the engine that answers."""
        steps = self.engines.steps(Sent(method, target, body), headers)
        try:
            sent, wanted = next(steps)
            while True:
                response = await self._inner.perform_request(
                    sent.method, sent.target, body=sent.body, headers=wanted, **options
                )
                sent, wanted = steps.send(response)
        except StopIteration as stop:
            answered: elastic_transport.TransportApiResponse = stop.value
            return answered


# What was found out of the engine behind a transport, for all clients that share it.
_engines: WeakKeyDictionary[Any, Engines] = WeakKeyDictionary()


def _of_opensearch(client: Any) -> Any:
    """Return a client that sends its requests with one of opensearch-py."""
    if is_asynchronous(client):
        return elasticsearch.AsyncElasticsearch(
            _transport=AsyncEngineTransport(AsyncOpenSearchTransport(client))  # type: ignore[arg-type]
        )
    return elasticsearch.Elasticsearch(
        _transport=EngineTransport(OpenSearchTransport(client))  # type: ignore[arg-type]
    )


def speaking(client: SomeClient) -> SomeClient:
    """Return a client that speaks to Elasticsearch or OpenSearch; one that does so as it is."""
    speaks: SomeClient
    if is_opensearch_client(client):
        speaks = _of_opensearch(client)
        return speaks
    transport: Any = client.transport
    if isinstance(transport, EngineTransport | AsyncEngineTransport):
        return client
    is_async = isinstance(transport, elastic_transport.AsyncTransport)
    # A copy has the headers of the client, and its transport, in whose place nobody can name one.
    copy: Any = client.options()
    copy._transport = (AsyncEngineTransport if is_async else EngineTransport)(transport)
    speaks = copy
    return speaks
