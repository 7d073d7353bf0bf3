"""The connection of docs/privileges.md: HTTPS with an authority of one's own, and an API key."""

import datetime
import ssl
import threading
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from es_simhash.cli.main import cli
from tests.support.page_blocks import blocks
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster

KEY = "encoded-key-of-the-tests"


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate of this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.timezone.utc)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    own = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public, private = folder / "http_ca.crt", folder / "key.pem"
    public.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(own)
    return public, private


@pytest.fixture
def secured(cluster_url: str, tmp_path: Path) -> Iterator[tuple[Proxy, Path]]:
    """The engine behind HTTPS, and the certificate of its authority."""
    public, private = certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(public, private)
    with Proxy(cluster_url) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server, public
        server.shutdown()
        thread.join()


def test_the_variables_of_the_page_connect(
    secured: tuple[Proxy, Path], tenants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, authority = secured
    (block,) = (one for one in blocks("docs/privileges.md") if one.language == "sh")
    *exports, command = block.commands
    here = {
        "ELASTICSEARCH_URL": f"https://127.0.0.1:{proxy.server_port}",
        "ES_SIMHASH_API_KEY": KEY,
        "ES_SIMHASH_CA_CERTS": str(authority),
    }
    assert {line.split()[1].partition("=")[0] for line in exports} == set(here)
    assert command == "es-simhash related articles --id 17"
    arguments = ["related", tenants, "--id", "a1"]

    def run(**given: str) -> Any:
        for name, value in {**here, **given}.items():
            monkeypatch.setenv(name, value)
        proxy.keys.clear()
        return CliRunner().invoke(cli, arguments)

    done = run()
    assert done.exit_code == 0, done.output
    assert "a2" in done.output
    assert proxy.keys == {f"ApiKey {KEY}"}
    without = run(ES_SIMHASH_CA_CERTS="")
    assert without.exit_code == 1
    assert not proxy.keys
    assert KEY not in without.output
