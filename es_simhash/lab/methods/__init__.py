"""Methods of near-duplicate detection behind one protocol: the project's own and its baselines."""
