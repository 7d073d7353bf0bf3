"""Hostile input: texts, files and answers that are made to break what reads them."""
