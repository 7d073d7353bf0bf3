"""The configuration of the service: fields that may leave it, callers, limits."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from es_simhash.constraints import constraints
from es_simhash.text.limits import MAX_TEXT_BYTES

Query = Mapping[str, Any]
ANY_HOST = "*"
# The engine takes no longer id.
MAX_ID_BYTES = 512


@dataclass(frozen=True)
class ApiKey:
    """A key that may ask.

    Attributes:
        name: Name of its holder, for logs and the rate limit.
        sha256: Its hash in hexadecimal digits.
        filter: Query that documents must match for it; None for no more than all must.
    """

    name: str
    sha256: str
    filter: Query | None = None


@dataclass(frozen=True)
class TokenRules:
    """Which signed tokens (JWT) may ask.

    Attributes:
        algorithm: HS256 or RS256, and no other.
        verification_key: The secret, or the public key in PEM.
        issuer: Value that `iss` must have; None for any.
        audience: Value that `aud` must have; None where tokens have none.
        claims: Claims that each token must have, and the field that must have that value.
    """

    algorithm: Literal["HS256", "RS256"]
    verification_key: str = field(repr=False)
    issuer: str | None = None
    audience: str | None = None
    claims: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of one request, and of one caller.

    Attributes:
        size: Most relations of one answer.
        offset: Most relations to pass over.
        body_bytes: Most bytes of a request body.
        seconds: Seconds until a request has failed.
        requests_per_minute: Most requests of one key or address; 0 for any number. Each worker
            counts its own.
        threads: Requests of one worker that ask Elasticsearch at the same time.
        waiting: Requests of one worker that wait for one of these.
        waiting_seconds: Seconds that a request may probably wait for one of these; what would wait
            for longer, and for longer than it takes itself, is refused at once.
        compared_bytes: Most bytes of two texts that are compared with each other.
        ids: Most ids of one request.
    """

    size: int = field(default=50, metadata=constraints(1, 1_000))
    offset: int = field(default=1_000, metadata=constraints(0, 10_000))
    body_bytes: int = field(default=1_000_000, metadata=constraints(1, MAX_TEXT_BYTES))
    seconds: float = field(default=10.0, metadata=constraints(maximum=600, above=0, unit="seconds"))
    requests_per_minute: int = field(default=600, metadata=constraints(0, 10_000_000))
    threads: int = field(default=4, metadata=constraints(1, 256))
    waiting: int = field(default=1_000, metadata=constraints(0, 100_000))
    waiting_seconds: float = field(
        default=0.5, metadata=constraints(maximum=600, above=0, unit="seconds")
    )
    compared_bytes: int = field(default=2_000_000, metadata=constraints(1, 2 * MAX_TEXT_BYTES))
    ids: int = field(default=20, metadata=constraints(1, 1_000))


@dataclass(frozen=True)
class ServiceConfig:
    """The configuration of the service.

    Attributes:
        fields: Fields of documents that may leave it; None for those that the index is configured
            with as title, date, owner, language and link.
        evidence: Whether passages of the texts, and what changed in them, may leave it.
        filter: Query that every document must match; None for all documents.
        keys: API keys.
        tokens: Rules of signed tokens; None to take none.
        origins: Web origins whose pages may ask.
        allowed_hosts: Hosts that are answered for, as browsers name them; None for any where
            callers show a key, else for this machine and the address that is listened on.
        trusted_proxies: Addresses whose `X-Forwarded-For` identifies the caller.
        limits: Limits of requests.
        cache_seconds: How long an answer is kept; 0 for no cache.
        cache_megabytes: How much one worker keeps.
        explorer: Whether the explorer is served; None for only where nobody has to show a key.
        labels: File of labelled pairs that the explorer writes; None for no labelling.
        secret: Signs the explorer's forms, and encrypts names of families; all workers of one start
            have the same.
    """

    fields: tuple[str, ...] | None = None
    evidence: bool = True
    filter: Query | None = None
    keys: tuple[ApiKey, ...] = ()
    tokens: TokenRules | None = None
    origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] | None = None
    trusted_proxies: tuple[str, ...] = ()
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    cache_seconds: float = field(default=60.0, metadata=constraints(0, 86_400, unit="seconds"))
    cache_megabytes: int = field(default=64, metadata=constraints(1, 65_536))
    explorer: bool | None = None
    labels: Path | None = None
    secret: bytes = field(
        default_factory=lambda: secrets.token_bytes(32), repr=False, compare=False
    )

    @property
    def has_explorer(self) -> bool:
        """Whether the explorer's pages are served."""
        return self.is_open if self.explorer is None else self.explorer

    @property
    def is_open(self) -> bool:
        """True when nobody has to show a key or a token."""
        return not self.keys and self.tokens is None


def key_digest(key: str) -> str:
    """Return the hash of a key, as the configuration has it."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
