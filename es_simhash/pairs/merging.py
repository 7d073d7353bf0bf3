"""Families of linked texts, merged from the closest (agglomerative clustering)."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from es_simhash.relation.thresholds import LEAST_KEPT, STEP_SCORE

Node = TypeVar("Node", bound=Hashable)
Pair = tuple[Node, Node]


def pair(one: Node, other: Node) -> Pair[Node]:
    """Return two nodes in their canonical order."""
    return (one, other) if str(one) <= str(other) else (other, one)


def neighbours_of(links: Iterable[Pair[Node]]) -> dict[Node, list[Node]]:
    """Return of each node those it is linked with."""
    neighbours: dict[Node, list[Node]] = defaultdict(list)
    for one, other in links:
        neighbours[one].append(other)
        neighbours[other].append(one)
    return neighbours


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


@dataclass(frozen=True)
class Comparison(Generic[Node]):
    """How texts are compared.

    Attributes:
        score: Of two texts; 0 when they are no versions of each other.
        kept: Of two texts, the share of the smaller that appears in the other.
        rank: The highest is the representative; no two texts have the same.
    """

    score: Callable[[Node, Node], float]
    kept: Callable[[Node, Node], float]
    rank: Callable[[Node], Any]


def families_of(
    linked: Iterable[Node],
    neighbours: Mapping[Node, Collection[Node]],
    comparison: Comparison[Node],
    apart: Mapping[Node, Collection[Node]] | None = None,
) -> Iterator[list[Node]]:
    """Yield the families of linked texts, the representative first.

    Two families are merged when each text of the one belongs to the representative of the other,
    the text that ranks highest: it is a version of it, or small steps lead to it and something of
    the representative is left. So a document that was revised sixty times is one family; texts of
    one form, which resemble each other little and all alike, do not join; and no text leaves its
    closest version for one that is less close.

    Args:
        linked: Texts.
        neighbours: Of each text, those it is linked with as versions; dismissed pairs are not.
        comparison: How they are compared.
        apart: Of a text, those that are never of its family, from both sides; None for none.
    """
    for component in connected_components(linked, neighbours):
        yield from _Merging(component, neighbours, comparison, apart or {}).families()


class _Merging(Generic[Node]):
    """The families of one connected component.

    Args:
        component: Its texts.
        neighbours: As in `families_of`.
        comparison: As in `families_of`.
        apart: Of a text, those that are never of its family.
    """

    def __init__(
        self,
        component: Sequence[Node],
        neighbours: Mapping[Node, Collection[Node]],
        comparison: Comparison[Node],
        apart: Mapping[Node, Collection[Node]],
    ) -> None:
        self._comparison = comparison
        self._apart = apart
        # Of each representative its family, itself included; of each text its representative.
        self._members = {node: [node] for node in component}
        self._representatives = {node: node for node in component}
        self._links = self._closest_first(neighbours)
        self._steps: dict[Node, list[Node]] = defaultdict(list)
        for score, one, other in self._links:
            if score >= STEP_SCORE:
                self._steps[one].append(other)
                self._steps[other].append(one)

    def _closest_first(
        self, neighbours: Mapping[Node, Collection[Node]]
    ) -> list[tuple[float, Node, Node]]:
        score = self._comparison.score
        links = [
            (score(node, other), node, other)
            for node in self._members
            for other in neighbours.get(node, ())
            if str(node) < str(other) and other in self._members
        ]
        return sorted(links, key=lambda link: (-link[0], str(link[1]), str(link[2])))

    def families(self) -> Iterator[list[Node]]:
        """Merge what belongs together, and yield the families."""
        refused = set()
        for _, one, other in self._links:
            ends = {self._representatives[one], self._representatives[other]}
            if len(self._members) == 1:
                break
            if len(ends) == 1:
                continue
            lower, higher = sorted(ends, key=self._comparison.rank)
            # Neither of them has grown since a merger of the two was refused.
            merger = lower, len(self._members[lower]), higher, len(self._members[higher])
            if merger in refused:
                continue
            if self._belong_together(lower, higher):
                self._merge(lower, higher)
            else:
                refused.add(merger)
        yield from map(self._ordered, self._members)

    def _belong_together(self, lower: Node, higher: Node) -> bool:
        losing, winning = self._members[lower], self._members[higher]
        if any(not frozenset(self._apart.get(node, ())).isdisjoint(winning) for node in losing):
            return False
        reached: dict[Node, int] | None = None
        for node in losing:
            if self._comparison.score(higher, node) > 0:
                continue
            if self._comparison.kept(higher, node) < LEAST_KEPT:
                return False
            reached = self._steps_from(higher, {*losing, *winning}) if reached is None else reached
            if node not in reached:
                return False
        return True

    def _merge(self, lower: Node, higher: Node) -> None:
        for node in self._members[lower]:
            self._representatives[node] = higher
        self._members[higher] += self._members.pop(lower)

    def _ordered(self, representative: Node) -> list[Node]:
        """Return a family, what is closest to its representative first."""
        members = self._members[representative]
        steps = self._steps_from(representative, set(members))
        scores = {node: self._comparison.score(representative, node) for node in members[1:]}
        others = sorted(scores, key=lambda node: (-scores[node], steps.get(node, 0), str(node)))
        return [representative, *others]

    def _steps_from(self, start: Node, members: Collection[Node]) -> dict[Node, int]:
        """Return the members that small steps lead to, and how many."""
        steps = {start: 0}
        frontier = [start]
        while frontier:
            reached = []
            for node in frontier:
                for other in self._steps.get(node, ()):
                    if other in members and other not in steps:
                        steps[other] = steps[node] + 1
                        reached.append(other)
            frontier = reached
        return steps
