"""An Elasticsearch for development: for the demo of a clone, the tests and the benchmarks.

`engine` chooses between a cluster that answers, Docker and a local node, `node` starts, finds and
stops local nodes, `server` runs one of them in a folder, `distribution` and `java` get what it
needs. A node has a name, so that several may run side by side.
"""
