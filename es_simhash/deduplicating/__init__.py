"""Deciding, before a document is written, what to do with a version of one that is there."""

from es_simhash.deduplicating.audit import open_audit, read_audit
from es_simhash.deduplicating.decision import Decision
from es_simhash.deduplicating.policy import VersionPolicy
from es_simhash.deduplicating.records import Audit
from es_simhash.deduplicating.rules import ACTIONS, KEEPS, OnVersion
from es_simhash.deduplicating.undoing import Undone, undo

__all__ = [
    "ACTIONS",
    "KEEPS",
    "Audit",
    "Decision",
    "OnVersion",
    "Undone",
    "VersionPolicy",
    "open_audit",
    "read_audit",
    "undo",
]
