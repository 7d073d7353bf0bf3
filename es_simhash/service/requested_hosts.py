"""Which hosts a service answers for, so that no page of another site asks it in a reader's browser.

A page whose host name is made to point at the service (DNS rebinding) is of its origin for the
browser, and may read all answers; only the name in the request tells.
"""

import ipaddress
from dataclasses import replace

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from es_simhash.service.responses import Problem, problem_response
from es_simhash.service.service_config import ANY_HOST, ServiceConfig

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Asked by whoever runs the service, by whatever address; they tell nothing.
_PROBES = ("/healthz", "/readyz")


def with_hosts(config: ServiceConfig, host: str) -> ServiceConfig:
    """Return a configuration with the hosts that a service answers for, where it names none.

    Where callers show a key these are any, as a page has none; else this machine's own names and
    the address that it listens on.

    Args:
        config: The configuration.
        host: Address that it listens on.
    """
    if config.allowed_hosts is not None:
        return config
    if not config.is_open:
        return replace(config, allowed_hosts=(ANY_HOST,))
    own = () if is_unspecified(host) else (host.lower(),)
    return replace(config, allowed_hosts=tuple(dict.fromkeys((*LOOPBACK, *own))))


def is_unspecified(host: str) -> bool:
    """Check whether an address stands for all of a machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def is_loopback(host: str) -> bool:
    """Check whether an address can be reached from its own machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class RequestedHost:
    """Middleware that rejects requests for other hosts, and those of unclear length.

    Args:
        app: Application that answers.
        allowed: Names of the hosts; `*.example.org` for all below one, `*` for any.
    """

    def __init__(self, app: ASGIApp, allowed: tuple[str, ...]) -> None:
        self._app = app
        self._allowed = tuple(name.lower() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or reject it."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        answer = self._app if problem is None else problem_response(problem)
        await answer(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy may have taken the other one: what follows would be another's request.
            return Problem(400, "The request has two lengths.", {"Connection": "close"})
        if ANY_HOST in self._allowed or scope["path"] in _PROBES:
            return None
        named = headers.getlist("host")
        if len(named) == 1 and self._is_allowed(_name(named[0])):
            return None
        return Problem(421, "This service does not answer for this host; see allowed_hosts.")

    def _is_allowed(self, name: str) -> bool:
        return any(
            name.endswith(allowed[1:]) if allowed.startswith("*.") else name == allowed
            for allowed in self._allowed
        )


def _name(host: str) -> str:
    """Return the name in a `Host` header: without port, brackets and the dot of the root."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().removesuffix(".")
