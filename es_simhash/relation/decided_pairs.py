"""Pairs that a person decided: documents that are versions, and documents that are not."""

from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
_Ids = tuple[str, str]


class JoinedGroups(Generic[Node]):
    """The groups that pairs make: who is joined with two others joins these as well.

    Args:
        pairs: Pairs that are joined.
    """

    def __init__(self, pairs: Iterable[tuple[Node, Node]] = ()) -> None:
        self._neighbours: dict[Node, set[Node]] = defaultdict(set)
        for one, other in pairs:
            self._neighbours[one].add(other)
            self._neighbours[other].add(one)
        self._groups: dict[Node, frozenset[Node]] = {}
        for node in self._neighbours:
            if node not in self._groups:
                group = frozenset(self._reached(node))
                self._groups.update(dict.fromkeys(group, group))

    def __bool__(self) -> bool:
        return bool(self._groups)

    @classmethod
    def of_texts(
        cls, pairs: Iterable[tuple[Node, Node]], texts: Mapping[Node, Collection[Node]]
    ) -> "JoinedGroups[Node]":
        """Return the groups of texts whose documents are joined, over documents that are gone too.

        Args:
            pairs: Pairs of ids.
            texts: Texts by id; in several indices of an alias, an id may have several.
        """
        by_document = cls(pairs)
        text_groups = (
            sorted({text for node in group for text in texts.get(node, ())}, key=str)
            for group in set(by_document._groups.values())
        )
        return cls(pair for group in text_groups for pair in pairwise(group))

    @property
    def members(self) -> Collection[Node]:
        """All that are joined with any."""
        return self._groups.keys()

    def group(self, node: Node) -> frozenset[Node]:
        """Return a node with all that are joined with it; itself alone where none is."""
        return self._groups.get(node, frozenset((node,)))

    def others(self, node: Node) -> frozenset[Node]:
        """Return all that are joined with a node."""
        return self.group(node) - {node}

    def path(self, start: Node, end: Node) -> list[Node]:
        """Return the shortest way from one to another over what is joined; empty without one."""
        before = self._reached(start)
        if end not in before:
            return []
        path = [end]
        while path[-1] != start:
            path.append(before[path[-1]])
        return path[::-1]

    def _reached(self, start: Node) -> dict[Node, Node]:
        """Return what is joined with a node, each with the one before it."""
        before = {start: start}
        waiting = deque((start,))
        while waiting:
            node = waiting.popleft()
            for other in sorted(self._neighbours.get(node, ()), key=str):
                if other not in before:
                    before[other] = node
                    waiting.append(other)
        return before


@dataclass(frozen=True)
class ManualPairsOfDocument:
    """A person's decisions about one document.

    Attributes:
        dismissed: Ids of documents that are no versions of it.
        joined: Ids of documents that were joined with it.
    """

    dismissed: Collection[str] = ()
    joined: Collection[str] = ()


NO_MANUAL_PAIRS = ManualPairsOfDocument()


@dataclass(frozen=True)
class ManualPairs:
    """A person's decisions about pairs of documents.

    Undone decisions of one run hold together: of three versions of one text, of which two were
    flagged as versions of the first, the third would be flagged as a version of the second
    otherwise.

    Attributes:
        dismissed: Ids of the documents that each was dismissed with, by its own id.
        joined: Groups of ids that were joined.
        undone: Groups of run and id that undone decisions connect, by each id in them.
    """

    dismissed: Mapping[str, Collection[str]] = field(default_factory=dict)
    joined: JoinedGroups[str] = field(default_factory=JoinedGroups)
    undone: Mapping[str, Set[frozenset[_Ids]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        dismissed: Iterable[_Ids] = (),
        joined: Iterable[_Ids] = (),
        undone: Iterable[tuple[str, _Ids]] = (),
    ) -> "ManualPairs":
        """Return the decisions that pairs make.

        Args:
            dismissed: Ids of dismissed documents.
            joined: Ids of joined documents.
            undone: The run and the ids of decisions that were undone.
        """
        others: dict[str, set[str]] = defaultdict(set)
        for id_a, id_b in dismissed:
            others[id_a].add(id_b)
            others[id_b].add(id_a)
        return cls(dict(others), JoinedGroups(joined), _undone_groups(undone))

    @classmethod
    def of_texts(
        cls,
        dismissed: Iterable[_Ids],
        joined: Iterable[_Ids],
        texts: Mapping[str, Collection[str]],
    ) -> "ManualPairs":
        """Return what pairs of documents say about their texts.

        Copies of one text are always of one family, so that nothing keeps them apart.

        Args:
            dismissed: Pairs of ids.
            joined: Pairs of ids.
            texts: Hashes of texts by id; a decision counts for all documents that have the id.
        """
        pairs = [pair for a, b in dismissed for pair in product(texts.get(a, ()), texts.get(b, ()))]
        apart = cls.of([(one, other) for one, other in pairs if one != other], ())
        return cls(apart.dismissed, JoinedGroups.of_texts(joined, texts))

    def dismissed_pairs(self) -> Iterator[_Ids]:
        """Yield what was dismissed, each pair from both sides."""
        for one, others in self.dismissed.items():
            yield from ((one, other) for other in others)

    def others(self, one: str) -> frozenset[str]:
        """Return all that one was joined or dismissed with."""
        return self.joined.others(one).union(self.dismissed.get(one, ()))

    def parts(self, one: str, others: Iterable[str]) -> bool:
        """Check whether one is dismissed with any of others."""
        return not frozenset(self.dismissed.get(one, ())).isdisjoint(others)

    def keeps_apart(self, one: str, other: str) -> bool:
        """Check whether a document is no version of another: dismissed, or undone."""
        if other in self.dismissed.get(one, ()):
            return True
        groups = self.undone.get(one)
        return groups is not None and not groups.isdisjoint(self.undone.get(other, ()))

    def joined_with(self, id: str) -> frozenset[str]:
        """Return the ids of the documents that were joined with one, and are not kept apart."""
        others = self.joined.others(id)
        return frozenset(other for other in others if not self.keeps_apart(id, other))


def _undone_groups(undone: Iterable[tuple[str, _Ids]]) -> dict[str, set[frozenset[_Ids]]]:
    decisions = [((run, one), (run, other)) for run, (one, other) in undone]
    connected = JoinedGroups(decisions)
    groups: dict[str, set[frozenset[_Ids]]] = defaultdict(set)
    for decision in decisions:
        for node in decision:
            groups[node[1]].add(connected.group(node))
    return dict(groups)
