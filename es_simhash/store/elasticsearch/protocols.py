"""Whether a port speaks the other of http and https than its URL says."""

import socket
import ssl
from collections.abc import Callable

import elastic_transport
import elasticsearch

from es_simhash.text.escaping import masked_url

# Seconds to wait for a port that has just failed to answer a request.
_TIMEOUT = 3
# First bytes of what a TLS server answers to a greeting, even if it refuses: alert or handshake.
_TLS_ANSWERS = (b"\x15\x03", b"\x16\x03")


def other_protocol_url(client: elasticsearch.Elasticsearch) -> str | None:
    """Return the URL of a node that speaks https where its URL says http, or the reverse.

    One short message without credentials is sent to the node.

    Returns:
        The URL with the right scheme and without secrets; None when no node speaks the other.
    """
    for node in client.transport.node_pool.all():
        other, greeting, answers = _OTHERS[node.config.scheme]
        if _answer_begins(node.config, greeting(node.config.host), answers):
            return masked_url(node.base_url.replace(f"{node.config.scheme}://", f"{other}://", 1))
    return None


def _answer_begins(
    node: elastic_transport.NodeConfig, greeting: bytes, answers: tuple[bytes, ...]
) -> bool:
    received = b""
    try:
        with socket.create_connection((node.host, node.port), _TIMEOUT) as connection:
            connection.sendall(greeting)
            while len(received) < len(answers[0]) and (more := connection.recv(16)):
                received += more
    except OSError:
        return False
    return received.startswith(answers)


def _http_greeting(host: str) -> bytes:
    return f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()


def _tls_greeting(host: str) -> bytes:
    """Return what a TLS client says first."""
    outgoing = ssl.MemoryBIO()
    context = ssl.create_default_context()
    tls = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=host)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("a handshake needs an answer")


# By the scheme of the URL: the other one, how to greet a server that speaks it, what it answers.
_OTHERS: dict[str, tuple[str, Callable[[str], bytes], tuple[bytes, ...]]] = {
    "http": ("https", _tls_greeting, _TLS_ANSWERS),
    "https": ("http", _http_greeting, (b"HTTP/",)),
}
