"""Concepts of a vocabulary that two texts share, as evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from es_simhash.semantics.semantic_profile import Spans
from es_simhash.semantics.vocabularies.vocabulary import ConceptMatch

# More labels on a side are not readable.
MAX_LABELS = 3
_Pair = tuple[ConceptMatch, ConceptMatch]


@dataclass(frozen=True)
class CommonConcept:
    """A concept of a vocabulary that two texts share.

    Attributes:
        label: Its preferred label.
        weight: Geometric mean of its weights in the two texts.
        through_a: Labels of what the first text mentions: the concept itself, or narrower ones.
        through_b: Labels of what the second text mentions.
    """

    label: str
    weight: float
    through_a: tuple[str, ...]
    through_b: tuple[str, ...]

    def sentence(self) -> str:
        """Return it as evidence: `shared concept: monetary policy, through rates / banks`."""
        if self.through_a == self.through_b == (self.label,):
            return f"shared concept: {self.label}"
        through = f"{_names(self.through_a)} / {_names(self.through_b)}"
        return f"shared concept: {self.label}, through {through}"


def common_concepts(
    matches_a: Sequence[ConceptMatch], matches_b: Sequence[ConceptMatch]
) -> list[CommonConcept]:
    """Return the concepts that two texts share, the heaviest first.

    A concept that both mention is shared. So is a broader one, if the two mention different
    concepts below it, and no narrower shared concept covers these.
    """
    by_id = {match.id: match for match in matches_b}
    pairs = [(match, by_id[match.id]) for match in matches_a if match.id in by_id]
    mentioned = [pair for pair in pairs if pair[0].count and pair[1].count]
    shared = [_common(a, b, ((a.label,), (b.label,))) for a, b in _distinct_mentions(mentioned)]
    shared += _through_narrower(pairs, mentioned)
    return sorted(shared, key=lambda concept: (-concept.weight, concept.label))


def _distinct_mentions(mentioned: Iterable[_Pair]) -> list[_Pair]:
    """Return one of the concepts that share a label: the same mentions are reported once."""
    by_spans: dict[tuple[Spans, Spans], _Pair] = {}
    for a, b in mentioned:
        by_spans.setdefault((a.spans, b.spans), (a, b))
    return list(by_spans.values())


def _through_narrower(pairs: Sequence[_Pair], mentioned: Sequence[_Pair]) -> list[CommonConcept]:
    """Return the concepts that a text mentions by narrower ones, from the nearest on upwards."""
    shared = {pair[0].label for pair in mentioned}, {pair[1].label for pair in mentioned}
    used: tuple[set[str], set[str]] = set(), set()
    result = []
    for pair in sorted(pairs, key=_breadth):
        if pair[0].count and pair[1].count:
            continue
        sides = tuple(
            [name for name in _support(match) if name not in known]
            for match, known in zip(pair, shared, strict=True)
        )
        new = tuple(
            [name for name in side if name not in known]
            for side, known in zip(sides, used, strict=True)
        )
        if all(sides) and any(new):
            result.append(_common(*pair, (tuple(new[0] or sides[0]), tuple(new[1] or sides[1]))))
            used[0].update(sides[0])
            used[1].update(sides[1])
    return result


def _breadth(pair: _Pair) -> tuple[int, int, float]:
    """Return a sort key by which a concept comes after its narrower ones."""
    a, b = pair
    return len(a.via) + len(b.via), a.level + b.level, -_weight(a, b)


def _support(match: ConceptMatch) -> tuple[str, ...]:
    return (match.label, *match.via) if match.count else match.via


def _common(
    a: ConceptMatch, b: ConceptMatch, through: tuple[tuple[str, ...], tuple[str, ...]]
) -> CommonConcept:
    return CommonConcept(a.label, _weight(a, b), *through)


def _weight(a: ConceptMatch, b: ConceptMatch) -> float:
    return sqrt(a.weight * b.weight)


def _names(names: Sequence[str]) -> str:
    more = len(names) - MAX_LABELS
    return ", ".join(names[:MAX_LABELS]) + (f" and {more} more" if more > 0 else "")
