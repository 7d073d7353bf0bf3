"""Version families over a whole index."""
