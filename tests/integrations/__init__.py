"""Tests of the retrievers and post-processors of other libraries."""
