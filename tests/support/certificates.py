"""Certificates of this machine, and the engine behind HTTPS with them."""

import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.proxy import Proxy


def certificate(folder: Path, name: str = "http_ca") -> tuple[Path, Path]:
    """Write a certificate of this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.timezone.utc)
    signed = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
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
    public, private = folder / f"{name}.crt", folder / f"{name}.pem"
    public.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(own)
    return public, private


def fingerprint(path: Path) -> str:
    """Return the SHA-256 fingerprint of a certificate, as Elasticsearch prints it."""
    read = x509.load_pem_x509_certificate(path.read_bytes())
    return read.fingerprint(hashes.SHA256()).hex(":")


@contextmanager
def behind_https(target: str, folder: Path, client: Path | None = None) -> Iterator[Proxy]:
    """Give a proxy with the certificate `http_ca.crt` of the folder.

    Args:
        target: Address of the engine.
        folder: Where certificate and key are written.
        client: Certificate that a client must show; None for none.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=client)
    context.load_cert_chain(*certificate(folder))
    if client is not None:
        context.verify_mode = ssl.CERT_REQUIRED
    with Proxy(target) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
