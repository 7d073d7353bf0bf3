"""Families: linked texts, each checked against the representative of its family.

Everything here depends on the texts alone, never on the order in which they came.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Pair = tuple[Node, Node]


def pair(one: Node, other: Node) -> Pair[Node]:
    """Return two nodes in their canonical order."""
    return (one, other) if str(one) <= str(other) else (other, one)


def connected(
    nodes: Iterable[Node], neighbours: Mapping[Node, Collection[Node]]
) -> Iterator[list[Node]]:
    """Yield the nodes that hang together, each group and the groups in canonical order."""
    waiting = dict.fromkeys(sorted(nodes, key=str))
    while waiting:
        first = next(iter(waiting))
        del waiting[first]
        group, frontier = [first], [first]
        while frontier:
            for node in neighbours.get(frontier.pop(), ()):
                if node in waiting:
                    del waiting[node]
                    group.append(node)
                    frontier.append(node)
        yield sorted(group, key=str)


def families_of(
    linked: Iterable[Node],
    neighbours: Mapping[Node, Collection[Node]],
    *,
    score: Callable[[Node, Node], float],
    rank: Callable[[Node], object],
    dismissed: Collection[Pair[Node]] = frozenset(),
) -> Iterator[list[Node]]:
    """Yield the families of linked texts, the representative first.

    The text that ranks highest represents those it hangs together with. Of these, whatever is no
    version of it, or is dismissed with it or with a member that scores more, is left out, and
    makes families of its own by the same rule.

    Args:
        linked: Texts.
        neighbours: Of each text, those it is linked with as versions; dismissed pairs are not.
        score: Of a representative and a possible member; 0 when that is none.
        rank: The highest is the representative; no two texts have the same.
        dismissed: Pairs that are never of one family.
    """
    waiting = list(connected(linked, neighbours))
    while waiting:
        group = waiting.pop()
        family = _members(group, score, rank, dismissed)
        yield family
        rest = set(group).difference(family)
        waiting += connected(rest, neighbours)


def _members(
    group: list[Node],
    score: Callable[[Node, Node], float],
    rank: Callable[[Node], object],
    dismissed: Collection[Pair[Node]],
) -> list[Node]:
    representative = max(group, key=rank)  # type: ignore[arg-type]
    scores = {each: score(representative, each) for each in group if each != representative}
    members = [representative]
    for each in sorted(scores, key=lambda each: (-scores[each], str(each))):
        apart = dismissed and any(pair(each, member) in dismissed for member in members)
        if scores[each] > 0 and not apart:
            members.append(each)
    return members
