"""Find versions of documents, copied passages and semantic neighbours inside Elasticsearch.

Everything that needs a cluster takes an `elasticsearch.Elasticsearch` client; the rest needs none.
"""

from typing import TYPE_CHECKING, Any

from es_simhash.comparing import compare
from es_simhash.concepts.meaning import MeaningScheme
from es_simhash.concepts.neighbour import SharedConcept, SharedMeaning
from es_simhash.errors import (
    ClusterError,
    DocumentMissing,
    EsSimhashError,
    IndexMissing,
    InputError,
    MappingConflict,
    MissingExtra,
    NodeError,
    SchemeError,
    SchemeMismatch,
)
from es_simhash.fingerprints import TextFingerprints, fingerprint, fingerprint_texts
from es_simhash.query import Limits, Recency, neighbour_query, related_query
from es_simhash.relation import Answer, Coverage, Relation, SharedPassage, Span
from es_simhash.scheme import Scheme

if TYPE_CHECKING:
    from es_simhash.backfilling import SidecarIndex, backfill, estimate
    from es_simhash.cluster import connect
    from es_simhash.deduplicating import OnVersion, VersionPolicy, undo
    from es_simhash.families import dismiss, find_families
    from es_simhash.index import Asking, Index, related
    from es_simhash.ingesting import Outcome, fingerprint_documents, ingest
    from es_simhash.installing import install
    from es_simhash.sweeping import sweep

# These import the Elasticsearch client, so they are loaded when first asked for.
_LAZY = {
    "Asking": "es_simhash.index",
    "Index": "es_simhash.index",
    "OnVersion": "es_simhash.deduplicating",
    "Outcome": "es_simhash.ingesting",
    "SidecarIndex": "es_simhash.backfilling",
    "VersionPolicy": "es_simhash.deduplicating",
    "backfill": "es_simhash.backfilling",
    "connect": "es_simhash.cluster",
    "dismiss": "es_simhash.families",
    "estimate": "es_simhash.backfilling",
    "find_families": "es_simhash.families",
    "fingerprint_documents": "es_simhash.ingesting",
    "ingest": "es_simhash.ingesting",
    "install": "es_simhash.installing",
    "related": "es_simhash.index",
    "sweep": "es_simhash.sweeping",
    "undo": "es_simhash.deduplicating",
}

__all__ = [
    "Answer",
    "Asking",
    "ClusterError",
    "Coverage",
    "DocumentMissing",
    "EsSimhashError",
    "Index",
    "IndexMissing",
    "InputError",
    "Limits",
    "MappingConflict",
    "MeaningScheme",
    "MissingExtra",
    "NodeError",
    "OnVersion",
    "Outcome",
    "Recency",
    "Relation",
    "Scheme",
    "SchemeError",
    "SchemeMismatch",
    "SharedConcept",
    "SharedMeaning",
    "SharedPassage",
    "SidecarIndex",
    "Span",
    "TextFingerprints",
    "VersionPolicy",
    "backfill",
    "compare",
    "connect",
    "dismiss",
    "estimate",
    "find_families",
    "fingerprint",
    "fingerprint_documents",
    "fingerprint_texts",
    "ingest",
    "install",
    "neighbour_query",
    "related",
    "related_query",
    "sweep",
    "undo",
]


def __getattr__(name: str) -> Any:
    """Load the names that need the Elasticsearch client."""
    import importlib

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = found
    return found
