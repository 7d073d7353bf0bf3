"""The HTTP API: what a web site asks for the documents related to one of its own."""
