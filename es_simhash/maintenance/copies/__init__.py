"""Passages that documents of different owners or families share, over a whole index."""
