"""How a cluster is reached, as a value: addresses, credentials, certificates."""

import re
import string
from dataclasses import dataclass, field, fields, replace
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.errors import InputError
from es_simhash.text.escaping import masked_url

DEFAULT_URL = "http://localhost:9200"
# A comma or white space is between two addresses where another begins: passwords may have both.
# Matches one character, so that long white space is read once.
_BETWEEN = re.compile(r"[\s,](?=[a-z]+://)")
_PADDING = f"{string.whitespace},"
_SHA256 = re.compile(r"(?:[0-9a-f]{2}:?){31}[0-9a-f]{2}", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class Connection:
    """The connection to a cluster.

    Attributes:
        url: URL of the cluster, or of several nodes with commas between. Without a port that of the
            scheme is used, 443 or 80.
        profile: Profile of es-simhash.toml that gives what neither options nor variables do; None
            for `default`, if there is one.
        cloud_id: Cloud ID of Elastic Cloud, in place of the URL.
        api_key: Encoded API key. Prefer the environment variable, which no process list shows.
        bearer_token: Bearer token. Prefer the environment variable, which no process list shows.
        user: User name.
        password: Password. Prefer the environment variable, which no process list shows.
        ca_certs: PEM file of the certificate authority.
        fingerprint: SHA-256 fingerprint of the certificate of the cluster, which is checked in
            place of its authority.
        client_cert: PEM file of the certificate that identifies the client.
        client_key: PEM file of the key of that certificate; None for the same file.
        compress: Compress requests, and accept compressed responses.
        timeout: Seconds until a request fails.
    """

    url: str | None = field(default=None, metadata=constraints(variable="ELASTICSEARCH_URL"))
    profile: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_PROFILE", metavar="NAME")
    )
    cloud_id: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_CLOUD_ID", in_help=False)
    )
    api_key: str | None = field(default=None, metadata=constraints(variable="ES_SIMHASH_API_KEY"))
    bearer_token: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_BEARER_TOKEN", in_help=False)
    )
    user: str | None = field(default=None, metadata=constraints(variable="ES_SIMHASH_USER"))
    password: str | None = field(default=None, metadata=constraints(variable="ES_SIMHASH_PASSWORD"))
    ca_certs: str | None = field(default=None, metadata=constraints(variable="ES_SIMHASH_CA_CERTS"))
    fingerprint: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_FINGERPRINT", in_help=False)
    )
    client_cert: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_CLIENT_CERT", in_help=False)
    )
    client_key: str | None = field(
        default=None, metadata=constraints(variable="ES_SIMHASH_CLIENT_KEY", in_help=False)
    )
    compress: bool = field(
        default=False, metadata=constraints(variable="ES_SIMHASH_COMPRESS", in_help=False)
    )
    timeout: float = field(
        default=60.0,
        metadata=constraints(
            above=0,
            unit="seconds",
            called="request_timeout",
            variable="ES_SIMHASH_REQUEST_TIMEOUT",
            in_help=False,
        ),
    )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.shown().items())
        return f"{type(self).__name__}({shown})"

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses; that of this machine where none is named."""
        url = DEFAULT_URL if self.url is None else self.url
        return tuple(each.rstrip(_PADDING) for each in _BETWEEN.split(url.strip()))

    def shown(self) -> dict[str, Any]:
        """Return what is not as by default, by name, with `***` for secrets."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        given = {name: value for name, value in values.items() if value != getattr(_DEFAULTS, name)}
        masked = {name: "***" for name in SECRETS if name in given}
        if self.url is not None:
            masked["url"] = ",".join(map(masked_url, self.urls))
        return given | masked

    def typed(self) -> str:
        """Return the options that name this cluster to a command, without secrets."""
        if self.profile is not None:
            return f" --profile {self.profile}"
        shown = self.shown()
        named = (name for name in ("url", "cloud_id") if name in shown)
        return "".join(f" --{name.replace('_', '-')} {shown[name]}" for name in named)

    def require_valid(self) -> None:
        """Check that the values go together.

        Raises:
            InputError: They do not.
        """
        require_valid(self)
        if self.url is not None and self.cloud_id is not None:
            raise InputError(
                f"url {self.shown()['url']!r} and cloud_id {self.cloud_id!r} are both given; "
                "leave out one."
            )
        if self.password is not None and self.user is None and self.credentials is None:
            raise InputError("A password is given without its user. Set user.", parameter="user")
        if self.client_key is not None and self.client_cert is None:
            raise InputError(
                f"client_key {self.client_key!r} is given without its certificate. "
                "Set client_cert.",
                parameter="client_cert",
            )
        if self.fingerprint is not None and not _SHA256.fullmatch(self.fingerprint):
            raise InputError(
                "fingerprint must be the 64 hexadecimal digits of a SHA-256, got "
                f"{self.fingerprint!r}.",
                parameter="fingerprint",
            )
        for name in ("fingerprint", "client_cert"):
            plain = next((url for url in self.urls if not url.startswith("https:")), None)
            if getattr(self, name) is not None and self.cloud_id is None and plain is not None:
                raise InputError(
                    f"{name} needs https, got url {masked_url(plain)!r}. Set url.", parameter="url"
                )

    @property
    def credentials(self) -> str | None:
        """Name of what the client identifies itself with; None for nothing."""
        return next((name for name in CREDENTIALS if getattr(self, name) is not None), None)

    def within(self, seconds: float) -> "Connection":
        """Return this connection with requests that fail after so many seconds at the latest."""
        is_default = self.timeout == _DEFAULTS.timeout
        return replace(self, timeout=seconds if is_default else min(seconds, self.timeout))


_DEFAULTS = Connection()
# What each identifies the client, the first that is there; a password belongs to its user.
CREDENTIALS = ("api_key", "bearer_token", "user")
SECRETS = ("api_key", "bearer_token", "password")
