"""Vocabularies: synonym files and SKOS taxonomies, and the concepts they find in a text."""
