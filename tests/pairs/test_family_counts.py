"""Counts of families by the first digits of their names, and where two of them differ."""

import random

import pytest

from es_simhash.pairs.family_counts import (
    PREFIXES,
    FamilyCounts,
    is_digest,
    leaf_of,
    leaves_of,
)


def sizes(seed: int, count: int = 3000) -> dict[str, int]:
    chosen = random.Random(seed)
    return {f"{chosen.getrandbits(64):016x}": chosen.randrange(1, 5) for _ in range(count)}


def by_prefix(families: dict[str, int], prefixes: list[str]) -> list[int]:
    return [
        sum(size for name, size in families.items() if name.startswith(prefix))
        for prefix in prefixes
    ]


def test_counts_are_the_same_after_they_were_stored() -> None:
    counts = FamilyCounts.of_sizes({**sizes(1), "by hand": 7})
    again = FamilyCounts.decoded(counts.encoded())
    assert again == counts
    assert again != FamilyCounts()
    assert (again.documents, again.others) == (counts.documents, 7)
    # Twenty thousand families take no more than a few pages.
    assert len(FamilyCounts.of_sizes(sizes(2, 20_000)).encoded()) < 60_000


@pytest.mark.long
def test_where_they_differ_is_found_from_the_counts_of_prefixes() -> None:
    families = sizes(3)
    counts = FamilyCounts.of_sizes(families)
    prefixes = list(PREFIXES)
    assert counts.differing_prefixes(by_prefix(families, prefixes)) == []
    lost, grown = sorted(families)[17], sorted(families)[2000]
    now = {**families, grown: families[grown] + 3}
    del now[lost]
    differing = counts.differing_prefixes(by_prefix(now, prefixes))
    assert differing == [lost[:2], grown[:2]]
    leaves = [
        leaf
        for prefix in differing
        for leaf in counts.differing_leaves(prefix, by_prefix(now, leaves_of(prefix)))
    ]
    assert leaves == [leaf_of(lost), leaf_of(grown)]
    counts.set_leaves(leaves, FamilyCounts.of_sizes(now))
    assert counts == FamilyCounts.of_sizes(now)


def test_a_copy_changes_by_itself_and_no_count_falls_below_nothing() -> None:
    counts = FamilyCounts.of_sizes({"00ff11": 2})
    other = counts.copy()
    other.add("00ff22", -1)
    other.add("00ff22", -5)
    assert (counts.of_leaves(["00ff"]), other.of_leaves(["00ff"])) == (2, 0)


def test_names_that_no_run_gives_are_counted_together() -> None:
    assert [is_digest(name) for name in ("00ff", "00FF11", "00f", "", "gggg", "0-ff")] == [
        True, False, False, False, False, False,
    ]  # fmt: skip
    counts = FamilyCounts.of_sizes({"Mine": 2, "": 1})
    assert (counts.others, counts.documents, counts.of_leaves([leaf_of("theirs")])) == (3, 3, 3)
