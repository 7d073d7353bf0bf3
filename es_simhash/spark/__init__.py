"""Bulk work on Spark: fingerprints, families, decisions and copies of documents in DataFrames."""
