"""OpenSearch behind the same store: the requests of Elasticsearch in the words of OpenSearch."""
