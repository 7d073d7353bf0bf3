"""Writing documents together with their fingerprints.

`ingest` takes documents of a program, `ingest_sources` files and folders, and
`fingerprint_documents` only adds the fingerprints, for a program with its own way to write.
"""

import sys
from types import ModuleType

from es_simhash.ingest.adding import fingerprint_documents
from es_simhash.ingest.batches import Mark
from es_simhash.ingest.outcome import Outcome
from es_simhash.ingest.reading import Limits, Source, open_sources
from es_simhash.ingest.running import Progress, Settings, ingest, ingest_sources
from es_simhash.ingest.sending import Patience

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


class _Callable(ModuleType):
    """Lets `from es_simhash import ingest` be called when this package was imported before.

    Python then finds the package under that name, not the function.
    """

    __call__ = staticmethod(ingest)


sys.modules[__name__].__class__ = _Callable
