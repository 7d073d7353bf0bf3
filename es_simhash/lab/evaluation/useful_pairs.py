"""Which pairs of documents to label first: unsure ones, between sure ones of either label."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from es_simhash.lab.evaluation.labelled_pairs import Pair
from es_simhash.pairs.merging import connected_components
from es_simhash.relation.relation import DocumentContext, Kind
from es_simhash.relation.thresholds import VERSION_SCORE

# Scores between these two are unsure.
SURE_NOT, SURE_VERSION = VERSION_SCORE - 0.2, VERSION_SCORE + 0.2
# Pairs of one family in each range of scores, where nothing else is said.
PER_FAMILY = 2
_FAMILY_KINDS: tuple[Kind, ...] = ("exact", "version")


@dataclass(frozen=True)
class PairedDocument:
    """One side of a pair.

    Attributes:
        id: Id of the document.
        context: Its title, date and so on; None where they were not read.
    """

    id: str
    context: DocumentContext | None = None


@dataclass(frozen=True)
class OfferedPair:
    """A pair of documents to label.

    Attributes:
        first: The older one, where dates are known.
        second: The other one.
        kind: Kind of their relation.
        score: Score of their relation, from 0 to 1.
    """

    first: PairedDocument
    second: PairedDocument
    kind: Kind
    score: float

    @property
    def ids(self) -> Pair:
        """The two ids, the smaller one first."""
        one, other = sorted((self.first.id, self.second.id))
        return one, other


def most_useful(
    pairs: Iterable[OfferedPair], *, seed: int, per_family: int
) -> tuple[OfferedPair, ...]:
    """Return pairs in the order in which they are worth labelling, the same for the same seed.

    Four groups take turns: unsure above the cut of versions, sure versions, unsure below the cut,
    and others. Unsure pairs come nearest to the cut first, the other two in random order, texts
    that are equal last.

    Args:
        pairs: Each at most once.
        seed: Seed of the random order.
        per_family: Maximum number of pairs in each group in which documents of one family are: a
            family is all documents that versions connect.
    """
    ordered = sorted(pairs, key=lambda pair: pair.ids)
    families = _families(ordered)
    groups = [_capped(group, families, per_family) for group in _groups(ordered, seed)]
    return tuple(_in_turns(groups))


def _capped(
    pairs: Iterable[OfferedPair], families: Mapping[str, str], per_family: int
) -> list[OfferedPair]:
    """Return pairs without those of families that have enough before."""
    taken: Counter[str] = Counter()
    chosen = []
    for pair in pairs:
        names = {families[id] for id in pair.ids}
        if all(taken[name] < per_family for name in names):
            taken.update(names)
            chosen.append(pair)
    return chosen


def _groups(pairs: Sequence[OfferedPair], seed: int) -> list[list[OfferedPair]]:
    """Return the groups, each in its order."""

    def nearest(pair: OfferedPair) -> tuple[float, str]:
        return abs(pair.score - VERSION_SCORE), _shuffled(pair, seed)

    def mixed(pair: OfferedPair) -> tuple[bool, str]:
        return pair.kind == "exact", _shuffled(pair, seed)

    def within(low: float, high: float) -> list[OfferedPair]:
        return [pair for pair in pairs if low <= pair.score < high]

    return [
        sorted(within(VERSION_SCORE, SURE_VERSION), key=nearest),
        sorted(within(SURE_VERSION, float("inf")), key=mixed),
        sorted(within(SURE_NOT, VERSION_SCORE), key=nearest),
        sorted(within(0, SURE_NOT), key=mixed),
    ]


def _shuffled(pair: OfferedPair, seed: int) -> str:
    """Return a random key that depends on the pair alone, not on which others there are."""
    key = "\0".join((str(seed), *pair.ids))
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _in_turns(groups: Sequence[Sequence[OfferedPair]]) -> Iterator[OfferedPair]:
    for place in range(max(map(len, groups), default=0)):
        for group in groups:
            if place < len(group):
                yield group[place]


def _families(pairs: Iterable[OfferedPair]) -> dict[str, str]:
    """Return what names the family of each document: all that versions connect."""
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        one, other = pair.ids
        linked = {one, other} if pair.kind in _FAMILY_KINDS else set()
        versions[one] |= linked
        versions[other] |= linked
    return {
        id: component[0]
        for component in connected_components(versions, versions)
        for id in component
    }
