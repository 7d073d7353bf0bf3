"""Errors of the client as ours, one sentence each, and the reasons in error responses.

ClusterError
├── RequestRejected         the cluster answers a request with an error
└── PointInTimeExpired      a point in time is gone; open another
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from es_simhash.errors import ClusterError, DocumentMissing, IndexMissing
from es_simhash.store.elasticsearch.client import AnyClient, elastic_transport, elasticsearch
from es_simhash.text.escaping import masked_url

# Type of the error of a shard that is on no node.
NO_SHARD = "no_shard_available_action_exception"
# Type of the error where a privilege is missing.
FORBIDDEN = "security_exception"
# OpenSSL's words where a server answers TLS with plain http.
_PLAIN_HTTP = re.compile(r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|HTTP_REQUEST", re.IGNORECASE)
# And where a server wants a certificate of the client, or does not trust that it shows; one that
# closes the connection in the middle may want one as well.
_WANTS_CERTIFICATE = re.compile(r"CERTIFICATE_REQUIRED|ALERT_UNKNOWN_CA|EOF occurred")
_EXPIRED = "No search context found"
# Where Elasticsearch quotes the document. White space is read from its first character alone, or
# the time would grow as its square.
_QUOTATION = re.compile(r"(\.? Preview of field's value: |(?<!\s)\s+at \[Source: ).*", re.DOTALL)


class RequestRejected(ClusterError):
    """The cluster answers a request with an error.

    Args:
        message: One sentence.
        status: HTTP status of the response.
        kind: Type of the error, as `mapper_parsing_exception`; empty when the response has none.
        parameter: See `EsSimhashError`.
    """

    def __init__(
        self, message: str = "", *, status: int = 0, kind: str = "", parameter: str | None = None
    ) -> None:
        super().__init__(message, parameter=parameter)
        self.status = status
        self.kind = kind


class PointInTimeExpired(ClusterError):
    """A point in time is gone: a node was restarted, or no request used it for too long."""


def address(client: AnyClient) -> str:
    """Return the addresses of the nodes the client sends to, without secrets."""
    return ", ".join(masked_url(node.base_url) for node in client.transport.node_pool.all())


@contextmanager
def translated_errors(client: AnyClient) -> Iterator[None]:
    """Turn the client's errors into ours, one sentence each, with the cause kept.

    Raises:
        IndexMissing: The index does not exist.
        DocumentMissing: The document does not exist.
        PointInTimeExpired: The point in time is gone.
        RequestRejected: The cluster answers with another error.
        ClusterError: The cluster cannot be reached.
    """
    try:
        yield
    except (elasticsearch.ApiError, elastic_transport.TransportError) as error:
        raise translated(error, client) from error


def translated(error: BaseException, client: AnyClient) -> ClusterError:
    """Return our error for one of the client's."""
    if isinstance(error, elastic_transport.TlsError) and _PLAIN_HTTP.search(str(error)):
        return ClusterError(
            f"{address(client)} speaks http, not https. Set url.",
            parameter="url",
        )
    if isinstance(error, elasticsearch.UnsupportedProductError):
        return _other_product(client)
    if isinstance(error, elasticsearch.NotFoundError):
        if not _is_elasticsearch(error):
            return _other_product(client)
        return _missing(error)
    if isinstance(error, elasticsearch.BadRequestError) and not _is_elasticsearch(error):
        return _no_answer(client, "BadRequestError")
    if isinstance(error, elasticsearch.ApiError):
        return _rejected(error, client)
    if isinstance(error, elastic_transport.TlsError) and _has_another_fingerprint(error):
        return ClusterError(
            f"{address(client)} has a certificate with another fingerprint. Set fingerprint.",
            parameter="fingerprint",
        )
    if isinstance(error, elastic_transport.TlsError) and _is_untrusted(error):
        return ClusterError(
            f"{address(client)} has an untrusted certificate. Set ca_certs.",
            parameter="ca_certs",
        )
    if isinstance(error, elastic_transport.ConnectionTimeout):
        # A cluster that is there, and busy; or an address where nothing takes the connection.
        return ClusterError(
            f"{address(client)} does not answer in time; it may be busy, or the address wrong. "
            "Set timeout.",
            parameter="timeout",
        )
    reason = type(error).__name__
    if isinstance(error, elastic_transport.TlsError):
        if _WANTS_CERTIFICATE.search(str(error)):
            return ClusterError(
                f"{address(client)} ends the connection; it may ask for a certificate of the "
                "client that it trusts. Set client_cert.",
                parameter="client_cert",
            )
        reason = str(error.message)
    return _no_answer(client, reason)


def _no_answer(client: AnyClient, reason: str) -> ClusterError:
    # A port for TLS closes the connection on plain http, or answers 400.
    hint = "" if address(client).startswith("https:") else "; it may speak https"
    return ClusterError(
        f"No cluster answers at {address(client)} ({reason}{hint}). Set url.",
        parameter="url",
    )


def _is_elasticsearch(error: "elasticsearch.ApiError") -> bool:
    # The client looks for this header in successful responses only.
    return "x-elastic-product" in error.meta.headers


def _is_untrusted(error: "elastic_transport.TlsError") -> bool:
    return "CERTIFICATE_VERIFY_FAILED" in str(error)


def _has_another_fingerprint(error: "elastic_transport.TlsError") -> bool:
    return "Fingerprints did not match" in str(error)


def _other_product(client: AnyClient) -> ClusterError:
    return ClusterError(
        f"{address(client)} answers, but is not Elasticsearch. Set url.",
        parameter="url",
    )


def _missing(error: "elasticsearch.NotFoundError") -> ClusterError:
    body = error.body if isinstance(error.body, dict) else {}
    details = body.get("error")
    if isinstance(details, dict) and details.get("type") == "index_not_found_exception":
        return missing_index(details.get("index", ""))
    if body.get("found") is False:
        return DocumentMissing.of(body.get("_id"), body.get("_index"))
    reason = reason_of(error.body)
    if _EXPIRED in str(error):
        return _expired(reason)
    return RequestRejected(f"Elasticsearch found nothing: {reason}.", status=404, kind=_kind(error))


def _rejected(error: "elasticsearch.ApiError", client: AnyClient) -> RequestRejected:
    reason, status, kind = reason_of(error.body), error.status_code, _kind(error)
    if status == 401:
        return RequestRejected(
            f"{address(client)} rejects the API key, or the user and password. Set api_key.",
            status=status,
            kind=kind,
            parameter="api_key",
        )
    if status == 403:
        return forbidden(reason, kind)
    if kind == "invalid_index_name_exception":
        # "Invalid index name [a b], must not contain …"
        name, _, rule = reason.partition("], ")
        name = name.partition("[")[2]
        lower = re.sub(r"[\s\"*,/<>?\\|#:]+", "-", name.lower()).strip("-_+.")
        return RequestRejected(
            f"Elasticsearch takes no index of the name {name!r}: it {rule}."
            + (f" Name it {lower!r}." if lower else " Choose another name."),
            status=status,
            kind=kind,
        )
    return RequestRejected(
        f"Elasticsearch rejects the request ({status}): {reason}.", status=status, kind=kind
    )


def forbidden(reason: str, kind: str = FORBIDDEN) -> RequestRejected:
    """Return the error for what a privilege is missing for, or a block forbids."""
    return RequestRejected(
        f"Elasticsearch forbids it: {reason}. Grant the privilege or unblock the index.",
        status=403,
        kind=kind,
    )


def _kind(error: "elasticsearch.ApiError") -> str:
    details = error.body.get("error") if isinstance(error.body, dict) else None
    return str(details.get("type", "")) if isinstance(details, dict) else ""


def _expired(reason: str) -> PointInTimeExpired:
    return PointInTimeExpired(f"The point in time expired ({reason}). Run it again.")


def missing_index(index: str) -> IndexMissing:
    """Return the error that an index is missing."""
    return IndexMissing(
        f"Index {index!r} does not exist. Name another, or create it with `es-simhash install "
        f"{index}`.",
        index=index,
    )


def reason_of(body: Any) -> str:
    """Return the innermost reason of an error response, without a final full stop."""
    details = body.get("error", body) if isinstance(body, dict) else body
    while isinstance(details, dict):
        roots = details.get("root_cause")
        details = details.get("caused_by") or (roots[0] if roots else None) or details.get("reason")
        if details is None:
            return "no reason given"
    return str(details).rstrip(".")


def rejection_reason(error: Mapping[str, Any]) -> str:
    """Return why a bulk action was rejected, without the text of the document it may quote."""
    reason = _QUOTATION.sub("", str(error.get("reason") or error.get("type"))).rstrip(". ")
    cause = error.get("caused_by", {}).get("type")
    return f"{reason} ({cause})." if cause else f"{reason}."


def search_error(error: Mapping[str, Any], index: str | None = None) -> ClusterError:
    """Return what to raise for a search of a multi-search that failed."""
    if error.get("type") == "index_not_found_exception":
        return missing_index(index or str(error.get("index")))
    reason = reason_of(error)
    if _EXPIRED in reason:
        return _expired(reason)
    if shards := shards_missed(reason):
        return missing_shards(shards)
    if error.get("type") == FORBIDDEN:
        return forbidden(reason)
    indices = sorted({str(shard.get("index")) for shard in error.get("failed_shards", ())})
    subject = (
        f"Index {', '.join(map(repr, indices))} rejects" if indices else "Elasticsearch rejects"
    )
    return ClusterError(f"{subject} the search: {reason}.")


def shards_missed(reason: str) -> str:
    """Return the shards that an error names as missing, as `[a][0], [a][1]`, or an empty text."""
    _, _, rest = reason.partition("missing shards [")
    shards, is_named, _ = rest.partition("]]. ")
    return f"{shards}]" if is_named else ""


def missing_shards(shards: str) -> ClusterError:
    """Return the error for shards that are on no node."""
    return ClusterError(
        f"Shards {shards} do not answer, so the results would be incomplete. Search again "
        "when `GET _cluster/health` is no longer red."
    )
