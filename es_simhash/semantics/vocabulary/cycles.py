"""What is strange in a hierarchy of concepts."""

from collections.abc import Iterator, Mapping

from es_simhash.semantics.vocabulary.labels import shown

# A cycle of more concepts is told by its first ones.
_MOST_NAMED = 5


def cycles(broader: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Return a way round for each broader link that closes one, each concept once.

    It walks by a list instead of calling itself, since hierarchies may be deep.
    """
    done: set[str] = set()
    for root in broader:
        if root in done:
            continue
        way, ahead = {root: 0}, [iter(broader[root])]
        while ahead:
            above = next(ahead[-1], None)
            if above is None:
                ahead.pop()
                done.add(way.popitem()[0])
            elif above in way:
                yield list(way)[way[above] :]
            elif above not in done:
                way[above] = len(way)
                ahead.append(iter(broader[above]))


def tell_cycle(names: list[str]) -> str:
    """Say that concepts are broader than each other, in a sentence."""
    names = [shown(name) for name in names]
    told = names if len(names) <= _MOST_NAMED else [*names[:_MOST_NAMED], "…"]
    return f"Broader concepts run in a circle, which is tolerated: {' > '.join([*told, names[0]])}."
