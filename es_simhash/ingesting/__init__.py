"""Writing documents together with their fingerprints.

`ingest` takes documents of a program, `ingest_sources` files and folders, and
`fingerprint_documents` only adds the fingerprints, for a program with its own way to write.
"""

from es_simhash.ingesting.adding import fingerprint_documents
from es_simhash.ingesting.batches import Mark
from es_simhash.ingesting.outcome import Outcome
from es_simhash.ingesting.reading import Limits, Source, open_sources
from es_simhash.ingesting.running import Settings
from es_simhash.ingesting.sending import Patience
from es_simhash.ingesting.starting import Progress, ingest, ingest_sources

__all__ = [
    "Limits",
    "Mark",
    "Outcome",
    "Patience",
    "Progress",
    "Settings",
    "Source",
    "fingerprint_documents",
    "ingest",
    "ingest_sources",
    "open_sources",
]
