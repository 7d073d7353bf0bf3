"""Candidates, compared pairs, links, families and copies: pure functions over arrays."""
