"""The only package that imports the Elasticsearch client: connection, requests, retries, errors."""
