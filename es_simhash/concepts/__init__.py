"""Entities, words and phrases of a text, and what they mean; nothing here needs a client."""
