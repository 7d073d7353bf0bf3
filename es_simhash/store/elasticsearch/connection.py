"""The connection to a cluster: a client for Elasticsearch 8 and 9, and for OpenSearch."""

import ssl
from typing import Any

from es_simhash.errors import ClusterError, InputError
from es_simhash.store.connection import Connection
from es_simhash.store.elasticsearch.client import importing
from es_simhash.store.elasticsearch.response_json import serializers
from es_simhash.store.opensearch.transport import speaking
from es_simhash.store.profiles import complete
from es_simhash.text.escaping import masked_url

with importing():
    import elastic_transport
    import elasticsearch
    from elastic_transport.client_utils import url_to_node_config


def connect(
    url: str | Connection,
    *,
    api_key: str | None = None,
    user: str | None = None,
    password: str | None = None,
    ca_certs: str | None = None,
    timeout: float = 60,
) -> elasticsearch.Elasticsearch:
    """Return a client; nothing is sent yet.

    Args:
        url: URL of the cluster, or of several nodes with commas between; or the whole connection,
            in place of the other arguments.
        api_key: Encoded API key.
        user: User of basic authentication; ignored with an API key.
        password: Password of that user.
        ca_certs: File with the certificate of the authority that signed the cluster's.
        timeout: Seconds until a request fails.

    Raises:
        ClusterError: The URL cannot be one of a cluster.
        InputError: Values of the connection do not go together, or a file cannot be read.
    """
    connection = (
        complete(url)
        if isinstance(url, Connection)
        else Connection(
            url=url,
            api_key=api_key,
            user=user,
            password=password,
            ca_certs=ca_certs,
            timeout=timeout,
        )
    )
    options: dict[str, Any] = {
        "request_timeout": connection.timeout,
        "serializers": serializers(),
        **_identity(connection),
        **_tls(connection),
    }
    if connection.compress:
        options["http_compress"] = True
    if connection.cloud_id is None:
        options["hosts"] = [_node(address) for address in connection.urls]
    else:
        options["cloud_id"] = connection.cloud_id
    try:
        return speaking(elasticsearch.Elasticsearch(**options))
    except (ValueError, OSError) as error:
        if connection.cloud_id is not None:
            raise ClusterError(
                f"cloud_id {connection.cloud_id!r} is invalid. Copy it from the page of the "
                "deployment.",
                parameter="cloud_id",
            ) from error
        shown = ", ".join(map(masked_url, connection.urls))
        raise ClusterError(f"Cannot connect to {shown}: {error}.") from error


def _identity(connection: Connection) -> dict[str, Any]:
    """Return the option of the client that says who it is."""
    if connection.api_key:
        return {"api_key": connection.api_key}
    if connection.bearer_token:
        return {"bearer_auth": connection.bearer_token}
    if connection.user:
        return {"basic_auth": (connection.user, connection.password or "")}
    return {}


def _tls(connection: Connection) -> dict[str, Any]:
    """Return the options of the client about certificates.

    Raises:
        InputError: A file is no certificate or key, or cannot be read.
    """
    _require_authority(connection.ca_certs)
    own = _own_certificate(connection)
    if connection.fingerprint is not None:
        # The client checks it in place of the authority, and then leaves out a certificate of ours.
        context = {} if own is None else {"ssl_context": own}
        return {"ssl_assert_fingerprint": connection.fingerprint, **context}
    options = {
        "ca_certs": connection.ca_certs,
        "client_cert": connection.client_cert,
        "client_key": connection.client_key,
    }
    return {name: value for name, value in options.items() if value is not None}


def _require_authority(path: str | None) -> None:
    if path is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError as error:
        raise _unreadable("ca_certs", path, error) from error


def _own_certificate(connection: Connection) -> ssl.SSLContext | None:
    """Return a context with the certificate of the client; None without one."""
    if connection.client_cert is None:
        return None
    context = ssl.create_default_context()
    try:
        context.load_cert_chain(connection.client_cert, connection.client_key)
    except OSError as error:
        raise _unreadable("client_cert", connection.client_cert, error) from error
    return context


def _unreadable(parameter: str, path: str, error: OSError) -> InputError:
    """Return the error of a file of certificates."""
    # An error of TLS has a code of OpenSSL in place of a reason that a reader knows.
    reason = "is no certificate in PEM" if isinstance(error, ssl.SSLError) else error.strerror
    if isinstance(error, ssl.SSLError) and parameter == "client_cert":
        reason = "has no certificate in PEM with its key"
    return InputError(
        f"File {path!r} cannot be used: {reason}. Set {parameter}.", parameter=parameter
    )


def _node(url: str) -> elastic_transport.NodeConfig:
    """Return the node of a URL, read by the client's own parser.

    Raises:
        ClusterError: It needs scheme and host.
    """
    try:
        node = url_to_node_config(url, use_default_ports_for_scheme=True)
        if node.scheme in ("http", "https"):
            return node
    except ValueError:
        # Its message quotes the URL, with a password in it.
        pass
    raise ClusterError(
        f"Cluster URL needs a scheme, http or https, and a host, such as http://localhost:9200, "
        f"got {masked_url(url)!r}. Set url.",
        parameter="url",
    )
