"""Fingerprints, shingles and blocks of texts, for whole batches; pure."""
