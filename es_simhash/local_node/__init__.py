"""A local Elasticsearch for people without Docker: fetched from Maven Central, run on loopback.

`start` fetches what is missing, `status` finds a running node, `stop` ends it. Nodes are told
apart by name (default: their version), so two of them may run side by side.
"""

from es_simhash.local_node.lifecycle import Node, Vitals, running_nodes, start, status, stop, vitals
from es_simhash.local_node.settings import AVAILABLE_VERSIONS, DEFAULT_HEAP, DEFAULT_VERSION

__all__ = [
    "AVAILABLE_VERSIONS",
    "DEFAULT_HEAP",
    "DEFAULT_VERSION",
    "Node",
    "Vitals",
    "running_nodes",
    "start",
    "status",
    "stop",
    "vitals",
]
