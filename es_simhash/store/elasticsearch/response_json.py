"""Reading the JSON of responses by msgspec where it is installed, in a third of the time."""

from typing import Any

from es_simhash.store.elasticsearch.client import importing

with importing():
    from elasticsearch.serializer import CompatibilityModeJsonSerializer, JsonSerializer
try:
    import msgspec
except ImportError:
    msgspec = None  # type: ignore[assignment]


class _Json(JsonSerializer):
    def json_loads(self, data: bytes) -> Any:
        return _read(data, super().json_loads)


class _CompatibleJson(CompatibilityModeJsonSerializer):
    def json_loads(self, data: bytes) -> Any:
        return _read(data, super().json_loads)


def _read(data: bytes, read_all: Any) -> Any:
    """Return a value; what documents may hold beyond the standard is read as it always was."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return read_all(data)


def serializers() -> dict[str, JsonSerializer]:
    """Return what a client reads responses by; nothing without msgspec."""
    if msgspec is None:
        return {}
    return {kind.mimetype: kind() for kind in (_Json, _CompatibleJson)}
