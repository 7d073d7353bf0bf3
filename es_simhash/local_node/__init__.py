"""A local Elasticsearch for people without Docker: fetched from Maven Central, run on loopback.

`lifecycle` starts, finds and stops nodes, `finder` chooses between them, Docker and a cluster that
answers already. A node has a name (default: its version), so that two of them may run side by side.
"""
