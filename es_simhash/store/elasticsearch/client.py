"""The client's packages, imported when something of them is first used.

They take several times as long to import as a command takes to print its help.
"""

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

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
            return getattr(importlib.import_module(self._name), name)

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
