"""The configuration file of the service: TOML, each key checked against the configuration."""

import ipaddress
import os
import re
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from es_simhash.described import parameters
from es_simhash.service.service_config import (
    ApiKey,
    ServiceConfig,
    ServiceLimits,
    TokenRules,
    key_digest,
)
from es_simhash.store.toml_tables import TomlTable, read_toml

# RFC 7518, section 3.2: a key of HS256 is at least as long as the hash.
_MIN_SECRET_BYTES = 32
# RFC 7518, section 3.3.
_MIN_RSA_BITS = 2048
# A key is random: shorter ones can be guessed.
_MIN_KEY_CHARACTERS = 16
_SHA256 = re.compile(r"[0-9a-f]{64}")
# A name, after a star or not, or an IPv6 address.
_HOST = re.compile(
    r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|(?=[0-9A-Fa-f.]*:)[0-9A-Fa-f:.]+"
)
_ORIGIN = re.compile(r"https?://[^/\s*]+")
_PATTERN = re.compile(r"[*?\[\]]")


def read_configuration(path: Path) -> ServiceConfig:
    """Return the configuration of a file.

    Raises:
        InputError: It cannot be read, has an unknown key, or a value that cannot serve.
    """
    return _configuration(read_toml(path, "config"), path.parent)


def _configuration(table: TomlTable, folder: Path) -> ServiceConfig:
    cache, cors, limits = table.table("cache"), table.table("cors"), table.table("limits")
    options = table.options(
        ServiceConfig,
        *("fields", "evidence", "filter", "trusted_proxies", "allowed_hosts", "explorer", "labels"),
    )
    options |= cors.options(ServiceConfig, "origins")
    options |= cache.options(ServiceConfig, cache_seconds="seconds", cache_megabytes="megabytes")
    if pattern := next(filter(_PATTERN.search, options.get("fields", ())), None):
        raise table.error("fields", f"must be names, not patterns, got {pattern!r}")
    for origin in options.get("origins", ()):
        if not _ORIGIN.fullmatch(origin):
            raise cors.error("origins", f"must be like https://www.example.org, got {origin!r}")
    for host in options.get("allowed_hosts", ()):
        if not _HOST.fullmatch(host):
            raise table.error("allowed_hosts", f"must be host names without port, got {host!r}")
    for proxy in options.get("trusted_proxies", ()):
        if not _is_network(proxy):
            raise table.error(
                "trusted_proxies",
                f"must be addresses as 10.0.0.1 or 10.0.0.0/8, got {proxy!r}: anybody else could "
                "name any caller's address",
            )
    if "labels" in options:
        options["labels"] = folder / options["labels"]
    variable, file = table.text("secret_variable"), table.text("secret_file")
    if variable is not None or file is not None:
        options["secret"] = _secret(table, folder, variable, file).encode()
    options["limits"] = _limits(limits)
    options["keys"] = tuple(_key(key, folder) for key in table.tables("keys"))
    tokens = table.table("tokens")
    if "tokens" in table:
        options["tokens"] = _tokens(tokens, folder)
    for part in (cache, cors, table):
        part.require_known()
    names = [key.name for key in options["keys"]]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise table.error("keys", f"has the name {repeated!r} twice")
    return ServiceConfig(**options)


def _is_network(value: str) -> bool:
    """Check whether a value is an address or a network, but not that of everybody."""
    try:
        return ipaddress.ip_network(value).prefixlen > 0
    except ValueError:
        return False


def _limits(table: TomlTable) -> ServiceLimits:
    names = [name for name in parameters(ServiceLimits) if name != "offset"]
    limits = table.options(ServiceLimits, *names, offset="from")
    table.require_known()
    return ServiceLimits(**limits)


def _key(table: TomlTable, folder: Path) -> ApiKey:
    options = table.options(ApiKey, "name", "sha256", "filter")
    variable, file = table.text("variable"), table.text("file")
    table.require_known()
    if "name" not in options:
        raise table.error("name", "is required")
    if [variable, file, options.get("sha256")].count(None) != 2:
        raise table.error("sha256", "or variable or file is required, one of them")
    if "sha256" not in options:
        value = _hidden(table, folder, variable, file)
        if len(value) < _MIN_KEY_CHARACTERS:
            raise table.error(
                "variable" if file is None else "file",
                f"{variable or file} has a key of fewer than {_MIN_KEY_CHARACTERS} characters",
            )
        options["sha256"] = key_digest(value)
    if not _SHA256.fullmatch(options["sha256"]):
        raise table.error("sha256", "must be 64 hexadecimal digits in lower case")
    return ApiKey(**options)


def _tokens(table: TomlTable, folder: Path) -> TokenRules:
    options = table.options(TokenRules, "algorithm", "issuer", "audience")
    variable, file = table.text("secret_variable"), table.text("secret_file")
    public = table.text("public_key_file")
    claims = table.table("claims")
    table.require_known()
    algorithm = options.setdefault("algorithm", "HS256")
    if algorithm == "RS256":
        if public is None:
            raise table.error("public_key_file", f"is required for {algorithm}")
        key = _public_key(table, folder / public)
    elif variable is None and file is None:
        raise table.error("secret_variable", f"or secret_file is required for {algorithm}")
    else:
        key = _secret(table, folder, variable, file)
    return TokenRules(**options, verification_key=key, claims=claims.texts())


def _secret(table: TomlTable, folder: Path, variable: str | None, file: str | None) -> str:
    if variable is not None and file is not None:
        raise table.error("secret_variable", "and secret_file are both there; leave out one")
    secret = _hidden(table, folder, variable, file)
    length = len(secret.encode())
    if length < _MIN_SECRET_BYTES:
        raise table.error(
            "secret_variable" if file is None else "secret_file",
            f"{variable or file} must be a secret of at least {_MIN_SECRET_BYTES} bytes, "
            f"got {length}",
        )
    return secret


def _hidden(table: TomlTable, folder: Path, variable: str | None, file: str | None) -> str:
    """Return a key or a secret: of the environment, or of a file as containers mount them."""
    if file is None:
        assert variable is not None
        return _variable(table, variable)
    path = folder / file
    try:
        # Editors and `echo` end a file with a new line, which is no part of the secret.
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise table.error("file", f"names {path}, which cannot be read: {reason}") from error


def _public_key(table: TomlTable, path: Path) -> str:
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


def _variable(table: TomlTable, name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise table.error("variable", f"names {name}, which is not in the environment")
    return value
