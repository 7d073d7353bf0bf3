"""Families that lost or gained documents since the last run, without reading what all have.

The last run left how many documents families have, added up by the first digits of their names, and
up to where the index was written then. What was written since says which families may have grown.
What these do not explain was lost: then the sums are compared, and only the families read whose sum
is another.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.pairs.family_counts import PREFIXES, FamilyCounts, is_digest, leaf_of, leaves_of
from es_simhash.store.installation.state_index import LeftFamilies, StateIndex

# From so many beginnings of names on, all families are compared.
_MAX_LEAVES = 16_384


@dataclass(frozen=True)
class ResizedFamilies:
    """Families that have another number of documents than the last run left.

    Attributes:
        names: Their names.
        counts: Documents of all families, as they are.
        are_all_compared: Whether the sizes of all families were compared, as nothing says which
            were written to.
    """

    names: frozenset[str]
    counts: FamilyCounts
    are_all_compared: bool = True


def resized_families(
    reader: FamilyReader, state: StateIndex, left: LeftFamilies | None, touched: set[str] | None
) -> ResizedFamilies:
    """Return the families that have another number of documents than the last run left.

    Args:
        reader: Reads the index.
        state: Has the sizes that the last run left.
        left: What it left beside these; None for nothing.
        touched: Families of documents that were written since; None where that is unknown, and all
            families are compared.
    """
    if left is None or touched is None or not all(map(is_digest, touched)):
        return _all(reader, state)
    leaves = set(map(leaf_of, touched))
    if len(leaves) > _MAX_LEAVES:
        return _all(reader, state)
    stored = reader.sizes_with(leaves)
    known = left.counts.documents - left.counts.of_leaves(leaves)
    if reader.count_with_family() - sum(stored.values()) != known:
        lossy = _differing(reader, left.counts)
        if lossy is None or len(leaves | lossy) > _MAX_LEAVES:
            return _all(reader, state)
        stored |= reader.sizes_with(lossy - leaves)
        leaves |= lossy
    counts, measured = left.counts.copy(), FamilyCounts.of_sizes(stored)
    counts.set_leaves(leaves, measured)
    # The size of a family of one document is not recorded: only in the sums does it show.
    grown = {leaf for leaf in leaves if measured.of_leaves([leaf]) > left.counts.of_leaves([leaf])}
    new = {name for name in touched if leaf_of(name) in grown and stored.get(name) == 1}
    names = _differing_sizes(stored, state.sizes(leaves)) | new
    return ResizedFamilies(names, counts, are_all_compared=False)


def _all(reader: FamilyReader, state: StateIndex) -> ResizedFamilies:
    stored = reader.family_sizes()
    return ResizedFamilies(_differing_sizes(stored, state.sizes()), FamilyCounts.of_sizes(stored))


def _differing(reader: FamilyReader, left: FamilyCounts) -> set[str] | None:
    """Return the first digits of names that other numbers of documents have now.

    Returns:
        None where names that are no digests have others.
    """
    measured = reader.prefix_counts(PREFIXES)
    if reader.count_with_family() - sum(measured) != left.others:
        return None
    leaves: set[str] = set()
    for prefix in left.differing_prefixes(measured):
        leaves.update(left.differing_leaves(prefix, reader.prefix_counts(leaves_of(prefix))))
    return leaves


def _differing_sizes(stored: Mapping[str, int], recorded: Mapping[str, int]) -> frozenset[str]:
    # A family of one document is not recorded.
    names: Collection[str] = {*stored, *recorded}
    return frozenset(name for name in names if stored.get(name, 0) != recorded.get(name, 1))
