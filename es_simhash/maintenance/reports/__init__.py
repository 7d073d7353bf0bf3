"""A report of a whole index, as a page to mail: how much of it is versions and copies."""
