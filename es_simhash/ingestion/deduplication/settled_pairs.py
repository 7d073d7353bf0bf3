"""Pairs of documents that a person decided about: no run decides otherwise."""

from collections import defaultdict
from collections.abc import Iterable

from es_simhash.relation.manual_pairs import JoinedGroups

_Ids = tuple[str, str]
# A run, and a document that it decided about.
_Node = tuple[str, str]


class SettledPairs:
    """Pairs of documents of which neither becomes a version of the other, or one always does.

    The first are the dismissed pairs, and the documents whose decisions were undone. Undone
    decisions of one run hold together: of three versions of one text, of which two were flagged as
    versions of the first, the third would be flagged as a version of the second otherwise. The
    others are those that were joined.

    Args:
        dismissed: Ids of dismissed documents.
        undone: The run and the ids of decisions that were undone.
        joined: Ids of joined documents.
    """

    def __init__(
        self,
        dismissed: Iterable[_Ids] = (),
        undone: Iterable[tuple[str, _Ids]] = (),
        joined: Iterable[_Ids] = (),
    ) -> None:
        self._dismissed = {frozenset(ids) for ids in dismissed}
        self._groups = _groups(undone)
        self._joined = JoinedGroups(joined)

    def joined_with(self, id: str) -> frozenset[str]:
        """Return the ids of the documents that a person joined with one, unless it is bound."""
        others = self._joined.others(id)
        return frozenset(other for other in others if not self.binds(id, other))

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
