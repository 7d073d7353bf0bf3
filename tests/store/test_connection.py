"""A connection as a value: what goes together, and what is never shown."""

from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.store.connection import Connection

SECRET = "hunter2-of-the-tests"


def test_no_secret_is_shown() -> None:
    connection = Connection(
        f"http://u:{SECRET}@a:9200,http://u:{SECRET}/,@b:9200",
        api_key=SECRET,
        bearer_token=SECRET,
        user="u",
        password=SECRET,
    )
    assert SECRET not in repr(connection) + str(connection.shown()) + connection.typed()
    assert connection.shown()["url"] == "http://***@a:9200,http://***@b:9200"
    assert connection.shown()["password"] == "***"


@pytest.mark.parametrize(
    ("url", "urls"),
    [
        (None, ("http://localhost:9200",)),
        ("http://a:1", ("http://a:1",)),
        ("http://a:1,https://b:2", ("http://a:1", "https://b:2")),
        (" http://a:1 , http://b:2 http://c:3", ("http://a:1", "http://b:2", "http://c:3")),
        ("http://u:p,w d@a:1,http://b:2", ("http://u:p,w d@a:1", "http://b:2")),
    ],
)
def test_several_addresses_have_commas_between(url: str | None, urls: tuple[str, ...]) -> None:
    assert Connection(url).urls == urls


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"url": f"http://u:{SECRET}@a:1", "cloud_id": "a:b"}, "url 'http://***@a:1' and cloud_id"),
        ({"password": SECRET}, "A password is given without its user. Set user."),
        ({"client_key": "k.pem"}, "client_key 'k.pem' is given without its certificate."),
        ({"fingerprint": "ab:cd"}, "fingerprint must be the 64 hexadecimal digits"),
        ({"fingerprint": "ab" * 32}, "fingerprint needs https, got url 'http://localhost:9200'."),
        ({"url": "http://a:1", "client_cert": "c"}, "client_cert needs https, got url"),
        ({"timeout": 0}, "timeout must be more than 0 seconds, got 0."),
    ],
)
def test_values_that_do_not_go_together_end_in_a_sentence(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as raised:
        Connection(**given).require_valid()
    assert sentence in str(raised.value)
    assert SECRET not in str(raised.value)


def test_a_service_waits_no_longer_than_its_limit() -> None:
    assert Connection().within(10).timeout == 10
    assert Connection(timeout=5).within(10).timeout == 5
    assert Connection(timeout=90).within(10).timeout == 10


@pytest.mark.parametrize(
    ("connection", "typed"),
    [
        (Connection(), ""),
        (Connection(f"http://u:{SECRET}@a:1"), " --url http://***@a:1"),
        (Connection(cloud_id="a:b"), " --cloud-id a:b"),
        (Connection("http://a:1", profile="dev"), " --profile dev"),
    ],
)
def test_a_connection_is_named_to_another_command(connection: Connection, typed: str) -> None:
    assert connection.typed() == typed
