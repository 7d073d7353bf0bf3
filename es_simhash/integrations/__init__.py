"""Retrievers and post-processors of other libraries, each in a module of its name."""
