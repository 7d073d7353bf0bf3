"""Indices in the cluster: installing the fields, and the state index beside the user's index."""
