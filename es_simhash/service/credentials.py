"""Who asks: an API key, a signed token, or anybody, and what documents they may see."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from es_simhash.service.configuration import Query, ServiceConfig, TokenRules, key_digest
from es_simhash.service.problems import Problem

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="es-simhash"'}
# Seconds by which clocks may differ.
_LEEWAY = 10


@dataclass(frozen=True)
class Caller:
    """Who sent a request.

    Attributes:
        name: For logs: `key:NAME`, `token` or `anonymous`.
        account: What the rate limit counts; None for the address of the caller.
        filters: What every document must match.
    """

    name: str
    account: str | None
    filters: tuple[Query, ...]


def caller_of(headers: Mapping[str, str], config: ServiceConfig) -> Caller:
    """Return who sent a request.

    Args:
        headers: Of the request, with names in any case.
        config: Of the service.

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
    digest, found = key_digest(given), None
    # All of them are compared, so that the time says nothing.
    for key in config.keys:
        if hmac.compare_digest(digest, key.sha256):
            found = key
    if found is None:
        raise Problem(401, "The API key or token is not valid.", _CHALLENGE)
    own = () if found.filter is None else (found.filter,)
    return Caller(f"key:{found.name}", f"key:{found.name}", (*shared, *own))


def _of_token(token: str, rules: TokenRules, shared: tuple[Query, ...]) -> Caller:
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            rules.verification_key,
            algorithms=[rules.algorithm],
            issuer=rules.issuer,
            audience=rules.audience,
            leeway=_LEEWAY,
            options={"require": ["exp"], "verify_aud": rules.audience is not None},
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
    if not values or not all(isinstance(one, str | int | bool) for one in values):
        raise Problem(401, "The token lacks a claim that says what it may see.", _CHALLENGE)
    return {"terms": {field: values}}
