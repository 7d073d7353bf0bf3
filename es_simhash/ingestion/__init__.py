"""Writing documents together with their fingerprints."""
