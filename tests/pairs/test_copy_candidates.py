"""Which units share shingles, which of their texts share most, and what was copied, in memory."""

from collections import Counter
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.maintenance.copies.find_copies import shown_date
from es_simhash.pairs import copy_candidates
from es_simhash.pairs.copied_passages import copied_passages
from es_simhash.pairs.copy_candidates import UnitCandidates
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.alignment.stretches import Agreement, Stretches
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store.dates import DateField
from tests.support.made_up_texts import make_text

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


# What was copied inside of a paraphrased passage.


def paraphrased(query: str, hit: str) -> list[tuple[str, str]]:
    """Return what is copied when two whole texts are one paraphrased passage."""
    one, other = AnalysedText(query), AnalysedText(hit)
    words = one.sentence_words, other.sentence_words
    whole = Stretches(0, len(words[0].tokens), 0, len(words[1].tokens))
    passage = AlignedPassage(whole, Agreement(0.5, 50.0, 0.1, 10))
    return [
        (
            one.span(found.at.query_start, found.at.query_end).text,
            other.span(found.at.hit_start, found.at.hit_end).text,
        )
        for found in copied_passages(*words, [passage])
    ]


def words_of(seed: int, count: int) -> str:
    return make_text(seed, count).replace(".", "")


def test_runs_of_equal_words_are_copied() -> None:
    first, second = words_of(1, 12), words_of(2, 9)
    query = f"{words_of(3, 30)} {first} {words_of(4, 30)} {second} {words_of(5, 10)}"
    hit = f"{words_of(6, 5)} {second} {words_of(7, 40)} {first}"
    assert paraphrased(query, hit) == [(first, first), (second, second)]
    assert paraphrased(query, words_of(8, 50)) == []
    assert paraphrased(words_of(1, 7), words_of(1, 7)) == []


def test_runs_with_little_between_them_are_one_passage() -> None:
    first, second = words_of(1, 12), words_of(2, 9)
    query = f"{words_of(3, 30)} {first} {words_of(4, 3)} {second}"
    hit = f"{first} {words_of(6, 5)} {second} {words_of(7, 40)}"
    assert paraphrased(query, hit) == [
        (f"{first} {words_of(4, 3)} {second}", f"{first} {words_of(6, 5)} {second}")
    ]


@given(st.lists(st.integers(0, 5), max_size=60), st.lists(st.integers(0, 5), max_size=60))
def test_copied_runs_begin_and_end_with_equal_words_and_do_not_overlap(
    ours: list[int], theirs: list[int]
) -> None:
    query, hit = ([f"w{number}" for number in numbers] for numbers in (ours, theirs))
    if not query or not hit:
        return
    found = paraphrased(" ".join(query), " ".join(hit))
    for one, other in found:
        assert one.split()[:8] == other.split()[:8]
        assert one.split()[-8:] == other.split()[-8:]
    assert sum(len(one.split()) for one, _ in found) <= len(query)
    runs = Counter(tuple(hit[start : start + 8]) for start in range(len(hit) - 7))
    shared = any(tuple(query[start : start + 8]) in runs for start in range(len(query) - 7))
    assert bool(found) == shared


def test_dates_are_printed_as_people_write_them() -> None:
    day = 86_400_000_000_000
    field = DateField("when")
    cases: list[tuple[Any, Any]] = [
        (0, "1970-01-01"),
        (18262 * day, "2020-01-01"),
        (18262 * day + 5_400_000_000_000, "2020-01-01T01:30:00Z"),
        (-day, "1969-12-31"),
        (None, None),
    ]
    for date, shown in cases:
        assert shown_date(date, field) == shown
    assert shown_date(2020, DateField("year", is_number=True)) == 2020
    # A year that ISO 8601 has no four digits for is left as milliseconds.
    assert shown_date(400_000_000 * day, field) == 400_000_000 * 86_400_000
