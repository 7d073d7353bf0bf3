"""Errors of TLS and of time as sentences that name what to set."""

import elastic_transport
import pytest

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.errors import translated


@pytest.mark.parametrize(
    ("reason", "parameter"),
    [
        ("SSLError([SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert)", "client_cert"),
        ("SSLError([SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca)", "client_cert"),
        ("SSLError(EOF occurred in violation of protocol)", "client_cert"),
        ("SSLError([SSL: CERTIFICATE_VERIFY_FAILED] self-signed)", "ca_certs"),
        ('SSLError(Fingerprints did not match. Expected "ab", got "cd".)', "fingerprint"),
        ("SSLError([SSL: WRONG_VERSION_NUMBER] wrong version number)", "url"),
        ("SSLError([SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] handshake failure)", "url"),
    ],
)
def test_an_error_of_tls_names_what_to_set(reason: str, parameter: str) -> None:
    client = connect("https://127.0.0.1:1")
    error = translated(elastic_transport.TlsError(reason, errors=(OSError(reason),)), client)
    assert error.parameter == parameter
    assert str(error).startswith("https://127.0.0.1:1 ") or parameter == "url"
    assert str(error).endswith(f" Set {parameter}.")
    client.close()


def test_a_cluster_that_is_too_slow_is_not_called_away() -> None:
    client = connect("http://127.0.0.1:1")
    error = translated(elastic_transport.ConnectionTimeout("Connection timed out"), client)
    assert error.parameter == "timeout"
    assert str(error).startswith("http://127.0.0.1:1 does not answer in time")
    client.close()
