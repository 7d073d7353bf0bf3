"""Families with what a person noted about pairs: joins unite them, dismissals part them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from es_simhash.pairs.merging import Comparison, Node, Pair, families_of, pair
from es_simhash.relation.manual_pairs import JoinedGroups


@dataclass(frozen=True)
class Noted(Generic[Node]):
    """What a person noted about texts.

    Attributes:
        dismissed: Pairs that are never of one family.
        joined: Groups that are of one family, unless two of them are dismissed.
    """

    dismissed: Collection[Pair[Node]] = frozenset()
    joined: JoinedGroups[Node] = field(default_factory=JoinedGroups)

    def parts(self, node: Node, others: Iterable[Node]) -> bool:
        """Check whether a text is dismissed with one of others."""
        return bool(self.dismissed) and any(pair(node, each) in self.dismissed for each in others)


def united_families(
    linked: Iterable[Node],
    neighbours: Mapping[Node, Collection[Node]],
    comparison: Comparison[Node],
    noted: Noted[Node],
) -> Iterator[list[Node]]:
    """Yield the families of linked texts, the representative first.

    The families that the texts make by themselves (`families_of`) are united where a text of one is
    joined with one of another; the text that ranks highest represents the whole. What is joined
    stays together, and of the rest what is dismissed with it is removed, and is partitioned once
    more by the same rule.

    Args:
        linked: Texts.
        neighbours: Of each text, those it is linked with as versions; dismissed pairs are not.
        comparison: How they are compared.
        noted: What a person noted about them.
    """
    groups = list(families_of(linked, neighbours, comparison, noted.dismissed))
    if not noted.joined:
        yield from groups
        return
    for some in _united(groups, noted.joined):
        if len(some) == 1:
            yield some[0]
            continue
        some.sort(key=lambda group: comparison.rank(group[0]), reverse=True)  # type: ignore[arg-type, return-value]
        family = _family(some, noted)
        yield family
        left = {node for group in some for node in group} - set(family)
        if left:
            yield from united_families(left, neighbours, comparison, noted)


def _united(groups: Sequence[list[Node]], joined: JoinedGroups[Node]) -> Iterator[list[list[Node]]]:
    """Yield the families that joins unite, with those that none does."""
    number_of = {node: number for number, group in enumerate(groups) for node in group}
    seen: set[int] = set()
    for number in range(len(groups)):
        if number in seen:
            continue
        reached, waiting = {number}, [number]
        while waiting:
            for node in groups[waiting.pop()]:
                others = {number_of[other] for other in joined.others(node) if other in number_of}
                waiting += others - reached
                reached |= others
        seen |= reached
        yield [groups[each] for each in sorted(reached)]


def _family(groups: Sequence[Sequence[Node]], noted: Noted[Node]) -> list[Node]:
    """Return the family of groups that joins unite, without what dismissals part from it.

    Args:
        groups: The first text of the first represents the family.
        noted: What a person noted.
    """
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    family: dict[Node, None] = {groups[0][0]: None}
    attached = [0]
    # What is joined comes first, and brings along the families it is from.
    for number in attached:
        for node in groups[number]:
            for each in _placed(node, group_of, family, noted):
                family[each] = None
                if group_of[each] not in attached:
                    attached.append(group_of[each])
    for number in sorted(attached):
        for node in groups[number]:
            is_alone = group_of.keys().isdisjoint(noted.joined.others(node))
            if is_alone and not noted.parts(node, family):
                family[node] = None
    return list(family)


def _placed(
    node: Node, among: Mapping[Node, int], family: Collection[Node], noted: Noted[Node]
) -> Iterator[Node]:
    """Yield a text and those joined with it, all or none of them; nothing for one without any.

    Where two of them are dismissed, as copies of theirs may be, that counts.
    """
    joined = noted.joined.group(node) & among.keys()
    unit = sorted(joined, key=lambda each: (among[each], str(each)))
    if len(unit) == 1:
        return
    is_whole = not any(noted.parts(each, unit) for each in unit)
    if is_whole and any(noted.parts(each, family) for each in unit):
        return
    placed = set(family)
    for each in unit:
        if each not in placed and not noted.parts(each, placed):
            placed.add(each)
            yield each
