"""The connection to Elasticsearch: a client for servers 8 and 9."""

from typing import Any
from urllib.parse import urlsplit

from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.client import importing
from es_simhash.text.escaping import masked_url

with importing():
    import elastic_transport
    import elasticsearch

_COMPATIBLE = "compatible-with=8"


class _CompatibleTransport(elastic_transport.Transport):
    """Sends the REST API of version 8, which servers 8 and 9 both speak.

    A client of version 9 sends 9, which servers 8 reject.
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

    Args:
        url: Scheme, host and port of the cluster.
        api_key: Encoded API key.
        user: User of basic authentication; ignored with an API key.
        password: Password of that user.
        ca_certs: File with the certificate of the authority that signed the cluster's.
        timeout: Seconds until a request fails.

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
    _require_complete(url)
    try:
        return elasticsearch.Elasticsearch(url, **options)
    except (ValueError, OSError) as error:
        raise ClusterError(f"Cannot connect to {masked_url(url)}: {error}.") from error


def _require_complete(url: str) -> None:
    """Check that a URL has scheme, host and port.

    The client does so as well, but its errors quote the URL with the password in it.
    """
    try:
        parts = urlsplit(url)
        complete = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        complete = False
    if not complete:
        raise ClusterError(
            f"Cluster URL needs scheme, host and port, such as http://localhost:9200, got "
            f"{masked_url(url)!r}. Set url.",
            parameter="url",
        )
