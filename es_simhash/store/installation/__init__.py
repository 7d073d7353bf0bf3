"""Indices in the cluster: installing the fields, and the state index of the user's index."""
