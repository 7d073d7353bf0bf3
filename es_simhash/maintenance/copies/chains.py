"""Texts without a stored family, grouped so that forty versions of one are not forty answers.

Simpler and faster than families: a text joins the earliest text that has half of its shingles, or
of which it has half, whatever else there is between the two.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from es_simhash.maintenance.copies.units import UnitText
from es_simhash.relation.thresholds import KEPT_OF_CHAIN

# Chains of one shingle; further ones are not found by it.
_MAX_CHAINS = 1000


def chains_of(texts: Sequence[UnitText]) -> list[list[UnitText]]:
    """Return texts by chain, each chain with its earliest text first.

    Args:
        texts: Texts of the same values, the earliest first.
    """
    chains: list[list[UnitText]] = []
    postings: dict[int, list[int]] = defaultdict(list)
    for text in texts:
        shingles = text.shingles.tolist()
        shared = Counter(chain for shingle in shingles for chain in postings.get(shingle, ()))
        chain = _nearest(text, chains, shared)
        if chain is not None:
            chains[chain].append(text)
            continue
        for shingle in shingles:
            if len(postings[shingle]) < _MAX_CHAINS:
                postings[shingle].append(len(chains))
        chains.append([text])
    return chains


def _nearest(
    text: UnitText, chains: Sequence[Sequence[UnitText]], shared: Counter[int]
) -> int | None:
    """Return the chain whose first text has most of a text, of the smaller of both; or None."""
    shares = {
        chain: count / max(1, min(len(text.shingles), len(chains[chain][0].shingles)))
        for chain, count in shared.items()
    }
    best = max(shares, key=lambda chain: (shares[chain], -chain), default=None)
    return best if best is not None and shares[best] >= KEPT_OF_CHAIN else None
