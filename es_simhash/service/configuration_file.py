"""The configuration file of the service: TOML, each key checked."""

import os
import re
import sys
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from es_simhash.errors import InputError
from es_simhash.service.configuration import (
    ApiKey,
    ServiceConfig,
    ServiceLimits,
    TokenRules,
    key_digest,
)
from es_simhash.service.tables import Table
from es_simhash.text.limits import MAX_TEXT_BYTES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# RFC 7518, section 3.2: a key of HS256 is at least as long as the hash.
_MIN_SECRET_BYTES = 32
# RFC 7518, section 3.3.
_MIN_RSA_BITS = 2048
# A key is random: shorter ones can be guessed.
_MIN_KEY_CHARACTERS = 16
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ORIGIN = re.compile(r"https?://[^/\s*]+")


def read_configuration(path: Path) -> ServiceConfig:
    """Return the configuration of a file.

    Raises:
        InputError: It cannot be read, has an unknown key, or a value that cannot serve.
    """
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        message = f"Cannot read {path}: {error.strerror}. Set config."
        raise InputError(message, parameter="config") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from error
    return _configuration(Table(str(path), values), path.parent)


def _configuration(table: Table, folder: Path) -> ServiceConfig:
    cache = table.table("cache") or Table(table.file, {}, "cache.")
    cors = table.table("cors") or Table(table.file, {}, "cors.")
    tokens = table.table("tokens")
    labels = table.text("labels")
    config = ServiceConfig(
        fields=_fields(table) if table.has("fields") else None,
        evidence=table.flag("evidence", True),
        filter=table.query("filter"),
        keys=tuple(_key(each) for each in table.tables("keys")),
        tokens=None if tokens is None else _tokens(tokens, folder),
        origins=_origins(cors),
        trusted_proxies=table.texts("trusted_proxies"),
        limits=_limits(table.table("limits") or Table(table.file, {}, "limits.")),
        cache_seconds=cache.seconds("seconds", ServiceConfig.cache_seconds, 86_400),
        cache_megabytes=cache.whole("megabytes", ServiceConfig.cache_megabytes, 1, 65_536),
        explorer=table.flag("explorer", None),
        labels=None if labels is None else folder / labels,
    )
    # `fields` counts as known where it is not there, too.
    table.texts("fields")
    for each in (cache, cors, table):
        each.require_known()
    names = [key.name for key in config.keys]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise table.error("keys", f"has the name {repeated!r} twice")
    return config


def _fields(table: Table) -> tuple[str, ...]:
    names = table.texts("fields")
    if pattern := next((name for name in names if re.search(r"[*?\[\]]", name)), None):
        raise table.error("fields", f"must be names, not patterns, got {pattern!r}")
    return names


def _origins(table: Table) -> tuple[str, ...]:
    origins = table.texts("origins")
    if wrong := next((each for each in origins if not _ORIGIN.fullmatch(each)), None):
        raise table.error("origins", f"must be like https://www.example.org, got {wrong!r}")
    return origins


def _limits(table: Table) -> ServiceLimits:
    default = ServiceLimits()
    limits = ServiceLimits(
        size=table.whole("size", default.size, 1, 1_000),
        offset=table.whole("from", default.offset, 0, 10_000),
        body_bytes=table.whole("body_bytes", default.body_bytes, 1, MAX_TEXT_BYTES),
        seconds=table.seconds("seconds", default.seconds, 600),
        requests_per_minute=table.whole(
            "requests_per_minute", default.requests_per_minute, 0, 10_000_000
        ),
        threads=table.whole("threads", default.threads, 1, 256),
        waiting=table.whole("waiting", default.waiting, 0, 100_000),
    )
    if not limits.seconds:
        raise table.error("seconds", "must be more than 0")
    table.require_known()
    return limits


def _key(table: Table) -> ApiKey:
    name, digest, variable = table.text("name"), table.text("sha256"), table.text("variable")
    query = table.query("filter")
    table.require_known()
    if name is None:
        raise table.error("name", "is required")
    if (digest is None) == (variable is None):
        raise table.error("sha256", "or variable is required, one of them")
    if variable is not None:
        value = _variable(table, variable)
        if len(value) < _MIN_KEY_CHARACTERS:
            raise table.error(
                "variable", f"{variable} has a key of fewer than {_MIN_KEY_CHARACTERS} characters"
            )
        digest = key_digest(value)
    assert digest is not None
    if not _SHA256.fullmatch(digest):
        raise table.error("sha256", "must be 64 hexadecimal digits in lower case")
    return ApiKey(name, digest, query)


def _tokens(table: Table, folder: Path) -> TokenRules:
    algorithm = table.text("algorithm") or "HS256"
    variable, file = table.text("secret_variable"), table.text("public_key_file")
    issuer, audience, claims = table.text("issuer"), table.text("audience"), table.table("claims")
    table.require_known()
    if algorithm not in ("HS256", "RS256"):
        raise table.error("algorithm", f"must be HS256 or RS256, got {algorithm!r}")
    needed, value = ("secret_variable", variable)
    if algorithm == "RS256":
        needed, value = ("public_key_file", file)
    if value is None:
        raise table.error(needed, f"is required for {algorithm}")
    key = _public_key(table, folder / value) if algorithm == "RS256" else _secret(table, value)
    fields = {} if claims is None else {name: claims.text(name) or "" for name in claims.names()}
    return TokenRules(algorithm, key, issuer, audience, fields)


def _secret(table: Table, variable: str) -> str:
    secret = _variable(table, variable)
    length = len(secret.encode())
    if length < _MIN_SECRET_BYTES:
        raise table.error(
            "secret_variable",
            f"{variable} must be a secret of at least {_MIN_SECRET_BYTES} bytes, got {length}",
        )
    return secret


def _public_key(table: Table, path: Path) -> str:
    try:
        content = path.read_bytes()
        key = load_pem_public_key(content)
    except (OSError, ValueError, UnsupportedAlgorithm) as error:
        raise table.error("public_key_file", f"{path} is no public key in PEM") from error
    if not isinstance(key, RSAPublicKey) or key.key_size < _MIN_RSA_BITS:
        raise table.error(
            "public_key_file", f"{path} must be an RSA key of at least {_MIN_RSA_BITS} bits"
        )
    return content.decode("ascii")


def _variable(table: Table, name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise table.error("variable", f"names {name}, which is not in the environment")
    return value
