"""Which units share shingles that few have, and which of their texts share most."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.pairs import copy_candidates
from es_simhash.pairs.copy_candidates import UnitCandidates
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.shared_shingles import least_shared

OWNERS = "abcdefgh"
# Owners, family, shingles; equal shingles are equal texts.
Entry = tuple[tuple[str, ...], int, frozenset[int]]
entries = st.lists(
    st.tuples(
        st.sets(st.sampled_from(OWNERS), min_size=1, max_size=2).map(lambda s: tuple(sorted(s))),
        st.integers(0, 3),
        st.frozensets(st.integers(0, 30), min_size=1, max_size=12),
    ),
    min_size=2,
    max_size=14,
)


def collection_of(documents: list[Entry], *, by_values: bool = True) -> ComparedDocuments:
    collection = ComparedDocuments(by_values)
    collection.add(
        CopyDocument(
            DocumentVersion(DocumentRef("index", str(number)), 0, 1),
            str(sorted(shingles)),
            f"family-{family}",
            values,
            None,
            np.array(sorted(shingles), np.uint32),
            False,
            True,
        )
        for number, (values, family, shingles) in enumerate(documents)
    )
    return collection


@given(entries, st.integers(3, 5))
def test_the_pairs_of_documents_are_those_of_a_plain_count(
    documents: list[Entry], boilerplate: int
) -> None:
    owners: dict[int, set[str]] = {}
    for values, _, shingles in documents:
        for shingle in shingles:
            owners.setdefault(shingle, set()).update(values)
    common = {shingle for shingle, several in owners.items() if len(several) >= boilerplate}
    expected = set()
    for (i, (a, _, one)), (j, (b, _, other)) in combinations(enumerate(documents), 2):
        shared = (one & other) - common
        if not set(a) & set(b) and len(shared) >= max(map(least_shared, (len(one), len(other)))):
            expected.add(frozenset((str(i), str(j))))
    candidates = UnitCandidates(collection_of(documents), boilerplate)
    found = [
        frozenset((pair.one.first.ref.id, pair.other.first.ref.id))
        for units in candidates.pairs()
        for pair in units.all()
    ]
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert set(candidates.common.shingles.tolist()) == common
    # Parts of the units give parts of the pairs.
    parts = [range(start, len(candidates.units), 3) for start in range(3)]
    assert sum(len(list(candidates.pairs(part))) for part in parts) == len(list(candidates.pairs()))
    # One entry for two units, with as many pairs as there are.
    best = [pair for units in candidates.pairs() if (pair := units.best()) is not None]
    assert sum(pair.documents for pair in best) == len(expected)
    assert {frozenset((p.one.first.ref.id, p.other.first.ref.id)) for p in best} <= expected


@given(entries)
def test_the_best_pair_shares_most(documents: list[Entry]) -> None:
    candidates = UnitCandidates(collection_of(documents), 100)
    for units in candidates.pairs():
        best = units.best()
        shared = [
            len(np.intersect1d(one.shingles, other.shingles))
            for one, other in product(units.one.texts, units.other.texts)
        ]
        if best is not None:
            assert len(np.intersect1d(best.one.shingles, best.other.shingles)) == max(shared)


def test_a_shingle_of_too_many_units_is_boilerplate(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = frozenset(range(20))
    documents: list[Entry] = [((OWNERS[n % 2],), n, shared | {100 + n}) for n in range(6)]
    assert len(list(UnitCandidates(collection_of(documents), 3).pairs())) == 9
    monkeypatch.setattr(copy_candidates, "MAX_UNITS", 5)
    candidates = UnitCandidates(collection_of(documents), 3)
    assert list(candidates.pairs()) == []
    assert set(candidates.common.shingles.tolist()) == shared


def test_documents_without_a_family_are_grouped_by_what_they_share() -> None:
    base = frozenset(range(20))
    texts = [base, base - {1, 2} | {50}, frozenset(range(100, 120)), frozenset({3, 4, 5, 6, 7})]
    collection = ComparedDocuments(by_values=True)
    collection.add(
        CopyDocument(
            DocumentVersion(DocumentRef("index", str(number)), 0, 1),
            str(number),
            None,
            (owner,),
            number,
            np.array(sorted(shingles), np.uint32),
            False,
            True,
        )
        for number, (shingles, owner) in enumerate(product(texts, "ab"))
    )
    groups = [
        (unit.values, sorted(int(text.first.ref.id) // 2 for text in unit.texts))
        for unit in collection.units
    ]
    assert sorted(groups) == [
        (("a",), [0, 1, 3]), (("a",), [2]), (("b",), [0, 1, 3]), (("b",), [2]),
    ]  # fmt: skip
    assert len(collection.without_family) == 8
