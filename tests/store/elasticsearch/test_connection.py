"""Connections as elasticsearch-py has them, tried on the engine."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import ClusterError, EsSimhashError, InputError
from es_simhash.store.connection import Connection
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from tests.support.certificates import behind_https, certificate, fingerprint
from tests.support.proxy import Proxy

ALICE = "u", "hunter2-of-the-tests"


def answers(connection: Connection, retry: RetryPolicy | None = None) -> bool:
    with Gateway(connect(connection), retry) as gateway:
        return "number_of_nodes" in gateway.request("GET", "/_cluster/health")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def own(folder: Path) -> tuple[Path, Path]:
    return certificate(folder, "client")


@pytest.fixture(scope="module")
def secured(cluster_url: str, folder: Path, own: tuple[Path, Path]) -> Iterator[Proxy]:
    """The engine behind HTTPS, for clients with a certificate."""
    with behind_https(cluster_url, folder, own[0]) as proxy:
        yield proxy


@pytest.fixture
def complete(secured: Proxy, folder: Path, own: tuple[Path, Path]) -> dict[str, Any]:
    cert, key = map(str, own)
    url = f"https://127.0.0.1:{secured.server_port}"
    return {"url": url, "ca_certs": str(folder / "http_ca.crt"), "client_cert": cert,
            "client_key": key}  # fmt: skip


@pytest.mark.cluster
def test_an_authority_of_its_own_and_a_certificate_of_the_client(complete: dict[str, Any]) -> None:
    assert answers(Connection(**complete))


@pytest.mark.cluster
@pytest.mark.parametrize("shape", [str, str.upper, lambda value: value.replace(":", "")])
def test_a_fingerprint_stands_for_the_authority(
    complete: dict[str, Any], folder: Path, shape: Any
) -> None:
    known = shape(fingerprint(folder / "http_ca.crt"))
    assert answers(Connection(**{**complete, "ca_certs": None, "fingerprint": known}))


@pytest.mark.cluster
def test_a_certificate_that_is_missing_or_another_ends_in_a_sentence(
    complete: dict[str, Any], folder: Path, own: tuple[Path, Path]
) -> None:
    url, other = complete["url"], fingerprint(own[0])
    with pytest.raises(ClusterError) as raised:
        answers(Connection(**{**complete, "ca_certs": None, "fingerprint": other}))
    assert str(raised.value) == (
        f"{url} has a certificate with another fingerprint. Set fingerprint."
    )
    with pytest.raises(ClusterError) as raised:
        answers(Connection(**{**complete, "ca_certs": None}))
    assert str(raised.value) == f"{url} has an untrusted certificate. Set ca_certs."
    # The server may close the connection before it says why.
    with pytest.raises(ClusterError, match=url):
        answers(Connection(**{**complete, "client_cert": None, "client_key": None}))


@pytest.mark.cluster
@pytest.mark.parametrize("retry", [None, RetryPolicy(max_elapsed=0.0)], ids=["once", "retried"])
def test_one_of_several_hosts_is_dead(cluster_url: str, retry: RetryPolicy | None) -> None:
    with socket.socket() as bound:
        # Nothing listens there, and nobody else gets the port meanwhile.
        bound.bind(("127.0.0.1", 0))
        several = Connection(f"http://127.0.0.1:{bound.getsockname()[1]}, {cluster_url}")
        with Gateway(connect(several), retry) as gateway:
            for _ in range(4):
                assert gateway.request("GET", "/_cluster/health")


@pytest.mark.cluster
def test_requests_are_compressed(proxy: Proxy, cluster_url: str) -> None:
    bodies: list[bytes] = []
    proxy.hook = lambda path, body: bodies.append(body)
    for compress in (True, False):
        with Gateway(connect(Connection(proxy.url, compress=compress))) as gateway:
            gateway.request("POST", "/_msearch", [{}, {"size": 0}])
    assert [body[:2] == b"\x1f\x8b" for body in bodies] == [True, False]
    assert answers(Connection(cluster_url, compress=True))


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"api_key": "encoded"}, "ApiKey encoded"),
        ({"bearer_token": "token"}, "Bearer token"),
        ({"user": "u", "password": "p"}, "Basic dTpw"),
        ({"user": "u", "password": "p", "bearer_token": "token"}, "Bearer token"),
    ],
)
def test_credentials_are_sent(proxy: Proxy, given: dict[str, str], sent: str) -> None:
    assert answers(Connection(proxy.url, **given))
    assert proxy.keys == {sent}


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://my.cloud.es.io", "https://my.cloud.es.io:443"),
        ("http://my.host", "http://my.host:80"),
        ("https://u:p@my.host/prefix", "https://my.host:443/prefix"),
        ("http://[::1]:9200", "http://[::1]:9200"),
    ],
)
def test_the_port_of_the_scheme_is_used_where_none_is_named(url: str, base: str) -> None:
    client = connect(url)
    (node,) = client.transport.node_pool.all()
    assert node.base_url == base
    client.close()


def test_a_cloud_id_names_the_address() -> None:
    # `us-east-1.aws.found.io$abc$def`, as Elastic Cloud writes it.
    client = connect(Connection(cloud_id="my:dXMtZWFzdC0xLmF3cy5mb3VuZC5pbyRhYmMkZGVm"))
    (node,) = client.transport.node_pool.all()
    assert node.base_url == "https://abc.us-east-1.aws.found.io:443"
    client.close()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"cloud_id": "my:cluster"}, "cloud_id 'my:cluster' is invalid. Copy it from the page"),
        ({"ca_certs": "/no/such"}, "File '/no/such' cannot be used: No such file or directory."),
        ({"ca_certs": __file__}, "cannot be used: is no certificate in PEM. Set ca_certs."),
        ({"client_cert": __file__}, "cannot be used: has no certificate in PEM with its key."),
        ({"url": "localhost"}, "Cluster URL needs a scheme, http or https, and a host"),
        ({"url": "https://a:1,ftp://b:1"}, "got 'ftp://b:1'"),
    ],
)
def test_what_cannot_be_a_connection_ends_in_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    url = {} if "cloud_id" in given else {"url": "https://127.0.0.1:1"}
    with pytest.raises(EsSimhashError) as raised:
        connect(Connection(**{**url, **given}))
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_request_is_sent_with_both_a_url_and_a_cloud_id() -> None:
    with pytest.raises(InputError, match="are both given; leave out one"):
        connect(Connection("http://localhost:9200", cloud_id="a:b"))
