"""Decisions about versions before a document is written, their audit log, and undo."""
