"""Formats of files that documents are read from, each behind one small protocol."""
