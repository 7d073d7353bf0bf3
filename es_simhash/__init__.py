"""Find versions of documents and copied passages inside Elasticsearch."""
