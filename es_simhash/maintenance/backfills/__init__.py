"""Backfills: fingerprints for the documents an index has already."""
