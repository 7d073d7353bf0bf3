"""The configuration file of the service: TOML, each key checked."""

import math
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from es_simhash.errors import InputError
from es_simhash.service.service_config import (
    ApiKey,
    ServiceConfig,
    ServiceLimits,
    TokenRules,
    key_digest,
)
from es_simhash.text.limits import MAX_TEXT_BYTES

Default = TypeVar("Default")


class Table:
    """A table of a configuration file.

    Args:
        file: Name of the file, for errors.
        values: Its keys.
        name: Of the table with a final dot; empty for the file itself.
    """

    def __init__(self, file: str, values: Mapping[str, Any], name: str = "") -> None:
        self.file = file
        self.name = name
        self._values = values
        self._known: list[str] = []

    def error(self, key: str, problem: str) -> InputError:
        """Return the error of a key."""
        return InputError(f"{self.file}: {self.name}{key} {problem}.")

    def has(self, key: str) -> bool:
        """Check whether a key is there; it still has to be taken."""
        return key in self._values

    def text(self, key: str) -> str | None:
        """Return a string; None where there is none."""
        value = self._take(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.error(key, f"must be a string, got {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty where there is none."""
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self.error(key, f"must be a list of strings, got {value!r}")
        return tuple(value)

    def flag(self, key: str, default: Default) -> bool | Default:
        """Return true or false; the default where there is nothing."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, got {value!r}")
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        value = self._take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"must be a whole number from {low} to {high}, got {value!r}")
        return value

    def seconds(self, key: str, default: float, high: float) -> float:
        """Return seconds, at least 0."""
        value = self._take(key)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value <= high:
            raise self.error(key, f"must be seconds from 0 to {high:g}, got {value!r}")
        return float(value)

    def query(self, key: str) -> Mapping[str, Any] | None:
        """Return an Elasticsearch query; None where there is none."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict) or len(value) != 1:
            raise self.error(
                key, f"must be one Elasticsearch query, as {{ term = {{ … }} }}, got {value!r}"
            )
        return value

    def table(self, key: str) -> "Table | None":
        """Return a table within this one; None where there is none."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"must be a table [{self.name}{key}], got {value!r}")
        return Table(self.file, value, f"{self.name}{key}.")

    def tables(self, key: str) -> "list[Table]":
        """Return a list of tables; empty where there is none."""
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.error(key, f"must be tables [[{self.name}{key}]], got {value!r}")
        return [
            Table(self.file, one, f"{self.name}{key}[{place}].") for place, one in enumerate(value)
        ]

    def names(self) -> "list[str]":
        """Return all keys of a table whose keys are the user's own, and take them."""
        self._known += self._values
        return list(self._values)

    def require_known(self) -> None:
        """Check that every key was taken.

        Raises:
            InputError: One was not.
        """
        unknown = sorted(self._values.keys() - set(self._known))
        if unknown:
            raise self.error(unknown[0], f"is unknown; use one of {', '.join(sorted(self._known))}")

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)


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
