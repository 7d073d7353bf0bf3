"""The command line: one file a command, nothing imports this package."""

from es_simhash.cli.main import main

__all__ = ["main"]
