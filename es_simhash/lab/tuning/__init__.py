"""Suggestions for an index from a sample of it: scheme, k, blocks and where versions begin."""
