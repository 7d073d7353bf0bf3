"""How an index stands: coverage, a sample, findings."""
