"""What two texts have in common by a vocabulary: as evidence, and as a number."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from es_simhash.semantics.extraction import Spans
from es_simhash.semantics.vocabulary.vocabulary import FoundConcept

# More than these names on a side no reader takes in.
MOST_NAMED = 3


@dataclass(frozen=True)
class CommonConcept:
    """A concept that two texts are about.

    Attributes:
        label: Its preferred label.
        weight: How much both are about it: the geometric mean of its weights in the two.
        through_a: What the first text names: the concept itself, or narrower ones.
        through_b: What the second text names.
    """

    label: str
    weight: float
    through_a: tuple[str, ...]
    through_b: tuple[str, ...]

    def sentence(self) -> str:
        """Say it: `both about: monetary policy, through interest rates / central banks`."""
        if self.through_a == self.through_b == (self.label,):
            return f"both about: {self.label}"
        return (
            f"both about: {self.label}, through {_names(self.through_a)} / {_names(self.through_b)}"
        )


def common(found_a: Sequence[FoundConcept], found_b: Sequence[FoundConcept]) -> list[CommonConcept]:
    """Return the concepts that two texts are both about, those that weigh most first.

    A concept that both name is one of them. A broader one is, if the two name different things
    below it, and no concept between them and it has told that already.
    """
    theirs = {each.id: each for each in found_b}
    pairs = [(each, theirs[each.id]) for each in found_a if each.id in theirs]
    both_named = [pair for pair in pairs if pair[0].count and pair[1].count]
    told = [_told(a, b, ((a.label,), (b.label,))) for a, b in _one_of_each_word(both_named)]
    told += _through_narrower(pairs, both_named)
    return sorted(told, key=lambda each: (-each.weight, each.label))


def overlap(found_a: Iterable[FoundConcept], found_b: Iterable[FoundConcept]) -> float:
    """Return the cosine of the weights of two texts' concepts: 0 none in common, 1 the same."""
    ours = {each.id: each.weight for each in found_a}
    theirs = {each.id: each.weight for each in found_b}
    shared = sum(weight * theirs[id] for id, weight in ours.items() if id in theirs)
    norms = sum(w * w for w in ours.values()) * sum(w * w for w in theirs.values())
    return min(1.0, shared / sqrt(norms)) if shared else 0.0


_Pair = tuple[FoundConcept, FoundConcept]


def _one_of_each_word(both_named: Iterable[_Pair]) -> list[_Pair]:
    """One of the concepts that share a label: the same words on both sides are told once."""
    told: dict[tuple[Spans, Spans], _Pair] = {}
    for a, b in both_named:
        told.setdefault((a.spans, b.spans), (a, b))
    return list(told.values())


def _through_narrower(pairs: Sequence[_Pair], both_named: Sequence[_Pair]) -> list[CommonConcept]:
    """Concepts that at least one text names by narrower ones, from the nearest on upwards."""
    shared = {pair[0].label for pair in both_named}, {pair[1].label for pair in both_named}
    used: tuple[set[str], set[str]] = set(), set()
    result = []
    for pair in sorted(pairs, key=_breadth):
        if pair[0].count and pair[1].count:
            continue
        sides = tuple(
            [name for name in _support(each) if name not in known]
            for each, known in zip(pair, shared, strict=True)
        )
        new = tuple(
            [name for name in side if name not in known]
            for side, known in zip(sides, used, strict=True)
        )
        if all(sides) and any(new):
            result.append(_told(*pair, (tuple(new[0] or sides[0]), tuple(new[1] or sides[1]))))
            used[0].update(sides[0])
            used[1].update(sides[1])
    return result


def _breadth(pair: _Pair) -> tuple[int, int, float]:
    """Order in which a concept comes after those below it, whose names are among its own."""
    a, b = pair
    return len(a.via) + len(b.via), a.level + b.level, -_weight(a, b)


def _support(found: FoundConcept) -> tuple[str, ...]:
    return (found.label, *found.via) if found.count else found.via


def _told(
    a: FoundConcept, b: FoundConcept, through: tuple[tuple[str, ...], tuple[str, ...]]
) -> CommonConcept:
    return CommonConcept(a.label, _weight(a, b), *through)


def _weight(a: FoundConcept, b: FoundConcept) -> float:
    return sqrt(a.weight * b.weight)


def _names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
