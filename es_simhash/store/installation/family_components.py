"""Families whose texts are linked and that are several all the same, in the state index.

A run over what changed reads them together: to find the links between their texts takes no search
of the index.
"""

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.pairs.merging import Pair, connected_components, neighbours_of
from es_simhash.pairs.text_links import Links
from es_simhash.store.installation.state_index import COMPONENT, StateIndex
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import PAGE

# Links of a component that are stored, 54 bytes each; those of others are found again.
_MOST_LINKS = 50_000
# Components that are read with one request.
_PAGE = 20
# Hashes of two texts, and their score.
_LINK = np.dtype([("one", "S16"), ("other", "S16"), ("score", "<f8")])
_HASH_BYTES = 16


@dataclass(frozen=True)
class Component:
    """Families that are linked.

    Attributes:
        names: Their names, ascending.
        links: Scores of all pairs of their texts that are linked, by the hashes of the texts; None
            where they are not stored.
    """

    names: tuple[str, ...]
    links: Links | None = None


# Components by the ids of their entries.
Stored = dict[str, Component]


class FamilyComponents:
    """The connected components with several families of an index; all others are one family each.

    Args:
        state: Its state index.
    """

    def __init__(self, state: StateIndex) -> None:
        self._state = state

    def ids(self) -> set[str]:
        """Return the ids of the entries of all components."""
        return {hit["_id"] for hit in self._state.hits(COMPONENT, without=["links"])}

    def of(self, families: Iterable[str]) -> Stored:
        """Return the components of families, by the names of these."""
        stored: Stored = {}
        for some in batches_of(sorted(families), PAGE):
            where = {"terms": {"family": some}}
            stored |= {
                hit["_id"]: _component(hit["_source"])
                for hit in self._state.hits(COMPONENT, where=where, page=_PAGE)
            }
        return stored

    def entries(
        self, components: Iterable[Component], stored: Collection[str]
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the actions that store components in place of those that are stored.

        Args:
            components: The components.
            stored: Ids of the entries of those that they replace.
        """
        gone = set(stored)
        for component in components:
            id = digest_of_key(COMPONENT, self._state.field, *component.names)
            gone.discard(id)
            yield self._state.entry(id, _entry(component))
        for id in sorted(gone):
            yield self._state.removal(id)


def linked_families(groups: Iterable[Collection[str]]) -> list[tuple[str, ...]]:
    """Return the names of families by component, from the names of those that are linked."""
    neighbours = neighbours_of(
        (first, other) for first, *others in map(sorted, groups) for other in others
    )
    return [tuple(names) for names in connected_components(neighbours, neighbours)]


def left_of(stored: Iterable[Component], processed: Collection[str]) -> list[Component]:
    """Return what is left of components without the families that a run has processed."""
    left = (
        tuple(name for name in component.names if name not in processed) for component in stored
    )
    return [Component(names) for names in left if len(names) > 1]


def _entry(component: Component) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": COMPONENT, "family": list(component.names)}
    if component.links is not None and len(component.links) <= _MOST_LINKS:
        entry["links"] = _packed(component.links)
    return entry


def _component(entry: Mapping[str, Any]) -> Component:
    return Component(tuple(sorted(entry["family"])), _unpacked(entry.get("links")))


def _packed(links: Links) -> str:
    rows = [(bytes.fromhex(one), bytes.fromhex(other), links[one, other]) for one, other in links]
    return base64.b64encode(np.array(rows, _LINK).tobytes()).decode()


def _unpacked(packed: str | None) -> dict[Pair[str], float] | None:
    """Return links from what is stored; None without any, or where it is damaged."""
    try:
        raw = base64.b64decode(packed or "", validate=True)
    except ValueError:
        return None
    if not raw or len(raw) % _LINK.itemsize:
        return None
    hashes: NDArray[np.uint8] = np.frombuffer(raw, np.uint8).reshape(-1, _LINK.itemsize)
    digits = hashes[:, : 2 * _HASH_BYTES].tobytes().hex()
    scores = np.frombuffer(raw, _LINK)["score"].tolist()
    width = 2 * _HASH_BYTES
    texts = [digits[start : start + width] for start in range(0, len(digits), width)]
    return dict(zip(zip(texts[::2], texts[1::2], strict=True), scores, strict=True))
