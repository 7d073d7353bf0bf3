"""Partition of linked texts into families, and the names of the families.

Each member is compared with the representative of its family. Everything here depends on the texts
alone, never on the order in which they were written.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.relation.thresholds import LEAST_KEPT, STEP_SCORE

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


def families_of(
    linked: Iterable[Node],
    neighbours: Mapping[Node, Collection[Node]],
    *,
    score: Callable[[Node, Node], float],
    kept: Callable[[Node, Node], float],
    rank: Callable[[Node], object],
    dismissed: Collection[Pair[Node]] = frozenset(),
) -> Iterator[list[Node]]:
    """Yield the families of linked texts, the representative first.

    The text that ranks highest represents its connected component. A member is a version of it, or
    small steps lead to it and something of the representative is left: a document that was revised
    sixty times stays one family, while texts of one form, which resemble each other little and all
    alike, do not join. What is neither, or is dismissed with a member that scores more, is removed,
    and partitioned into further families by the same rule.

    Args:
        linked: Texts.
        neighbours: Of each text, those it is linked with as versions; dismissed pairs are not.
        score: Of two texts; 0 when they are no versions of each other.
        kept: Of two texts, the share of the smaller that appears in the other.
        rank: The highest is the representative; no two texts have the same.
        dismissed: Pairs that are never of one family.
    """
    waiting = list(connected_components(linked, neighbours))
    while waiting:
        component = waiting.pop()
        representative = max(component, key=rank)  # type: ignore[arg-type]
        steps = _steps(representative, set(component), neighbours, score)
        scores = {node: score(representative, node) for node in component if node != representative}
        members = [
            node
            for node, found in scores.items()
            if found > 0 or (node in steps and kept(representative, node) >= LEAST_KEPT)
        ]
        members.sort(key=lambda node: (-scores[node], steps.get(node, 0), str(node)))
        family = _not_dismissed([representative, *members], dismissed)
        yield family
        waiting += connected_components(set(component).difference(family), neighbours)


def _not_dismissed(members: Sequence[Node], dismissed: Collection[Pair[Node]]) -> list[Node]:
    """Return members without those that are dismissed with one before them."""
    if not dismissed:
        return list(members)
    left: list[Node] = []
    for node in members:
        if not any(pair(node, member) in dismissed for member in left):
            left.append(node)
    return left


def _steps(
    start: Node,
    component: set[Node],
    neighbours: Mapping[Node, Collection[Node]],
    score: Callable[[Node, Node], float],
) -> dict[Node, int]:
    """Return the texts that small steps lead to, and how many."""
    steps = {start: 0}
    frontier = [start]
    while frontier:
        reached = []
        for node in frontier:
            for other in neighbours.get(node, ()):
                if other in component and other not in steps and score(node, other) >= STEP_SCORE:
                    steps[other] = steps[node] + 1
                    reached.append(other)
        frontier = reached
    return steps


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
