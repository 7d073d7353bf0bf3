"""Sweeps: bringing up to date what other writers added or changed."""
