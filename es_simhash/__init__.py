"""Find versions of documents, copied passages and semantic neighbours inside Elasticsearch.

Everything that needs a cluster takes an `elasticsearch.Elasticsearch` client; the rest needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from es_simhash.differences.difference import (
        Change,
        Changes,
        ChangeSummary,
        KeyChange,
        MovedBlock,
    )
    from es_simhash.differences.history import (
        Blame,
        BlamedSentence,
        History,
        HistoryStep,
        Version,
    )
    from es_simhash.differences.text_changes import changes
    from es_simhash.differences.version_timeline import DatedVersion, Timeline
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
    )
    from es_simhash.fingerprints.fingerprint_scheme import Scheme
    from es_simhash.fingerprints.text_fingerprints import (
        TextFingerprints,
        fingerprint,
        fingerprint_texts,
    )
    from es_simhash.index import Index
    from es_simhash.ingestion.bulk.document_batches import BatchLimits
    from es_simhash.ingestion.bulk.outcomes import Displaced, IngestReport, Outcome
    from es_simhash.ingestion.deduplication.version_decisions import Decision
    from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
    from es_simhash.ingestion.deduplication.version_rules import OnVersion
    from es_simhash.ingestion.enrichment import fingerprint_documents
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.ingestion.ingest_settings import IngestProgress, IngestSettings
    from es_simhash.ingestion.undo import UndoReport, undo
    from es_simhash.maintenance.backfills.backfill import BackfillSettings, backfill
    from es_simhash.maintenance.backfills.backfill_job import BackfillReport, Selection
    from es_simhash.maintenance.backfills.estimate import Estimate, estimate
    from es_simhash.maintenance.copies.copy_options import CopyOptions
    from es_simhash.maintenance.copies.find_copies import find_copies
    from es_simhash.maintenance.families.dismissals_and_joins import (
        ManualPair,
        dismiss,
        join,
        lift_undone,
        manual_pairs,
    )
    from es_simhash.maintenance.families.family_options import FamilyOptions
    from es_simhash.maintenance.families.family_report import FamiliesReport
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.maintenance.sweeps.sweep import SweepReport, SweepSettings, sweep
    from es_simhash.pairs.copies import (
        Boilerplate,
        CopiedPassage,
        CopiesReport,
        Copy,
        CopySide,
        LeftOut,
    )
    from es_simhash.pairs.family_changes import Family, FamilyChanges, MovedDocument
    from es_simhash.questions.async_index import AsyncIndex
    from es_simhash.questions.index import SidecarIndex
    from es_simhash.questions.memory import MemoryIndex
    from es_simhash.questions.protocol import RelatedIndex
    from es_simhash.relation.answer import Answer, Extent
    from es_simhash.relation.family_history import FamilyHistory, FamilyMember, NearDocument
    from es_simhash.relation.references import DocumentRef
    from es_simhash.relation.relation import (
        Coverage,
        DocumentContext,
        Relation,
        Reuse,
        SharedPassage,
        Span,
        reason,
    )
    from es_simhash.relation.text_comparison import compare
    from es_simhash.semantics.profiler import profile_texts
    from es_simhash.semantics.semantic_profile import (
        Entity,
        SemanticProfile,
        SemanticSimilarity,
        SharedConcept,
    )
    from es_simhash.semantics.semantic_scheme import SemanticScheme
    from es_simhash.store.added_schemes import AddedScheme
    from es_simhash.store.config import IndexConfig
    from es_simhash.store.document_fields import DocumentFields, DocumentSettings
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.retry import RetryPolicy
    from es_simhash.store.installation.document_settings import configure, document_settings
    from es_simhash.store.installation.install import Request, install
    from es_simhash.store.installation.proposal import propose_settings
    from es_simhash.store.options import Limits, Recency, SearchOptions

# Names are loaded when they are first used: who compares two texts needs no client, and who reads
# the version needs no numpy.
_MODULES = {
    "AddedScheme": "es_simhash.store.added_schemes",
    "Answer": "es_simhash.relation.answer",
    "AsyncIndex": "es_simhash.questions.async_index",
    "BackfillReport": "es_simhash.maintenance.backfills.backfill_job",
    "BackfillSettings": "es_simhash.maintenance.backfills.backfill",
    "BatchLimits": "es_simhash.ingestion.bulk.document_batches",
    "Blame": "es_simhash.differences.history",
    "BlamedSentence": "es_simhash.differences.history",
    "Boilerplate": "es_simhash.pairs.copies",
    "Change": "es_simhash.differences.difference",
    "ChangeSummary": "es_simhash.differences.difference",
    "Changes": "es_simhash.differences.difference",
    "ClusterError": "es_simhash.errors",
    "CopiedPassage": "es_simhash.pairs.copies",
    "CopiesReport": "es_simhash.pairs.copies",
    "Copy": "es_simhash.pairs.copies",
    "CopyOptions": "es_simhash.maintenance.copies.copy_options",
    "CopySide": "es_simhash.pairs.copies",
    "Coverage": "es_simhash.relation.relation",
    "DatedVersion": "es_simhash.differences.version_timeline",
    "Decision": "es_simhash.ingestion.deduplication.version_decisions",
    "Displaced": "es_simhash.ingestion.bulk.outcomes",
    "DocumentAmbiguous": "es_simhash.errors",
    "DocumentContext": "es_simhash.relation.relation",
    "DocumentFields": "es_simhash.store.document_fields",
    "DocumentMissing": "es_simhash.errors",
    "DocumentRef": "es_simhash.relation.references",
    "DocumentSettings": "es_simhash.store.document_fields",
    "Entity": "es_simhash.semantics.semantic_profile",
    "EsSimhashError": "es_simhash.errors",
    "Estimate": "es_simhash.maintenance.backfills.estimate",
    "Extent": "es_simhash.relation.answer",
    "FamiliesReport": "es_simhash.maintenance.families.family_report",
    "Family": "es_simhash.pairs.family_changes",
    "FamilyChanges": "es_simhash.pairs.family_changes",
    "FamilyHistory": "es_simhash.relation.family_history",
    "FamilyMember": "es_simhash.relation.family_history",
    "FamilyOptions": "es_simhash.maintenance.families.family_options",
    "FileInUse": "es_simhash.errors",
    "History": "es_simhash.differences.history",
    "HistoryStep": "es_simhash.differences.history",
    "Index": "es_simhash.index",
    "IndexConfig": "es_simhash.store.config",
    "IndexMissing": "es_simhash.errors",
    "IngestProgress": "es_simhash.ingestion.ingest_settings",
    "IngestReport": "es_simhash.ingestion.bulk.outcomes",
    "IngestSettings": "es_simhash.ingestion.ingest_settings",
    "InputError": "es_simhash.errors",
    "KeyChange": "es_simhash.differences.difference",
    "LeftOut": "es_simhash.pairs.copies",
    "Limits": "es_simhash.store.options",
    "ManualPair": "es_simhash.maintenance.families.dismissals_and_joins",
    "MappingConflict": "es_simhash.errors",
    "MemoryIndex": "es_simhash.questions.memory",
    "MissingExtra": "es_simhash.errors",
    "MovedBlock": "es_simhash.differences.difference",
    "MovedDocument": "es_simhash.pairs.family_changes",
    "NearDocument": "es_simhash.relation.family_history",
    "OnVersion": "es_simhash.ingestion.deduplication.version_rules",
    "Outcome": "es_simhash.ingestion.bulk.outcomes",
    "Recency": "es_simhash.store.options",
    "RelatedIndex": "es_simhash.questions.protocol",
    "Relation": "es_simhash.relation.relation",
    "Request": "es_simhash.store.installation.install",
    "RetryPolicy": "es_simhash.store.elasticsearch.retry",
    "Reuse": "es_simhash.relation.relation",
    "Scheme": "es_simhash.fingerprints.fingerprint_scheme",
    "SchemeError": "es_simhash.errors",
    "SchemeMismatch": "es_simhash.errors",
    "SearchOptions": "es_simhash.store.options",
    "Selection": "es_simhash.maintenance.backfills.backfill_job",
    "SemanticProfile": "es_simhash.semantics.semantic_profile",
    "SemanticScheme": "es_simhash.semantics.semantic_scheme",
    "SemanticSimilarity": "es_simhash.semantics.semantic_profile",
    "SharedConcept": "es_simhash.semantics.semantic_profile",
    "SharedPassage": "es_simhash.relation.relation",
    "SidecarIndex": "es_simhash.questions.index",
    "Span": "es_simhash.relation.relation",
    "SweepReport": "es_simhash.maintenance.sweeps.sweep",
    "SweepSettings": "es_simhash.maintenance.sweeps.sweep",
    "TextFingerprints": "es_simhash.fingerprints.text_fingerprints",
    "Timeline": "es_simhash.differences.version_timeline",
    "UndoReport": "es_simhash.ingestion.undo",
    "Version": "es_simhash.differences.history",
    "VersionPolicy": "es_simhash.ingestion.deduplication.version_policy",
    "backfill": "es_simhash.maintenance.backfills.backfill",
    "changes": "es_simhash.differences.text_changes",
    "compare": "es_simhash.relation.text_comparison",
    "configure": "es_simhash.store.installation.document_settings",
    "connect": "es_simhash.store.elasticsearch.connection",
    "dismiss": "es_simhash.maintenance.families.dismissals_and_joins",
    "document_settings": "es_simhash.store.installation.document_settings",
    "estimate": "es_simhash.maintenance.backfills.estimate",
    "find_copies": "es_simhash.maintenance.copies.find_copies",
    "find_families": "es_simhash.maintenance.families.find_families",
    "fingerprint": "es_simhash.fingerprints.text_fingerprints",
    "fingerprint_documents": "es_simhash.ingestion.enrichment",
    "fingerprint_texts": "es_simhash.fingerprints.text_fingerprints",
    "ingest": "es_simhash.ingestion.ingest",
    "install": "es_simhash.store.installation.install",
    "join": "es_simhash.maintenance.families.dismissals_and_joins",
    "lift_undone": "es_simhash.maintenance.families.dismissals_and_joins",
    "manual_pairs": "es_simhash.maintenance.families.dismissals_and_joins",
    "profile_texts": "es_simhash.semantics.profiler",
    "propose_settings": "es_simhash.store.installation.proposal",
    "reason": "es_simhash.relation.relation",
    "sweep": "es_simhash.maintenance.sweeps.sweep",
    "undo": "es_simhash.ingestion.undo",
}

__all__ = [
    "AddedScheme",
    "Answer",
    "AsyncIndex",
    "BackfillReport",
    "BackfillSettings",
    "BatchLimits",
    "Blame",
    "BlamedSentence",
    "Boilerplate",
    "Change",
    "ChangeSummary",
    "Changes",
    "ClusterError",
    "CopiedPassage",
    "CopiesReport",
    "Copy",
    "CopyOptions",
    "CopySide",
    "Coverage",
    "DatedVersion",
    "Decision",
    "Displaced",
    "DocumentAmbiguous",
    "DocumentContext",
    "DocumentFields",
    "DocumentMissing",
    "DocumentRef",
    "DocumentSettings",
    "Entity",
    "EsSimhashError",
    "Estimate",
    "Extent",
    "FamiliesReport",
    "Family",
    "FamilyChanges",
    "FamilyHistory",
    "FamilyMember",
    "FamilyOptions",
    "FileInUse",
    "History",
    "HistoryStep",
    "Index",
    "IndexConfig",
    "IndexMissing",
    "IngestProgress",
    "IngestReport",
    "IngestSettings",
    "InputError",
    "KeyChange",
    "LeftOut",
    "Limits",
    "ManualPair",
    "MappingConflict",
    "MemoryIndex",
    "MissingExtra",
    "MovedBlock",
    "MovedDocument",
    "NearDocument",
    "OnVersion",
    "Outcome",
    "Recency",
    "RelatedIndex",
    "Relation",
    "Request",
    "RetryPolicy",
    "Reuse",
    "Scheme",
    "SchemeError",
    "SchemeMismatch",
    "SearchOptions",
    "Selection",
    "SemanticProfile",
    "SemanticScheme",
    "SemanticSimilarity",
    "SharedConcept",
    "SharedPassage",
    "SidecarIndex",
    "Span",
    "SweepReport",
    "SweepSettings",
    "TextFingerprints",
    "Timeline",
    "UndoReport",
    "Version",
    "VersionPolicy",
    "backfill",
    "changes",
    "compare",
    "configure",
    "connect",
    "dismiss",
    "document_settings",
    "estimate",
    "find_copies",
    "find_families",
    "fingerprint",
    "fingerprint_documents",
    "fingerprint_texts",
    "ingest",
    "install",
    "join",
    "lift_undone",
    "manual_pairs",
    "profile_texts",
    "propose_settings",
    "reason",
    "sweep",
    "undo",
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
