"""`es-simhash ingest`: write documents with their fingerprints."""

import click


@click.command()
def ingest() -> None:
    """Write documents with their fingerprints into an index."""
