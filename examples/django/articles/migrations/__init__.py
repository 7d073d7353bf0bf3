"""Tables of the application."""
