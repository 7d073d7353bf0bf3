"""Moving an index to another scheme while it is in use."""
