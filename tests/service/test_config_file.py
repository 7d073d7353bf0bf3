"""The configuration file: what it may say, and one sentence for what it may not."""

from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import EsSimhashError, InputError, MappingConflict
from es_simhash.service.config_file import read_configuration
from es_simhash.service.service_config import (
    ApiKey,
    ServiceConfig,
    ServiceLimits,
    TokenRules,
    key_digest,
)

SECRET = "s" * 32
WHOLE = f"""
fields = ["title", "note.inner"]
evidence = false
filter = {{ term = {{ status = "published" }} }}
trusted_proxies = ["10.0.0.1"]

[[keys]]
name = "site"
sha256 = "{"a" * 64}"
filter = {{ term = {{ tenant = "a" }} }}

[[keys]]
name = "other"
variable = "OTHER_KEY"

[tokens]
secret_variable = "TOKEN_SECRET"
issuer = "me"
audience = "you"
[tokens.claims]
tenant = "tenant"

[cors]
origins = ["https://www.example.org"]

[limits]
size = 20
from = 100
body_bytes = 5000
seconds = 2.5
requests_per_minute = 0
threads = 4
waiting = 10

[cache]
seconds = 5
megabytes = 8
"""


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TOKEN_SECRET", SECRET)
    monkeypatch.setenv("OTHER_KEY", "another key of some length")
    monkeypatch.setenv("SHORT", "short")
    monkeypatch.delenv("NOT_SET", raising=False)

    def call(content: str) -> ServiceConfig:
        file = tmp_path / "service.toml"
        file.write_text(content, "utf-8")
        (tmp_path / "key").write_text("another key of some length\n", "utf-8")
        (tmp_path / "secret").write_text(f"{SECRET}\n", "utf-8")
        (tmp_path / "brief").write_text("short\n", "utf-8")
        (tmp_path / "binary").write_bytes(b"\xff" * 40)
        return read_configuration(file)

    return call


def test_a_whole_file(read: Any) -> None:
    assert read(WHOLE) == ServiceConfig(
        fields=("title", "note.inner"),
        evidence=False,
        filter={"term": {"status": "published"}},
        keys=(
            ApiKey("site", "a" * 64, {"term": {"tenant": "a"}}),
            ApiKey("other", key_digest("another key of some length")),
        ),
        tokens=TokenRules("HS256", SECRET, "me", "you", {"tenant": "tenant"}),
        origins=("https://www.example.org",),
        trusted_proxies=("10.0.0.1",),
        limits=ServiceLimits(20, 100, 5_000, 2.5, 0, 4, 10),
        cache_seconds=5.0,
        cache_megabytes=8,
    )


def test_keys_and_secrets_of_files(read: Any) -> None:
    in_files = """
secret_file = "secret"
[[keys]]
name = "other"
file = "key"
[tokens]
secret_file = "secret"
"""
    config = read(in_files)
    assert config.secret == SECRET.encode()
    assert config.keys == (ApiKey("other", key_digest("another key of some length")),)
    assert config.tokens == TokenRules("HS256", SECRET)
    assert SECRET not in repr(config)


def test_an_empty_file_is_the_default(read: Any) -> None:
    assert read("") == ServiceConfig()


def test_secrets_are_in_no_repr(read: Any) -> None:
    assert SECRET not in repr(read(WHOLE))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "colour = 1",
            "colour is unknown; use one of allowed_hosts, cache, cors, evidence, explorer,",
        ),
        ("[limits]\nsizes = 1", "limits.sizes is unknown; use one of"),
        ("[limits]\nsizes = 1", "threads, waiting, waiting_seconds (nearest: size)."),
        ("[cache]\nseconds = -1", "cache.seconds must be seconds from 0 to 86400, got -1."),
        ("trusted_proxies = ['']", "trusted_proxies must be a list of strings, got ['']."),
        ("trusted_proxies = ['*']", "trusted_proxies must be addresses as 10.0.0.1 or 10.0.0.0/8"),
        ("trusted_proxies = ['0.0.0.0/0']", "anybody else could name any caller's address"),
        ("trusted_proxies = ['::/0']", "got '::/0'"),
        ("allowed_hosts = ['https://x.example']", "allowed_hosts must be host names without port"),
        ("allowed_hosts = ['x.example:8000']", "got 'x.example:8000'"),
        ("[cors]\norigin = 1", "cors.origin is unknown; use one of origins"),
        ("[[keys]]\nname = 'a'\nsha256 = 'x'\nkey = 'y'", "keys[0].key is unknown"),
        ("[tokens]\nsecret = 'x'", "tokens.secret is unknown"),
        ("fields = 'title'", "fields must be a list of strings, got 'title'."),
        ("fields = ['*']", "fields must be names, not patterns, got '*'."),
        ("evidence = 'no'", "evidence must be true or false, got 'no'."),
        ("filter = 'tenant:a'", "filter must be one Elasticsearch query"),
        ("filter = {}", "filter must be one Elasticsearch query"),
        ("[limits]\nsize = 0", "limits.size must be a whole number from 1 to 1000, got 0."),
        ("[limits]\nsize = true", "limits.size must be a whole number"),
        ("[limits]\nseconds = 0", "limits.seconds must be seconds above 0 to 600, got 0."),
        ("[limits]\nseconds = nan", "limits.seconds must be seconds above 0 to 600, got nan."),
        ("limits = 3", "limits must be a table [limits], got 3."),
        ("keys = 3", "keys must be tables [[keys]], got 3."),
        ("[cors]\norigins = ['*']", "cors.origins must be like https://www.example.org, got '*'."),
        ("[[keys]]\nsha256 = 'x'", "keys[0].name is required."),
        ("[[keys]]\nname = 'a'", "keys[0].sha256 or variable or file is required, one of them."),
        (
            "[[keys]]\nname = 'a'\nvariable = 'OTHER_KEY'\nfile = 'key'",
            "keys[0].sha256 or variable or file is required, one of them.",
        ),
        ("[[keys]]\nname = 'a'\nfile = 'none'", "/none, which cannot be read: No such file"),
        ("[[keys]]\nname = 'a'\nfile = 'brief'", "keys[0].file brief has a key of fewer than 16"),
        ("[[keys]]\nname = 'a'\nfile = 'binary'", "/binary, which cannot be read: is not UTF-8."),
        ("secret_file = 'brief'", "secret_file brief must be a secret of at least 32 bytes, got 5"),
        (
            "secret_file = 'secret'\nsecret_variable = 'TOKEN_SECRET'",
            "secret_variable and secret_file are both there; leave out one.",
        ),
        ("[[keys]]\nname = 'a'\nsha256 = 'x'", "must be 64 hexadecimal digits"),
        ("[[keys]]\nname = 'a'\nvariable = 'NOT_SET'", "names NOT_SET, which is not in the"),
        ("[[keys]]\nname = 'a'\nvariable = 'SHORT'", "SHORT has a key of fewer than 16"),
        (
            "[[keys]]\nname = 'a'\nvariable = 'OTHER_KEY'\n" * 2,
            "keys has the name 'a' twice.",
        ),
        ("[tokens]\nalgorithm = 'none'", "tokens.algorithm must be HS256 or RS256, got 'none'."),
        ("[tokens]", "tokens.secret_variable or secret_file is required for HS256."),
        ("[tokens]\nsecret_variable = 'SHORT'", "must be a secret of at least 32 bytes, got 5."),
        ("[tokens]\nalgorithm = 'RS256'", "tokens.public_key_file is required for RS256."),
        ("[tokens]\nalgorithm = 'RS256'\npublic_key_file = 'none.pem'", "no public key in PEM."),
        ("fields = [", "is not TOML:"),
    ],
)
def test_what_a_file_may_not_say(read: Any, content: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(content)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert SECRET not in message
    assert "short" not in message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        read_configuration(tmp_path / "none.toml")


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"fields": ("titel",)}, "has a field 'titel'; the nearest field of the mapping is"),
        ({"fields": ("simhash",)}, "fields must be those of your documents, got 'simhash'."),
        ({"fields": ("simhash.family",)}, "got 'simhash.family'."),
        ({"filter": {"trem": {"a": 1}}}, "Elasticsearch rejects filter: "),
        ({"filter": {"range": {"date": {"gt": "soon"}}}}, "Elasticsearch rejects filter: "),
        (
            {"keys": (ApiKey("k", "a" * 64, {"x": {}}),)},
            "Elasticsearch rejects the filter of key 'k'",
        ),
        (
            {"tokens": TokenRules("HS256", SECRET, claims={"t": "tennant"})},
            "tokens.claims.t: no mapping has a field 'tennant'; the nearest field",
        ),
        (
            {"tokens": TokenRules("HS256", SECRET, claims={"t": "title"})},
            "tokens.claims.t: field 'title' holds words of a text",
        ),
    ],
)
def test_what_the_index_does_not_have(
    client: Any, tenants: str, config: dict[str, Any], words: str
) -> None:
    from es_simhash.service.application import answers_of
    from es_simhash.store.elasticsearch.gateway import Gateway

    with pytest.raises(InputError) as caught:
        answers_of(Gateway(client), tenants, ServiceConfig(**config))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.cluster
def test_an_index_that_cannot_be_served(client: Any, index: str, index_name: str) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.service.application import answers_of
    from es_simhash.store.elasticsearch.gateway import Gateway

    def error(name: str) -> str:
        with pytest.raises(EsSimhashError) as caught:
            answers_of(Gateway(client), name, ServiceConfig())
        return str(caught.value)

    assert "does not exist" in error(f"{index_name}-none")
    plain, sidecar = f"{index_name}-plain", f"{index_name}-near"
    client.index(index=plain, id="1", document={"text": "Some words."}, refresh=True)
    try:
        assert "fingerprint" in error(plain)
        list(backfill(client, plain, sidecar=sidecar))
        assert f"is the sidecar of '{plain}'" in error(sidecar)
    finally:
        client.indices.delete(index=f"{plain},{sidecar}", ignore_unavailable=True)
    assert issubclass(MappingConflict, EsSimhashError)
