"""The index that a command asks: with fingerprints of its own, or a sidecar."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from es_simhash.cli.options import Target
from es_simhash.cli.titles import Titles
from es_simhash.errors import EsSimhashError
from es_simhash.questions.document_contexts import documents_of
from es_simhash.questions.index import Index, open_index
from es_simhash.store.config import DocumentFields
from es_simhash.store.elasticsearch.gateway import Client
from es_simhash.store.protocol import run


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


def titles_of(index: Index, ids: Iterable[str]) -> Titles:
    """Return the titles of documents, where the index is configured with a field of them."""
    try:
        return Titles(run(documents_of(sorted(set(ids))), index.store))
    except EsSimhashError:
        # What the command did is done, and is shown by ids.
        return Titles()


def read_titles(client: Client, target: Target, ids: Iterable[str]) -> Titles:
    """Return the titles of documents of an index by its name."""
    return titles_of(open_index(client, target.index, target.config), ids)
