"""Search options, candidate queries, hits and ranking: plain dicts and values, no client."""
