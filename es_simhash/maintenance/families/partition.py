"""Connected components of linked texts, and the names of their families.

Everything here depends on the texts alone, never on the order in which they were written.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from es_simhash.fingerprints.hashing import digest_of_key

Node = TypeVar("Node", bound=Hashable)
Pair = tuple[Node, Node]
_NAME_DIGITS = 16


def pair(one: Node, other: Node) -> Pair[Node]:
    """Return two nodes in their canonical order."""
    return (one, other) if str(one) <= str(other) else (other, one)


def connected_components(
    nodes: Iterable[Node], neighbours: Mapping[Node, Collection[Node]]
) -> Iterator[list[Node]]:
    """Yield the connected components of a graph; they and their nodes in canonical order."""
    waiting = dict.fromkeys(sorted(nodes, key=str))
    while waiting:
        first = next(iter(waiting))
        del waiting[first]
        component, frontier = [first], [first]
        while frontier:
            for node in neighbours.get(frontier.pop(), ()):
                if node in waiting:
                    del waiting[node]
                    component.append(node)
                    frontier.append(node)
        yield sorted(component, key=str)


def family_names(
    families: Sequence[Sequence[str]],
    stored_names: Mapping[str, Sequence[str]],
    taken: Collection[str] = frozenset(),
) -> list[str]:
    """Return a name for each family that no other has.

    A family keeps the name that most of its documents have. When two families have documents of
    one name, as after a family fell apart, the one with more of them keeps it. A new family is
    named by the smallest content hash in it, whatever the order of its texts.

    Args:
        families: Content hashes of the texts of each family.
        stored_names: Families that the documents of a text have, by its hash.
        taken: Names of families that are not among these.
    """
    counts = [
        Counter(name for text in family for name in stored_names[text]) for family in families
    ]
    claims = [
        (-count, name, min(families[number]), number)
        for number, names in enumerate(counts)
        for name, count in names.items()
    ]
    assigned: dict[int, str] = {}
    used = set(taken)
    for _, name, _, number in sorted(claims):
        if number not in assigned and name not in used:
            assigned[number] = name
            used.add(name)
    unnamed = set(range(len(families))) - assigned.keys()
    for number in sorted(unnamed, key=lambda number: min(families[number])):
        assigned[number] = _unused_name(sorted(families[number]), used)
        used.add(assigned[number])
    return [assigned[number] for number in range(len(families))]


def _unused_name(hashes: Sequence[str], used: Collection[str]) -> str:
    for content_hash in hashes:
        if content_hash[:_NAME_DIGITS] not in used:
            return content_hash[:_NAME_DIGITS]
    return digest_of_key(*hashes)
