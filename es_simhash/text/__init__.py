"""Size limits, normal form, tokens, chunks and offsets of texts; pure."""
