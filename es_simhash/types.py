"""Types of what the verbs of an index return, and of their parts, to annotate with."""

from es_simhash.differences.difference import Change, Changes, ChangeSummary, KeyChange, MovedBlock
from es_simhash.differences.history import Blame, BlamedSentence, History, HistoryStep, Version
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.ingestion.bulk.outcomes import Displaced, IngestReport, Outcome
from es_simhash.ingestion.deduplication.version_decisions import Decision
from es_simhash.ingestion.ingest_settings import IngestProgress
from es_simhash.ingestion.undo import UndoReport
from es_simhash.maintenance.backfills.backfill_job import BackfillReport
from es_simhash.maintenance.backfills.estimate import Estimate
from es_simhash.maintenance.backgrounds.background_report import BackgroundReport, LearnedReport
from es_simhash.maintenance.families.dismissals_and_joins import ManualPair
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.version_pairs import VersionPair
from es_simhash.maintenance.sweeps.sweep import SweepReport
from es_simhash.maintenance.upgrades.upgrade import UpgradeReport
from es_simhash.pairs.copies import (
    Boilerplate,
    CopiedPassage,
    CopiesReport,
    Copy,
    CopySide,
    LeftOut,
)
from es_simhash.pairs.family_changes import Family, FamilyChanges, MovedDocument
from es_simhash.relation.answer import Extent
from es_simhash.relation.family_history import FamilyHistory, FamilyMember, NearDocument
from es_simhash.relation.field_evidence import FieldEvidence
from es_simhash.relation.loss import LostText
from es_simhash.relation.references import DocumentRef, LeftOutIndex
from es_simhash.relation.relation import Coverage, DocumentContext, Reuse, SharedPassage, Span
from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.semantics.semantic_profile import (
    Entity,
    Extraction,
    Phrase,
    SemanticProfile,
    TermWeights,
    WordTable,
)
from es_simhash.semantics.semantic_similarity import (
    NearWord,
    NearWords,
    SemanticSimilarity,
    SharedConcept,
)
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import DocumentSettings
from es_simhash.store.installation.install import Request
from es_simhash.store.installation.uninstall import UninstallReport

__all__ = [
    "AddedScheme",
    "BackfillReport",
    "Background",
    "BackgroundReport",
    "Blame",
    "BlamedSentence",
    "Boilerplate",
    "Change",
    "ChangeSummary",
    "Changes",
    "CopiedPassage",
    "CopiesReport",
    "Copy",
    "CopySide",
    "Coverage",
    "DatedVersion",
    "Decision",
    "Displaced",
    "DocumentContext",
    "DocumentRef",
    "DocumentSettings",
    "Entity",
    "Estimate",
    "Extent",
    "Extraction",
    "FamiliesReport",
    "Family",
    "FamilyChanges",
    "FamilyHistory",
    "FamilyMember",
    "FieldEvidence",
    "History",
    "HistoryStep",
    "IngestProgress",
    "IngestReport",
    "KeyChange",
    "LanguageBackground",
    "LearnedReport",
    "LeftOut",
    "LeftOutIndex",
    "LostText",
    "ManualPair",
    "MovedBlock",
    "MovedDocument",
    "NearDocument",
    "NearWord",
    "NearWords",
    "Outcome",
    "Phrase",
    "Request",
    "Reuse",
    "SemanticProfile",
    "SemanticSimilarity",
    "SharedConcept",
    "SharedPassage",
    "Span",
    "SweepReport",
    "TermWeights",
    "TextFingerprints",
    "Timeline",
    "UndoReport",
    "UninstallReport",
    "UpgradeReport",
    "Version",
    "VersionPair",
    "WordTable",
]
