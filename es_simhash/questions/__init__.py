"""The indices that answer: one with the fields, one with a sidecar, one in memory."""
