"""The experiments of the write-ups that the project grew from, repeated with its own code."""
