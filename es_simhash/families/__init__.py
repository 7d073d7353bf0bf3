"""Version families over a whole collection."""
