"""Related documents: options, candidate queries, ranking, and the indices that answer."""
