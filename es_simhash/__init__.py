"""Find versions of documents, copied passages and semantic neighbours inside Elasticsearch.

Everything that needs a cluster takes an `elasticsearch.Elasticsearch` client; the rest needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from es_simhash.differences.text_changes import changes
    from es_simhash.errors import (
        ClusterError,
        DocumentAmbiguous,
        DocumentMissing,
        EsSimhashError,
        FileInUse,
        IndexMissing,
        InputError,
        MappingConflict,
        MissingExtra,
        SchemeError,
        SchemeMismatch,
        UnreadableParts,
    )
    from es_simhash.fingerprints.fingerprint_scheme import Scheme
    from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_texts
    from es_simhash.frames import frame
    from es_simhash.index import Index, SidecarIndex
    from es_simhash.ingestion.bulk.document_batches import BatchLimits
    from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
    from es_simhash.ingestion.deduplication.version_rules import OnVersion
    from es_simhash.ingestion.enrichment import fingerprint_documents
    from es_simhash.ingestion.ingest_settings import IngestSettings
    from es_simhash.ingestion.sources.source_format import Record, SourceFile, SourceFormat
    from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
    from es_simhash.maintenance.copies.copy_options import CopyOptions
    from es_simhash.maintenance.families.family_options import FamilyOptions
    from es_simhash.maintenance.sweeps.sweep import SweepSettings
    from es_simhash.maintenance.upgrades.upgrade import UpgradeOptions
    from es_simhash.pairs.distinct_hits import DistinctHit, distinct_hits
    from es_simhash.questions.async_index import AsyncIndex
    from es_simhash.questions.memory import MemoryIndex
    from es_simhash.questions.protocol import RelatedIndex
    from es_simhash.relation.answer import Answer
    from es_simhash.relation.relation import Relation, reason
    from es_simhash.relation.text_comparison import compare
    from es_simhash.semantics.profiler import profile_texts
    from es_simhash.semantics.semantic_scheme import SemanticScheme
    from es_simhash.store.config import DocumentFields, IndexConfig
    from es_simhash.store.connection import Connection
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.retry import RetryPolicy
    from es_simhash.store.options import Limits, Recency, SearchOptions

# Names are loaded when they are first used: who compares two texts needs no client, and who reads
# the version needs no numpy.
_MODULES = {
    "Answer": "es_simhash.relation.answer",
    "AsyncIndex": "es_simhash.questions.async_index",
    "BackfillSettings": "es_simhash.maintenance.backfills.backfill_job",
    "BatchLimits": "es_simhash.ingestion.bulk.document_batches",
    "ClusterError": "es_simhash.errors",
    "Connection": "es_simhash.store.connection",
    "CopyOptions": "es_simhash.maintenance.copies.copy_options",
    "DistinctHit": "es_simhash.pairs.distinct_hits",
    "DocumentAmbiguous": "es_simhash.errors",
    "DocumentFields": "es_simhash.store.config",
    "DocumentMissing": "es_simhash.errors",
    "EsSimhashError": "es_simhash.errors",
    "FamilyOptions": "es_simhash.maintenance.families.family_options",
    "FileInUse": "es_simhash.errors",
    "Index": "es_simhash.index",
    "IndexConfig": "es_simhash.store.config",
    "IndexMissing": "es_simhash.errors",
    "IngestSettings": "es_simhash.ingestion.ingest_settings",
    "InputError": "es_simhash.errors",
    "Limits": "es_simhash.store.options",
    "MappingConflict": "es_simhash.errors",
    "MemoryIndex": "es_simhash.questions.memory",
    "MissingExtra": "es_simhash.errors",
    "OnVersion": "es_simhash.ingestion.deduplication.version_rules",
    "Recency": "es_simhash.store.options",
    "Record": "es_simhash.ingestion.sources.source_format",
    "RelatedIndex": "es_simhash.questions.protocol",
    "Relation": "es_simhash.relation.relation",
    "RetryPolicy": "es_simhash.store.elasticsearch.retry",
    "Scheme": "es_simhash.fingerprints.fingerprint_scheme",
    "SchemeError": "es_simhash.errors",
    "SchemeMismatch": "es_simhash.errors",
    "SearchOptions": "es_simhash.store.options",
    "Selection": "es_simhash.maintenance.backfills.backfill_job",
    "SemanticScheme": "es_simhash.semantics.semantic_scheme",
    "SidecarIndex": "es_simhash.index",
    "SourceFile": "es_simhash.ingestion.sources.source_format",
    "SourceFormat": "es_simhash.ingestion.sources.source_format",
    "SweepSettings": "es_simhash.maintenance.sweeps.sweep",
    "UnreadableParts": "es_simhash.errors",
    "UpgradeOptions": "es_simhash.maintenance.upgrades.upgrade",
    "VersionPolicy": "es_simhash.ingestion.deduplication.version_policy",
    "changes": "es_simhash.differences.text_changes",
    "compare": "es_simhash.relation.text_comparison",
    "connect": "es_simhash.store.elasticsearch.connection",
    "distinct_hits": "es_simhash.pairs.distinct_hits",
    "fingerprint": "es_simhash.fingerprints.text_fingerprints",
    "fingerprint_documents": "es_simhash.ingestion.enrichment",
    "fingerprint_texts": "es_simhash.fingerprints.text_fingerprints",
    "frame": "es_simhash.frames",
    "profile_texts": "es_simhash.semantics.profiler",
    "reason": "es_simhash.relation.relation",
}

__all__ = [
    "Answer",
    "AsyncIndex",
    "BackfillSettings",
    "BatchLimits",
    "ClusterError",
    "Connection",
    "CopyOptions",
    "DistinctHit",
    "DocumentAmbiguous",
    "DocumentFields",
    "DocumentMissing",
    "EsSimhashError",
    "FamilyOptions",
    "FileInUse",
    "Index",
    "IndexConfig",
    "IndexMissing",
    "IngestSettings",
    "InputError",
    "Limits",
    "MappingConflict",
    "MemoryIndex",
    "MissingExtra",
    "OnVersion",
    "Recency",
    "Record",
    "RelatedIndex",
    "Relation",
    "RetryPolicy",
    "Scheme",
    "SchemeError",
    "SchemeMismatch",
    "SearchOptions",
    "Selection",
    "SemanticScheme",
    "SidecarIndex",
    "SourceFile",
    "SourceFormat",
    "SweepSettings",
    "UnreadableParts",
    "UpgradeOptions",
    "VersionPolicy",
    "changes",
    "compare",
    "connect",
    "distinct_hits",
    "fingerprint",
    "fingerprint_documents",
    "fingerprint_texts",
    "frame",
    "profile_texts",
    "reason",
]


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    member = getattr(import_module(_MODULES[name]), name)
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    return __all__
