"""The index beside the user's, in which texts are reserved."""

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.indices.state_index import Companion

_PROPERTIES = {
    "run": {"type": "keyword"},
    "at": {"type": "date", "format": "epoch_millis"},
}


def ensure_side(client: Client, index: str, field: str) -> str:
    """Return the name of the index beside an index, which has room for reservations.

    It is the one that keeps what was dismissed and how large families are.

    Raises:
        ClusterError: It may not be created.
    """
    companion = Companion(client, index, field)
    companion.create()
    Gateway.of(client).put_mapping(companion.name, {"properties": _PROPERTIES})
    return companion.name
