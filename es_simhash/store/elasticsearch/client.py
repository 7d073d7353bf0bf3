"""The client's packages, imported when something of them is first used.

They take several times as long to import as a command takes to print its help.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

# The client imports these HTTP libraries where they are installed; a command uses urllib3.
_UNUSED = ("aiohttp", "httpx", "requests")
_runs_command = False


def expect_command() -> None:
    """Import the client, when it is needed, without HTTP libraries that no command uses.

    They take more of the start of a command than everything else.
    """
    global _runs_command
    _runs_command = True


@contextmanager
def importing() -> Iterator[None]:
    """Import the client's packages in the block; see `expect_command`."""
    absent = [name for name in _UNUSED if _runs_command and name not in sys.modules]
    # Python takes what is None there for not installed.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


if TYPE_CHECKING:
    import elastic_transport as elastic_transport
    import elasticsearch as elasticsearch

    Elasticsearch = elasticsearch.Elasticsearch
    AsyncElasticsearch = elasticsearch.AsyncElasticsearch
    AnyClient = Elasticsearch | AsyncElasticsearch
else:

    class _Package:
        """A package that is imported when something of it is used."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            with importing():
                package = importlib.import_module(self._name)
            return getattr(package, name)

    elastic_transport, elasticsearch = _Package("elastic_transport"), _Package("elasticsearch")
    # Annotations need no more than a name.
    Elasticsearch = AsyncElasticsearch = AnyClient = Any


@cache
def _serializer() -> "elasticsearch.serializer.JsonSerializer":
    return elasticsearch.serializer.JsonSerializer()


def json_value(value: object) -> Any:
    """Return the JSON form of a value JSON has no type for, such as a date, as the client does.

    Raises:
        elastic_transport.SerializationError: It has no JSON form.
    """
    return _serializer().default(value)
