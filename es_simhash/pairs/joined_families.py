"""Families with what a person decided about pairs: joins unite them, dismissals part them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from es_simhash.pairs.merging import Comparison, connected_components, families_of
from es_simhash.relation.decided_pairs import JoinedGroups, ManualPairs


def united_families(
    linked: Iterable[str],
    neighbours: Mapping[str, Collection[str]],
    comparison: Comparison[str],
    manual: ManualPairs,
) -> Iterator[list[str]]:
    """Yield the families of linked texts, the representative first.

    The families that the texts make by themselves (`families_of`) are united where a text of one is
    joined with one of another; the text that ranks highest represents the whole. What is joined
    stays together, and of the rest what is dismissed with it is removed, and is partitioned once
    more by the same rule.

    Args:
        linked: Texts.
        neighbours: Of each text, those it is linked with as versions; dismissed pairs are not.
        comparison: How they are compared.
        manual: What a person decided about them.
    """
    groups = list(families_of(linked, neighbours, comparison, manual.dismissed))
    if not manual.joined:
        yield from groups
        return
    for some in _united(groups, manual.joined):
        if len(some) == 1:
            yield some[0]
            continue
        some.sort(key=lambda group: comparison.rank(group[0]), reverse=True)
        family = _family(some, manual)
        yield family
        left = {node for group in some for node in group} - set(family)
        if left:
            yield from united_families(left, neighbours, comparison, manual)


def _united(groups: Sequence[list[str]], joined: JoinedGroups[str]) -> Iterator[list[list[str]]]:
    """Yield the families that joins unite, with those that none does."""
    number_of = {node: number for number, group in enumerate(groups) for node in group}
    united = {
        number: {
            number_of[other]
            for node in group
            for other in joined.others(node)
            if other in number_of
        }
        for number, group in enumerate(groups)
    }
    for numbers in connected_components(range(len(groups)), united):
        yield [groups[number] for number in numbers]


def _family(groups: Sequence[Sequence[str]], manual: ManualPairs) -> list[str]:
    """Return the family of groups that joins unite, without what dismissals part from it.

    Args:
        groups: The first text of the first represents the family.
        manual: What a person decided.
    """
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    family: dict[str, None] = {groups[0][0]: None}
    attached = [0]
    # What is joined comes first, and brings along the families it is from.
    for number in attached:
        for node in groups[number]:
            for joined in _placed(node, group_of, family, manual):
                family[joined] = None
                if group_of[joined] not in attached:
                    attached.append(group_of[joined])
    for number in sorted(attached):
        for node in groups[number]:
            is_alone = group_of.keys().isdisjoint(manual.joined.others(node))
            if is_alone and not manual.parts(node, family):
                family[node] = None
    return list(family)


def _placed(
    node: str, among: Mapping[str, int], family: Collection[str], manual: ManualPairs
) -> Iterator[str]:
    """Yield a text and those joined with it, all or none of them; nothing for one without any.

    Where two of them are dismissed, as copies of theirs may be, that counts.
    """
    joined = manual.joined.group(node) & among.keys()
    unit = sorted(joined, key=lambda text: (among[text], text))
    if len(unit) == 1:
        return
    is_whole = not any(manual.parts(text, unit) for text in unit)
    if is_whole and any(manual.parts(text, family) for text in unit):
        return
    placed = set(family)
    for text in unit:
        if text not in placed and not manual.parts(text, placed):
            placed.add(text)
            yield text


def contradicted_pairs(
    dismissed: Iterable[tuple[str, str]],
    hashes: Mapping[str, Collection[str]],
    manual: ManualPairs,
) -> list[tuple[str, str]]:
    """Return the dismissed pairs of which joins say the opposite.

    Args:
        dismissed: Pairs of ids.
        hashes: Of the texts of documents, by id.
        manual: What a person decided about the texts.
    """
    return sorted(
        (a, b)
        for a, b in dismissed
        if any(
            other in manual.joined.others(one)
            for one, other in product(hashes.get(a, ()), hashes.get(b, ()))
        )
    )
