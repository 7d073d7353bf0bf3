"""Families whose texts are linked and that are several all the same, in the state index.

A run over what changed reads them together: to find the links between their texts takes no search
of the index.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.pairs.merging import connected_components, neighbours_of
from es_simhash.store.installation.state_index import COMPONENT, StateIndex
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import PAGE

# Names of the families of a component, ascending.
Component = tuple[str, ...]
# Components by the ids of their entries.
Stored = dict[str, Component]


class FamilyComponents:
    """The connected components with several families of an index; all others are one family each.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        self._state = state

    def all(self) -> Stored:
        """Return all components."""
        return _components(self._state.hits(COMPONENT))

    def of(self, families: Iterable[str]) -> Stored:
        """Return the components of families, by the names of these."""
        stored: Stored = {}
        for some in batches_of(sorted(families), PAGE):
            where = {"terms": {"family": some}}
            stored |= _components(self._state.hits(COMPONENT, where=where))
        return stored

    def entries(
        self, components: Iterable[Component], stored: Mapping[str, Component]
    ) -> list[list[dict[str, Any]]]:
        """Return the actions that store components in place of those that are stored.

        Args:
            components: The components.
            stored: Those that they replace.
        """
        found = {digest_of_key(COMPONENT, self._state.field, *names): names for names in components}
        new = sorted(found.keys() - stored.keys())
        gone = sorted(stored.keys() - found.keys())
        return [
            *(self._state.entry(id, {"kind": COMPONENT, "family": list(found[id])}) for id in new),
            *(self._state.removal(id) for id in gone),
        ]


def linked_components(groups: Iterable[Collection[str]]) -> list[Component]:
    """Return the components of families, from the names of those that have something in common."""
    neighbours = neighbours_of(
        (first, other) for first, *others in map(sorted, groups) for other in others
    )
    return [tuple(names) for names in connected_components(neighbours, neighbours)]


def left_of(stored: Iterable[Component], processed: Collection[str]) -> list[Component]:
    """Return what is left of components without the families that a run has processed."""
    left = (tuple(name for name in names if name not in processed) for names in stored)
    return [names for names in left if len(names) > 1]


def _components(hits: Iterable[Mapping[str, Any]]) -> Stored:
    return {hit["_id"]: tuple(sorted(hit["_source"]["family"])) for hit in hits}
