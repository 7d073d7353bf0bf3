"""Semantic profiles of texts: entities, concepts, vectors, and their similarity; pure."""
