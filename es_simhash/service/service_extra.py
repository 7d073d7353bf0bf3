"""A check that the packages of the extra `service` are installed."""

from importlib.util import find_spec

from es_simhash.errors import MissingExtra

_PACKAGES = ("starlette", "uvicorn", "prometheus_client", "jwt", "cryptography", "msgspec")


def require_extra() -> None:
    """Check that the packages of the extra are there.

    Raises:
        MissingExtra: One of them is not installed.
    """
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra.of("service", f"The service needs {package}")
