"""The command line: one file for each command; no other package imports this one."""

from es_simhash.cli.main import main

__all__ = ["main"]
