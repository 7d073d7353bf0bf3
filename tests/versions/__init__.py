"""Old and new versions of Python, of dependencies and of engines: whether all works."""
