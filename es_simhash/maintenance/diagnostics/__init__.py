"""Diagnostics: counts of an index, measurements of a sample, findings with advice."""
