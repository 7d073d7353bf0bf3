"""Pairs of documents that a person decided about, and no run decides any more."""

from collections import defaultdict
from collections.abc import Iterable

_Ids = tuple[str, str]
# A run, and a document that it decided about.
_Node = tuple[str, str]


class SettledPairs:
    """Pairs of documents of which neither becomes a version of the other.

    These are the dismissed pairs, and the documents whose decisions were undone. Undone decisions
    of one run hold together: of three versions of one text, of which two were flagged as versions
    of the first, the third would be flagged as a version of the second otherwise.

    Args:
        dismissed: Ids of dismissed documents.
        undone: The run and the ids of decisions that were undone.
    """

    def __init__(
        self, dismissed: Iterable[_Ids] = (), undone: Iterable[tuple[str, _Ids]] = ()
    ) -> None:
        self._dismissed = {frozenset(ids) for ids in dismissed}
        self._groups = _groups(undone)

    def binds(self, id: str, other: str) -> bool:
        """Check whether a person decided that one document is no version of the other."""
        if self._dismissed and frozenset((id, other)) in self._dismissed:
            return True
        groups = self._groups.get(id)
        return groups is not None and not groups.isdisjoint(self._groups.get(other, ()))


def _groups(undone: Iterable[tuple[str, _Ids]]) -> dict[str, set[_Node]]:
    """Return the groups of each document: those of one run that decisions connect."""
    parents: dict[_Node, _Node] = {}

    def root(node: _Node) -> _Node:
        parents.setdefault(node, node)
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for run, (id, other) in undone:
        parents[root((run, id))] = root((run, other))
    groups: dict[str, set[_Node]] = defaultdict(set)
    for node in list(parents):
        groups[node[1]].add(root(node))
    return dict(groups)
