"""The connection to Elasticsearch, and its errors in one sentence each."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import elastic_transport
import elasticsearch

from es_simhash.errors import ClusterError, DocumentMissing, IndexMissing

_COMPATIBLE = "compatible-with=8"
_SCHEME = re.compile("[a-z]+://")
_MISSING_SHARDS = re.compile(r"missing shards \[(.+?\])\]\. ")


class _CompatibleTransport(elastic_transport.Transport):
    """Asks for the REST API of version 8, which servers 8 and 9 both speak.

    A client of version 9 asks for 9 and is refused by servers 8.
    """

    def perform_request(self, *args: Any, **kwargs: Any) -> Any:
        """Send the request with the older version in its media types."""
        headers = kwargs.get("headers")
        if headers:
            kwargs["headers"] = {
                name: value.replace("compatible-with=9", _COMPATIBLE)
                if isinstance(value, str)
                else value
                for name, value in headers.items()
            }
        return super().perform_request(*args, **kwargs)


def connect(
    url: str,
    *,
    api_key: str | None = None,
    user: str | None = None,
    password: str | None = None,
    ca_certs: str | None = None,
    timeout: float = 60,
) -> elasticsearch.Elasticsearch:
    """Return a client; nothing is sent yet.

    Raises:
        ClusterError: The URL cannot be one of a cluster.
    """
    options: dict[str, Any] = {"request_timeout": timeout, "transport_class": _CompatibleTransport}
    if api_key:
        options["api_key"] = api_key
    elif user:
        options["basic_auth"] = (user, password or "")
    if ca_certs:
        options["ca_certs"] = ca_certs
    _require_address(url)
    try:
        return elasticsearch.Elasticsearch(url, **options)
    except (ValueError, OSError) as error:
        raise ClusterError(
            f"No client can be made for {_without_password(url)}: {error}."
        ) from error


def _require_address(url: str) -> None:
    """Refuse what is no URL with scheme, host and port.

    The client does so as well, but its errors quote the URL with the password in it.
    """
    try:
        parts = urlsplit(url)
        complete = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        complete = False
    if not complete:
        raise ClusterError(
            f"{_without_password(url)!r} is no address of a cluster; "
            "give scheme, host and port, like http://localhost:9200."
        )


def _without_password(url: str) -> str:
    """Leave out all that stands before the last @, for a password may hold any character."""
    scheme = _SCHEME.match(url)
    start = scheme.group() if scheme else ""
    return start + url[len(start) :].rpartition("@")[2]


def address(client: elasticsearch.Elasticsearch) -> str:
    """Return the addresses the client talks to, without any password."""
    return ", ".join(_without_password(node.base_url) for node in client.transport.node_pool.all())


@contextmanager
def plain_errors(client: elasticsearch.Elasticsearch) -> Iterator[None]:
    """Turn the client's errors into ours, one sentence each, with the cause kept.

    Raises:
        IndexMissing: The index does not exist.
        DocumentMissing: The document does not exist.
        ClusterError: Anything else the cluster or the way to it refuses.
    """
    try:
        yield
    except elasticsearch.UnsupportedProductError as error:
        raise _no_elasticsearch(client) from error
    except elasticsearch.NotFoundError as error:
        # The client looks for this header in answers of success only.
        if "x-elastic-product" not in error.meta.headers:
            raise _no_elasticsearch(client) from error
        raise _missing(error) from error
    except elasticsearch.ApiError as error:
        raise ClusterError(_refusal(error, client)) from error
    except elastic_transport.TlsError as error:
        raise ClusterError(
            f"{address(client)} has a certificate that is not trusted; "
            "name the authority's file with --ca-certs."
        ) from error
    except elastic_transport.TransportError as error:
        raise ClusterError(
            f"No cluster answers at {address(client)} ({type(error).__name__}); start one, "
            "or name another with --url or ELASTICSEARCH_URL."
        ) from error


def _no_elasticsearch(client: elasticsearch.Elasticsearch) -> ClusterError:
    return ClusterError(
        f"{address(client)} answers, but is not Elasticsearch; give the URL of a cluster."
    )


def _missing(error: elasticsearch.NotFoundError) -> ClusterError:
    body = error.body if isinstance(error.body, dict) else {}
    details = body.get("error")
    if isinstance(details, dict) and details.get("type") == "index_not_found_exception":
        index = details.get("index", "the index")
        return IndexMissing(missing_index(index))
    if body.get("found") is False:
        return DocumentMissing(
            f"Document {body.get('_id')!r} is not in index {body.get('_index')!r}; check the id."
        )
    return ClusterError(f"Elasticsearch answers that nothing is there: {reason_of(error.body)}.")


def missing_index(index: str) -> str:
    """Return the sentence that says an index is missing."""
    return f"Index {index!r} does not exist; `es-simhash install {index}` creates it."


def _refusal(error: elasticsearch.ApiError, client: elasticsearch.Elasticsearch) -> str:
    reason = reason_of(error.body)
    if error.status_code == 401:
        return f"{address(client)} refuses the credentials; check --api-key or --user."
    if error.status_code == 403:
        return (
            f"Elasticsearch forbids it: {reason}; ask for the missing privilege or free the index."
        )
    return f"Elasticsearch refuses the request ({error.status_code}): {reason}."


def reason_of(body: Any) -> str:
    """Return the innermost reason of an error answer, without a final full stop."""
    details = body.get("error", body) if isinstance(body, dict) else body
    while isinstance(details, dict):
        roots = details.get("root_cause")
        details = details.get("caused_by") or (roots[0] if roots else None) or details.get("reason")
        if details is None:
            return "no reason given"
    return str(details).rstrip(".")


def refused_search(error: Mapping[str, Any]) -> ClusterError:
    """Return what to raise for a search that was answered with an error."""
    reason = reason_of(error)
    if missing := _MISSING_SHARDS.search(reason):
        return ClusterError(
            f"Shards {missing[1]} do not answer, and what they have would be missed; ask again "
            "when `GET _cluster/health` is no longer red."
        )
    indices = sorted({str(each.get("index")) for each in error.get("failed_shards", ())})
    who = f"Index {', '.join(map(repr, indices))} refuses the search" if indices else ""
    return ClusterError(f"{who or 'The search is refused'}: {reason}.")


def refresh_if_allowed(client: elasticsearch.Elasticsearch, index: str) -> None:
    """Make all that was written so far visible, unless the cluster or the privileges forbid it."""
    with suppress(elasticsearch.ApiError, elastic_transport.TransportError):
        client.indices.refresh(index=index)


def ensure_index(
    client: elasticsearch.Elasticsearch,
    name: str,
    *,
    mappings: dict[str, Any],
    settings: dict[str, Any] | None = None,
) -> None:
    """Create an index of ours when there is none.

    Raises:
        ClusterError: It may not be created.
    """
    with plain_errors(client):
        if client.indices.exists(index=name):
            return
        try:
            client.indices.create(index=name, mappings=mappings, settings=settings)
        except elasticsearch.BadRequestError as error:
            # Another run was quicker.
            if error.error != "resource_already_exists_exception":
                raise
