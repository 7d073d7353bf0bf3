"""Callers: an API key, a signed token or anybody, the documents they may see, the rate limit."""

import base64
import binascii
import hmac
import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jwt

from es_simhash.service.monitoring import REFUSALS
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import Query, ServiceConfig, TokenRules, key_digest
from es_simhash.store.elasticsearch.conditions import any_value

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="es-simhash"'}
# Seconds by which clocks may differ.
_LEEWAY = 10


@dataclass(frozen=True)
class Caller:
    """The sender of a request.

    Attributes:
        name: For logs: `key:NAME`, `token` or `anonymous`.
        account: Name under which the rate limit counts; None for the address of the caller.
        filters: Queries that every document must match.
    """

    name: str
    account: str | None
    filters: tuple[Query, ...]


def caller_of(headers: Mapping[str, str], config: ServiceConfig) -> Caller:
    """Return the caller of a request.

    Args:
        headers: Headers of the request, with names in any case.
        config: Configuration of the service.

    Raises:
        Problem: 401, when credentials are missing or not valid.
    """
    shared = () if config.filter is None else (config.filter,)
    if config.is_open:
        return Caller("anonymous", None, shared)
    credential = _credential(headers)
    if not credential:
        raise Problem(401, "This needs an API key or a token.", _CHALLENGE)
    if config.tokens is not None and credential.count(".") == 2:
        return _of_token(credential, config.tokens, shared)
    return _of_key(credential, config, shared)


def _credential(headers: Mapping[str, str]) -> str:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def _of_key(given: str, config: ServiceConfig, shared: tuple[Query, ...]) -> Caller:
    digest, holder = key_digest(given), None
    # All of them are compared, so that the time says nothing.
    for key in config.keys:
        if hmac.compare_digest(digest, key.sha256):
            holder = key
    if holder is None:
        raise Problem(401, "The API key or token is not valid.", _CHALLENGE)
    own = () if holder.filter is None else (holder.filter,)
    return Caller(f"key:{holder.name}", f"key:{holder.name}", (*shared, *own))


def _of_token(token: str, rules: TokenRules, shared: tuple[Query, ...]) -> Caller:
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            rules.verification_key,
            algorithms=[rules.algorithm],
            issuer=rules.issuer,
            audience=rules.audience,
            leeway=_LEEWAY,
            options={"require": ["exp"]},
        )
    # Also of claims that are no numbers where numbers are needed.
    except (jwt.InvalidTokenError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Problem(401, "The API key or token is not valid.", _CHALLENGE) from error
    filters = [_filter(claims.get(claim), field) for claim, field in rules.claims.items()]
    subject = claims.get("sub")
    account = f"token:{subject}" if isinstance(subject, str) and subject else None
    return Caller("token", account, (*shared, *filters))


def _filter(value: Any, field: str) -> Query:
    """Return the filter of a claim; its value is data, whatever it says.

    Raises:
        Problem: The token has no such claim, or one that is neither a value nor a list of values.
    """
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(item, str | int | bool) for item in values):
        raise Problem(401, "The token lacks a claim that says what it may see.", _CHALLENGE)
    return any_value(field, values)


_BASIC_CHALLENGE = {"WWW-Authenticate": 'Basic realm="es-simhash explorer", charset="UTF-8"'}


def explorer_caller(headers: Mapping[str, str], config: ServiceConfig) -> Caller:
    """Return the caller as the API does; the password of HTTP Basic is the credential.

    Args:
        headers: Headers of the request.
        config: Configuration of the service.

    Raises:
        Problem: 401, which makes a browser ask for a password.
    """
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        headers = {"authorization": f"Bearer {_password(value)}"}
    try:
        return caller_of(headers, config)
    except Problem as problem:
        raise Problem(problem.status, problem.detail, _BASIC_CHALLENGE) from problem


def _password(value: str) -> str:
    try:
        decoded = base64.b64decode(value.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return decoded.partition(":")[2]


# Whoever has one IPv6 address has all of the network that it is in.
_IPV6_NETWORK = 64


@lru_cache(maxsize=1_000)
def network_of(address: str) -> str:
    """Return what the rate limit counts a caller by: an IPv4 address, or the /64 of IPv6."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))


# Callers that are remembered; the one that was seen longest ago is forgotten first.
_MAX_CALLERS = 100_000


class RateLimit:
    """A bucket of tokens for each caller; safe to use from several threads.

    Args:
        per_minute: Requests in a minute, and as many at once; 0 for any number.
        clock: Seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._burst = float(per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Count a request.

        Raises:
            Problem: 429, when there were too many.
        """
        if not self._rate:
            return
        left = self._spend(caller, 1.0, least=1.0)
        if left < 1:
            REFUSALS.labels("rate").inc()
            wait = math.ceil((1 - left) / self._rate)
            raise Problem(
                429, "Too many requests; wait before the next one.", {"Retry-After": str(wait)}
            )

    def charge(self, caller: str, cost: int) -> None:
        """Count work for a request that was taken; it may leave less than nothing.

        Args:
            caller: Name of the caller.
            cost: How many further requests it counts for.
        """
        if self._rate and cost:
            self._spend(caller, float(cost), least=-math.inf)

    def _spend(self, caller: str, cost: float, *, least: float) -> float:
        """Take tokens out of a bucket, where it has as many as are needed; return how many it had.

        Args:
            caller: Whose bucket.
            cost: How many.
            least: How many are needed.
        """
        with self._lock:
            now = self._clock()
            left, seen = self._buckets.pop(caller, (self._burst, now))
            left = min(self._burst, left + (now - seen) * self._rate)
            rest = left - cost if left >= least else left
            self._buckets[caller] = (max(rest, -self._burst), now)
            if len(self._buckets) > _MAX_CALLERS:
                self._buckets.popitem(last=False)
        return left
