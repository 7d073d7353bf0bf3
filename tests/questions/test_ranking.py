"""Versions and neighbours put into one list, and copies told once; no cluster."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.questions.diversity import without_copies
from es_simhash.questions.ranking import may_lack_nearer, merged, ranked_order
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.relation import Coverage, Kind, Relation
from es_simhash.relation.stored_text import stored_chunks
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.store.options import Recency, SearchOptions
from es_simhash.store.rows import Neighbour

STORY = " ".join(f"Sentence {n} tells of the {n}th ship that came in." for n in range(60))
OTHER = " ".join(f"Paragraph {n} is on bees, honey number {n} and gardens." for n in range(60))


def chunks_of(text: str) -> ChunkFingerprints:
    return stored_chunks(fingerprint(text))


def semantic(id: str, score: float = 0.5) -> Relation:
    return Relation(id, "semantic", score, Coverage(0, 0), index="i")


def ranked(
    relations: Sequence[Relation], neighbours: Sequence[Neighbour], options: SearchOptions
) -> list[Relation]:
    found = merged(relations, neighbours, options)
    return options.select(found, ranked_order(neighbours, options))[: options.size]


def judged(id: str, kind: Kind, score: float) -> Relation:
    return Relation(id, kind, score, Coverage(0.2, 0.3), index="i")


def near(id: str, similarity: float, **more: object) -> Neighbour:
    semantics = SemanticSimilarity(similarity, 0.0, similarity)
    return Neighbour(id, "i", semantics, **more)  # type: ignore[arg-type]


def stored(text: str) -> AnalysedText:
    (analysed,) = TextAnalyser().analyse([text])
    return analysed


def told(
    relations: list[Relation], neighbours: list[Neighbour], options: SearchOptions | None = None
) -> dict[str, str]:
    found = ranked(relations, neighbours, options or SearchOptions(min_score=0))
    return {str(each.id): each.kind for each in found}


@pytest.mark.parametrize("kind", ["exact", "version", "contains", "excerpt_of"])
def test_a_version_is_not_returned_again_as_a_neighbour(kind: Kind) -> None:
    [found] = ranked([judged("a", kind, 0.8)], [near("a", 1.0)], SearchOptions())
    assert (found.kind, found.score) == (kind, 0.8)
    assert found.semantics is not None
    assert found.semantics.similarity == 1.0
    assert (
        told([judged("a", kind, 0.8)], [near("a", 1.0)], SearchOptions(kinds=("semantic",))) == {}
    )


def test_one_id_in_two_indices_is_two_documents() -> None:
    elsewhere = Neighbour("a", "j", SemanticSimilarity(0.5, 0.0, 0.5))
    found = ranked([judged("a", "version", 0.8)], [elsewhere], SearchOptions())
    assert [(each.index, each.kind) for each in found] == [("i", "version"), ("j", "semantic")]


def test_shared_passages_stay_with_the_higher_score_or_give_way_to_neighbours() -> None:
    [kept] = ranked([judged("a", "shares_passages", 0.4)], [near("a", 0.9)], SearchOptions())
    assert kept.kind == "shares_passages"
    assert kept.score > 0.4
    [given] = ranked([judged("a", "shares_passages", 0.05)], [near("a", 0.9)], SearchOptions())
    assert given.kind == "semantic"
    assert given.coverage == Coverage(0.2, 0.3)
    [weak] = ranked(
        [judged("a", "shares_passages", 0.05)], [near("a", 1e-6)], SearchOptions(min_score=0)
    )
    assert weak.kind == "shares_passages"


def test_a_neighbour_too_far_to_be_shown_leaves_what_is_shared_to_be_looked_at() -> None:
    sharing = judged("a", "shares_passages", 0.1)
    [far] = merged([sharing], [near("a", 0.2)], SearchOptions())
    assert (far.kind, far.score) == ("shares_passages", 0.1)
    assert far.semantics is not None
    [nearer] = merged([sharing], [near("a", 0.2)], SearchOptions(min_score=0.15))
    assert nearer.kind == "semantic"


def test_a_hit_that_shares_nothing_is_returned_for_its_semantic_similarity_alone() -> None:
    assert told([judged("a", "none", 0.0)], [near("a", 0.5)]) == {"a": "semantic"}
    assert told([judged("a", "none", 0.0)], []) == {}


def test_the_highest_semantic_score_is_below_every_version() -> None:
    found = ranked([judged("v", "version", 0.6)], [near("s", 1.0)], SearchOptions())
    assert [each.id for each in found] == ["v", "s"]
    assert found[1].score < 0.6


def test_equal_scores_are_ordered_by_id() -> None:
    names = ["c", "a", "b"]
    assert list(told([], [near(name, 0.5) for name in names])) == ["a", "b", "c"]
    assert len(told([], [near(name, 0.5) for name in names], SearchOptions(size=2))) == 2


DAY = 86_400_000.0
RECENT = SearchOptions(min_score=0, recency=Recency("d", half_life=1, weight=1, origin=9 * DAY))


def test_recency_moves_neighbours_and_leaves_versions_and_all_scores() -> None:
    versions = [judged("v", "version", 0.7)]
    neighbours = [
        near("v", 0.9, date=0.0),
        near("old", 0.9, date=0.0),
        near("new", 0.5, date=9 * DAY),
        near("dateless", 1.0),
    ]
    found = ranked(versions, neighbours, RECENT)
    assert [each.id for each in found] == ["v", "new", "old", "dateless"]
    plain = ranked(versions, neighbours, replace(RECENT, recency=None))
    assert [each.id for each in plain] == ["v", "dateless", "old", "new"]
    assert sorted(found, key=str) == sorted(plain, key=str)


def test_a_date_to_come_is_no_advantage() -> None:
    found = ranked([], [near("b", 0.5, date=1e15), near("a", 0.5, date=9 * DAY)], RECENT)
    assert [each.id for each in found] == ["a", "b"]


@pytest.mark.parametrize("min_score", [0.0, 0.3, 0.45])
def test_recency_hides_nothing_and_shows_nothing_more(min_score: float) -> None:
    neighbours = [near(str(n), 0.05 * n, date=DAY * (n % 7)) for n in range(20)]
    options = replace(RECENT, min_score=min_score, size=100)
    shown = {each.id for each in ranked([], neighbours, options)}
    assert shown == {each.id for each in ranked([], neighbours, replace(options, recency=None))}
    assert shown


def test_a_newer_neighbour_comes_in_from_behind_the_first() -> None:
    neighbours = [near(f"old-{n}", 0.9, date=0.0) for n in range(5)]
    neighbours.append(near("new", 0.5, date=9 * DAY))
    found = ranked([], neighbours, replace(RECENT, size=3))
    assert [each.id for each in found] == ["new", "old-0", "old-1"]


def test_of_copies_recency_shows_the_one_that_is_shown_without_it() -> None:
    copies = [near(f"c{n}", 0.9 - n / 100, date=n * DAY, text=stored(STORY)) for n in range(5)]
    stranger = near("s", 0.5, date=9 * DAY, text=stored(OTHER))
    for size in (2, 100):
        found = ranked([], [*copies, stranger], replace(RECENT, size=size))
        assert [(each.id, each.copies) for each in found] == [("s", 0), ("c0", 4)]


# Copies


def test_copies_are_counted_with_the_best_of_them() -> None:
    texts = [STORY, OTHER, f"Wire. {STORY}", STORY + " End."]
    found = without_copies(
        [semantic(str(n)) for n in range(4)], [chunks_of(text) for text in texts], [""] * 4, 10
    )
    assert [(each.id, each.copies) for each in found] == [("0", 2), ("1", 0)]


def test_what_lies_in_another_text_as_a_whole_is_a_copy() -> None:
    pair = [chunks_of(f"{STORY} {OTHER}"), chunks_of(OTHER)]
    found = without_copies([semantic("both"), semantic("part")], pair, ["", ""], 10)
    assert [(each.id, each.copies) for each in found] == [("both", 1)]


def test_families_are_returned_once_and_no_family_is_none() -> None:
    relations = [semantic(str(n)) for n in range(5)]
    found = without_copies(relations, [None] * 5, ["f", "", "g", "f", ""], 10)
    assert [(each.id, each.copies) for each in found] == [("0", 1), ("1", 0), ("2", 0), ("4", 0)]


def test_texts_without_chunks_are_no_copies_of_each_other() -> None:
    nothing = ChunkFingerprints(
        np.zeros((0, 16), np.uint8), np.zeros(0, np.int64), np.zeros(4, np.int64)
    )
    relations = [semantic(str(n)) for n in range(3)]
    assert without_copies(relations, [nothing, None, nothing], [""] * 3, 10) == relations
    assert without_copies([], [], [], 10) == []


@pytest.mark.parametrize("size", [1, 3])
def test_copies_are_counted_however_few_are_shown(size: int) -> None:
    texts = [*[STORY] * 60, OTHER]
    relations = [semantic(str(n)) for n in range(61)]
    found = without_copies(relations, [chunks_of(text) for text in texts], [""] * 61, size)
    assert [(each.id, each.copies) for each in found[:size]] == [("0", 59), ("60", 0)][:size]


def test_nothing_can_be_nearer_when_all_was_read() -> None:
    assert not may_lack_nearer(0.0, [], SearchOptions())


@pytest.mark.parametrize(("unread", "lacks"), [(0.25, False), (0.4, True), (0.9, True)])
def test_where_fewer_are_shown_whatever_may_be_shown_may_lack(unread: float, lacks: bool) -> None:
    assert may_lack_nearer(unread, [semantic("a", 0.59)], SearchOptions()) is lacks


@pytest.mark.parametrize(("last", "lacks"), [(0.31, True), (0.42, False), (0.55, False)])
def test_a_full_page_may_lack_what_is_nearer_than_its_last(last: float, lacks: bool) -> None:
    shown = [semantic("a", 0.59), semantic("b", last)]
    assert may_lack_nearer(0.5, shown, SearchOptions(size=2)) is lacks
    versions = [judged("a", "version", 0.9), judged("b", "version", 0.6)]
    assert not may_lack_nearer(1.0, versions, SearchOptions(size=2))


@pytest.mark.parametrize("options", [{"sort": "date"}, {"recency": Recency("date")}])
def test_by_date_anything_may_come_first(options: dict[str, object]) -> None:
    shown = [semantic("a", 0.59)]
    assert may_lack_nearer(0.5, shown, replace(SearchOptions(size=1), **options))
    assert not may_lack_nearer(0.5, shown, SearchOptions(size=1))
