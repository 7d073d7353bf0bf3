"""Documents read from files or programs, prepared in processes, and written in bulk requests."""
