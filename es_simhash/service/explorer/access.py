"""Who opens the explorer: a browser sends a key or a token as the password of HTTP Basic."""

import base64
import binascii
from collections.abc import Mapping

from es_simhash.service.configuration import ServiceConfig
from es_simhash.service.credentials import Caller, caller_of
from es_simhash.service.problems import Problem

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="es-simhash explorer", charset="UTF-8"'}


def explorer_caller(headers: Mapping[str, str], config: ServiceConfig) -> Caller:
    """Return who sent a request, as the API does; the password of HTTP Basic is the credential.

    Args:
        headers: Of the request.
        config: Of the service.

    Raises:
        Problem: 401, which makes a browser ask for a password.
    """
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        headers = {"authorization": f"Bearer {_password(value)}"}
    try:
        return caller_of(headers, config)
    except Problem as problem:
        raise Problem(problem.status, problem.detail, _CHALLENGE) from problem


def _password(value: str) -> str:
    try:
        decoded = base64.b64decode(value.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return decoded.partition(":")[2]
