"""Extractors of words, phrases and entities: built-in rules, or a spaCy pipeline."""
