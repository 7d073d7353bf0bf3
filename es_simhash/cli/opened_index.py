"""The index that a command asks: with fingerprints of its own, or a sidecar."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from es_simhash.cli.options import Target
from es_simhash.questions.index import Index, open_index
from es_simhash.store.config import DocumentFields


@contextmanager
def opened(target: Target, *, date: str | None = None) -> Iterator[Index]:
    """Open an index, whether it has its fingerprints itself or is a sidecar.

    Args:
        target: Names it.
        date: Date field in place of that of the index; None for that.
    """
    config = replace(target.config, documents=DocumentFields(date=date))
    with target.connected(date=date) as gateway:
        yield open_index(gateway, target.index, config)
