"""Indices of tests that ended, deleted some at a time."""

from collections.abc import Callable, Iterator

import pytest

# Each change of the cluster's state costs as much as the indices themselves. Their names have to
# fit into one line of a request.
_AT_A_TIME = 40

Discard = Callable[..., None]


@pytest.fixture(scope="session")
def discard(cluster_url: str) -> Iterator[Discard]:
    """Delete indices that no test uses again, soon or at the end; those that are there."""
    from es_simhash.store.elasticsearch.connection import connect

    names: list[str] = []

    with connect(cluster_url) as client:

        def delete() -> None:
            client.indices.delete(index=names, ignore_unavailable=True)
            names.clear()

        def add(*discarded: str) -> None:
            names.extend(discarded)
            if len(names) >= _AT_A_TIME:
                delete()

        yield add
        if names:
            delete()
