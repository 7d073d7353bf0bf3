"""Versions and semantic neighbours in one answer, asked of a real index."""

from dataclasses import replace
from typing import Any

import pytest

from es_simhash.errors import ClusterError, InputError, MappingConflict
from es_simhash.questions import related
from es_simhash.questions.index import Index
from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.relation import VERSION_KINDS, Relation
from es_simhash.relation.thresholds import SHOWN_SCORE, VERSION_SCORE
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.options import Limits, Recency, SearchOptions

pytestmark = pytest.mark.cluster

EVERYTHING = SearchOptions(size=100, min_score=0)
LONG_AGO, LATELY = "2001-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
# 2 January 2021; ages are counted from here, so that no test depends on its own date.
NOW = 1_609_545_600_000.0
WIRE = (
    "SALTWICK (Wire) - Container traffic stopped on Tuesday when dock workers of Saltwick struck "
    "for higher pay. Marion Hale, who leads the union, called the last offer an insult. Ships lay "
    "at anchor before the harbour, and some had turned to Northport by the evening. The authority "
    "asked the government to mediate and said perishable goods would spoil within days."
)


def kinds(relations: list[Relation]) -> dict[str, str]:
    return {str(each.id): each.kind for each in relations}


def ids(relations: list[Relation]) -> list[str]:
    return [str(each.id) for each in relations]


def test_one_multi_search_tells_versions_from_neighbours(
    asked: Any, library: str, requests_of: list[str]
) -> None:
    found = asked.related(id="harbour")
    assert kinds(found)["harbour-revised"] == "version"
    assert kinds(found)["harbour-union"] == "semantic"
    assert "bees" not in kinds(found)
    searches = [each for each in requests_of if "search" in each]
    assert searches == [f"POST /{library}/_msearch"]


def test_many_documents_are_searched_in_one_multi_search(
    asked: Any, library_texts: dict[str, str], requests_of: list[str]
) -> None:
    found = asked.related_to_each(list(library_texts), options=SearchOptions(evidence=False))
    assert len([each for each in requests_of if "search" in each]) == 1
    assert kinds(found["bank"])["bank-outlook"] == "semantic"


def test_a_document_is_returned_once_and_neighbours_end_where_versions_begin(
    asked: Any, library_texts: dict[str, str]
) -> None:
    options = replace(EVERYTHING, evidence=False)
    for id, found in asked.related_to_each(list(library_texts), options=options).items():
        assert len(set(ids(found))) == len(found)
        assert id not in ids(found)
        for each in found:
            assert (each.kind in VERSION_KINDS) == (each.score >= VERSION_SCORE)
        assert [each.score for each in found] == sorted((e.score for e in found), reverse=True)


@pytest.mark.long
def test_the_answers_are_those_of_an_exact_scan(asked: Any, library_texts: dict[str, str]) -> None:
    exact = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in library_texts.items():
        exact.add(id, text)
    for id, found in asked.related_to_each(list(library_texts), options=EVERYTHING).items():
        scanned = {str(each.id): each for each in exact.related(id=id, options=EVERYTHING)}
        ours = {str(each.id): each for each in found}
        for other in {name for name, each in (ours | scanned).items() if each.score >= 0.1}:
            assert ours[other].kind == scanned[other].kind, (id, other)
            assert ours[other].score == pytest.approx(scanned[other].score, abs=0.01), (id, other)
            if ours[other].kind == "semantic":
                assert ours[other].evidence == scanned[other].evidence


@pytest.mark.parametrize("language", ["de", "zh", "ar", "hi", "ja", "th"])
def test_neighbours_are_found_in_every_language(
    asked: Any, library_texts: dict[str, str], language: str
) -> None:
    [one, other] = [id for id in library_texts if id.startswith(f"{language}-")]
    options = SearchOptions(min_score=0.1, filters=({"term": {"shelf": language}},))
    for query, hit in ((one, other), (other, one)):
        assert kinds(asked.related(id=query, options=options)) == {hit: "semantic"}
        assert kinds(asked.related(text=library_texts[query], options=options))[hit] == "semantic"


def test_short_chinese_messages_find_those_with_parts_of_words_in_common(indexed: Any) -> None:
    pytest.importorskip("jieba")
    messages = {
        "final": "篮球运动员今晚打总决赛，球迷都在等直播！http://t.cn/zOa1",
        "player": "这个运动员的决赛打得太精彩了，篮球场上全是球迷。",
        "skin": "护肤品推荐：补水面膜让皮肤更有光泽 http://t.cn/zOb2",
        "mask": "每天敷面膜真的能补水吗？皮肤科医生这样说。",
        "poem": "读了一首唐诗，想起中学语文课堂。",
        "school": "中学生的语文课本里又多了两首诗。",
    }
    index = indexed(*({"id": id, "text": text} for id, text in messages.items()))
    exact = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in messages.items():
        exact.add(id, text)
    pairs = {"final": "player", "skin": "mask", "poem": "school"}
    for id, nearest in (pairs | {other: id for id, other in pairs.items()}).items():
        found, scanned = (each.related(id=id, options=EVERYTHING) for each in (index, exact))
        assert found[0].id == nearest
        assert ids(found) == ids(scanned)
        for ours, theirs in zip(found, scanned, strict=True):
            assert ours.score == pytest.approx(theirs.score, abs=0.01)


def test_a_text_of_two_languages_finds_its_neighbours_in_one_of_them(asked: Any) -> None:
    text = (
        "Die Europäische Zentralbank, Christine Lagarde, die Inflation und die Zinsen. "
        "The European Central Bank, Christine Lagarde, inflation and interest rates."
    )
    assert {"bank", "bank-outlook", "de-bank"} & set(ids(asked.related(text=text)))


def test_a_text_finds_its_versions_and_its_neighbours(
    asked: Any, library_texts: dict[str, str]
) -> None:
    found = asked.related(text=library_texts["harbour"])
    assert kinds(found) | {"harbour": "exact", "harbour-union": "semantic"} == kinds(found)


def test_kinds_and_scores_are_chosen(asked: Any) -> None:
    everything = asked.related(id="harbour", options=EVERYTHING)
    semantic = asked.related(id="harbour", options=replace(EVERYTHING, kinds=("semantic",)))
    assert set(kinds(semantic).values()) == {"semantic"}
    assert ids(semantic) == [str(each.id) for each in everything if each.kind == "semantic"]
    versions = asked.related(id="harbour", options=SearchOptions(kinds=VERSION_KINDS))
    assert kinds(versions) == {"harbour-revised": "version"}
    high = asked.related(id="harbour", options=SearchOptions(min_score=semantic[0].score))
    assert ids(high) == ["harbour-revised", semantic[0].id]
    assert asked.related(id="harbour", options=SearchOptions(size=1)) == [high[0]]
    assert all(each.score >= SHOWN_SCORE for each in asked.related(id="harbour"))


def test_versions_alone_send_no_search_for_neighbours(asked: Any) -> None:
    options = SearchOptions(kinds=VERSION_KINDS)
    assert len(asked.searches(id="harbour", options=options)) == 2
    # Those of words, of bits, of neighbours, of vectors of other schemes, and of passages.
    assert len(asked.searches(id="harbour")) == 5


def test_filters_apply_before_the_cut(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(related, "_FARTHER", 1)
    # Unfiltered, the one candidate would be the nearest.
    options = SearchOptions(min_score=0, limits=Limits(candidates=1), kinds=("semantic",))
    assert ids(asked.related(id="bank", options=options)) == ["bank-outlook"]
    only = {"ids": {"values": ["harbour-history"]}}
    found = asked.related(id="bank", options=replace(options, filters=(only,)))
    assert ids(found) == ["harbour-history"]
    search = asked.searches(id="bank", options=replace(options, filters=(only,)))[2]
    assert only in search["query"]["bool"]["filter"]
    [nearest] = search["knn"]
    assert only in nearest["filter"]


@pytest.mark.parametrize("settings", [None, {"number_of_shards": 3}], ids=["one shard", "three"])
def test_rare_words_are_not_crowded_out_by_near_vectors(
    client: Any, index_name: str, indexed: Any, settings: Any
) -> None:
    if settings:
        client.indices.create(index=index_name, settings=settings)
    drinks = ("ale", "stout", "porter", "cider", "lager", "perry", "mead", "wine", "gin", "whisky")
    places = ("village", "valley", "harbour", "mountain", "city", "island")
    brewers = [
        {
            "id": f"{drink}-{place}",
            "text": f"Brewers of the {place} sell {drink} to bars and shops, and pour new beer "
            f"for guests who taste {drink} in the cellar of the {place}.",
        }
        for drink in drinks
        for place in places
    ]
    query = (
        "The brewery Zallinger of Obermais sells its dark beer Ranzenbock and the cider Quittling "
        "to bars; guests taste Ranzenbock and Quittling in the cellar of Zallinger."
    )
    chess = (
        "Zallinger won the chess cup of Obermais against the grandmasters of the clubs Ranzenbock "
        "and Quittling. Ranzenbock protested, Quittling resigned, and Zallinger kept the title."
    )
    asked = indexed(*brewers, {"id": "chess", "text": chess})
    wide = asked.related(text=query, options=EVERYTHING)
    first = ids(wide).index("chess")
    assert first < 4
    assert wide.extent.total > 60
    # Ten documents are read, not sixty; more of them are nearer by their vectors than are read.
    narrow = replace(EVERYTHING, size=first + 1, limits=Limits(candidates=5))
    assert "chess" in ids(asked.related(text=query, options=narrow))


@pytest.mark.long
def test_vectors_of_another_scheme_take_no_place_of_the_nearest(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str]
) -> None:
    asked = indexed(*({"id": id, "text": text} for id, text in library_texts.items()))
    # Five documents are read for their vectors.
    narrow = replace(EVERYTHING, kinds=("semantic",), limits=Limits(candidates=6))
    before = ids(asked.related(id="harbour", options=narrow))
    assert "filter" not in asked.searches(id="harbour", options=narrow)[2]["knn"][0]
    others = [f"other-{number}" for number in range(20)]
    written = asked.ingest({"id": id, "text": library_texts["harbour"]} for id in others)
    assert all(outcome.ok for outcome in written)
    for id in others:
        other = {"simhash": {"semantic_scheme": "semantic-other.v1"}}
        client.update(index=index_name, id=id, doc=other)
    client.indices.refresh(index=index_name)
    fresh = Index(client, index_name)
    for _ in range(2):
        assert ids(fresh.related(id="harbour", options=narrow)) == before
        assert "filter" in fresh.searches(id="harbour", options=narrow)[2]["knn"][0]
    # Who asked before that, too, takes none of them for a neighbour.
    found = kinds(asked.related(id="harbour", options=EVERYTHING))
    assert {found.get(id) for id in others} == {"exact"}


def test_a_filter_that_no_engine_understands_is_refused(asked: Any) -> None:
    with pytest.raises(ClusterError, match="no_such_query"):
        asked.related(id="bees", options=SearchOptions(filters=({"no_such_query": {}},)))


# Recency


@pytest.fixture
def dated(client: Any, index_name: str, indexed: Any, library_texts: dict[str, str]) -> Any:
    """The nearer neighbour of the harbour is old, the other new, a third has no date."""
    mappings = {"properties": {"published": {"type": "date"}, "title": {"type": "keyword"}}}
    client.indices.create(index=index_name, mappings=mappings)
    return indexed(
        {"id": "query", "text": library_texts["harbour"]},
        {"id": "near", "text": library_texts["harbour-union"], "published": LONG_AGO, "title": "t"},
        {"id": "far", "text": library_texts["harbour-history"], "published": LATELY, "title": "t"},
        {"id": "dateless", "text": WIRE},
    )


def scores(index: Any, recency: Recency | None) -> dict[str, float]:
    options = SearchOptions(min_score=0, recency=recency)
    return {str(each.id): each.score for each in index.related(id="query", options=options)}


def test_newer_neighbours_come_first_as_far_as_the_weight_says(dated: Any) -> None:
    plain = scores(dated, None)
    assert plain["near"] > plain["far"]
    none = scores(dated, Recency("published", weight=0, origin=NOW))
    assert list(none.items()) == list(plain.items())
    full = scores(dated, Recency("published", weight=1, origin=NOW))
    assert next(iter(full)) == "far"
    assert full == plain


def test_a_neighbour_without_a_date_counts_as_very_old(dated: Any) -> None:
    order = list(scores(dated, Recency("published", weight=1, origin=NOW)))
    # "near" is of twenty years before, so that nothing of its rank is left either.
    assert order[0] == "far"
    assert set(order[1:]) == {"near", "dateless"}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("min_score", [0.0, 0.1, 0.2, 0.3])
def test_recency_changes_nothing_but_the_order(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str], min_score: float
) -> None:
    mappings = {"properties": {"published": {"type": "date", "format": "uuuu/MM/dd"}}}
    client.indices.create(index=index_name, mappings=mappings)
    index = indexed(
        *(
            {"id": id, "text": text, "published": f"{2000 + number}/01/01"}
            for number, (id, text) in enumerate(library_texts.items())
        )
    )
    plain = SearchOptions(size=100, min_score=min_score)
    recent = replace(plain, recency=Recency("published", half_life=1500, weight=0.9, origin=NOW))
    moved = 0
    for id in library_texts:
        before, after = (index.related(id=id, options=options) for options in (plain, recent))
        assert {each.id: each for each in after} == {each.id: each for each in before}
        moved += ids(after) != ids(before)
    assert moved or min_score


@pytest.mark.parametrize("year", [1987, 2987])
def test_ages_are_counted_from_the_newest_document_and_never_from_the_future(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str], year: int
) -> None:
    mappings = {"properties": {"published": {"type": "date"}}}
    client.indices.create(index=index_name, mappings=mappings)
    index = indexed(
        {"id": "query", "text": library_texts["harbour"]},
        {"id": "near", "text": library_texts["harbour-union"], "published": "1987-01-01"},
        {"id": "far", "text": library_texts["harbour-history"], "published": "1987-03-01"},
        {"id": "newest", "text": "No word of it.", "published": f"{year}-03-02"},
    )
    plain = scores(index, None)
    assert plain["near"] > plain["far"]
    order = list(scores(index, Recency("published", weight=0.9)))
    # In an archive newer documents come first. Where one has a date in the future, all are old.
    assert (order.index("far") < order.index("near")) == (year == 1987)


def test_documents_that_a_filter_leaves_out_do_not_count_as_the_newest(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str]
) -> None:
    mappings = {"properties": {"published": {"type": "date"}, "shelf": {"type": "keyword"}}}
    client.indices.create(index=index_name, mappings=mappings)
    old = {"shelf": "archive"}
    index = indexed(
        {"id": "query", "text": library_texts["harbour"]},
        {"id": "near", "text": library_texts["harbour-union"], "published": "1987-01-01", **old},
        {"id": "far", "text": library_texts["harbour-history"], "published": "1987-03-01", **old},
        {"id": "newest", "text": "No word of it.", "published": "2020-01-01", "shelf": "news"},
    )
    recency, filters = Recency("published", weight=0.9), ({"term": old},)
    options = SearchOptions(min_score=0, recency=recency, filters=filters)
    assert ids(index.related(id="query", options=options)) == ["far", "near"]
    order = ids(index.related(id="query", options=replace(options, filters=())))
    assert order.index("near") < order.index("far")


def test_a_field_without_any_date_changes_nothing(dated: Any) -> None:
    options = SearchOptions(min_score=0, recency=Recency("published", weight=0.5))
    without = replace(options, filters=({"ids": {"values": ["dateless"]}},))
    assert ids(dated.related(id="query", options=without)) in ([], ["dateless"])


def test_a_field_that_holds_no_dates_is_refused_in_one_sentence(
    dated: Any, requests_of: list[str]
) -> None:
    with pytest.raises(MappingConflict, match=r"'title' .* keyword, not as a date. Set recency"):
        dated.related(id="query", options=SearchOptions(recency=Recency("title")))
    with pytest.raises(InputError, match=r"'publishd'; the nearest .* is 'published'"):
        dated.related(id="query", options=SearchOptions(recency=Recency("publishd")))
    with pytest.raises(InputError, match=r"'publishd'; the nearest .* is 'published'"):
        dated.related(text=WIRE, options=SearchOptions(recency=Recency("publishd")))
    assert not [each for each in requests_of if "search" in each]


def test_a_misspelt_text_field_names_the_nearest(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str]
) -> None:
    indexed(*({"id": id, "text": library_texts[id]} for id in ("harbour", "harbour-union")))
    wrong = Index(client, index_name, IndexConfig(text_field="txt"))
    with pytest.raises(InputError) as refused:
        wrong.related(id="harbour")
    assert str(refused.value) == (
        "Document 'harbour' has no text in field 'txt'; the nearest field of the mapping is "
        "'text'. Set text_field."
    )
    with pytest.raises(InputError, match=r"'txt'; the nearest .* is 'text'"):
        wrong.explain("harbour", "harbour-union")
    with pytest.raises(InputError, match=r"'txt'; the nearest .* is 'text'"):
        wrong.related(text=library_texts["harbour"])
    # Without passages the field is not read.
    options = SearchOptions(evidence=False, passages=False)
    found = wrong.related(text=library_texts["harbour"], options=options)
    assert "harbour" in ids(found)


def test_a_weight_or_half_life_of_recency_out_of_bounds_is_refused() -> None:
    with pytest.raises(InputError, match="half_life must be more than 0 days, got 0"):
        Recency("date", half_life=0)
    with pytest.raises(InputError, match=r"weight must be between 0 and 1, got 1\.5"):
        Recency("date", weight=1.5)


# Copies of one wire story


@pytest.fixture
def wire(indexed: Any, library_texts: dict[str, str]) -> Any:
    """Ten papers print one wire story, each with a line of its own."""
    papers = ["Argus", "Beacon", "Chronicle", "Dispatch", "Echo", "Gazette", "Herald", "Journal"]
    papers += ["Ledger", "Mercury"]
    return indexed(
        {"id": "query", "text": library_texts["harbour-union"]},
        {"id": "history", "text": library_texts["harbour-history"]},
        *({"id": f"w{n}", "text": f"{WIRE} The {name}."} for n, name in enumerate(papers)),
    )


@pytest.mark.parametrize("size", [1, 2, 10])
def test_ten_copies_of_a_wire_story_are_shown_once(wire: Any, size: int) -> None:
    found = wire.related(id="query", options=SearchOptions(size=size, min_score=0.1))
    [story] = [each for each in found if str(each.id).startswith("w")]
    assert story.kind == "semantic"
    assert story.copies == 9
    if size > 1:
        assert [(each.id, each.copies) for each in found[1:]] == [("history", 0)]


def test_all_copies_are_shown_on_request(wire: Any) -> None:
    found = wire.related(id="query", options=SearchOptions(size=20, min_score=0.1, collapse=False))
    assert set(ids(found)) == {*(f"w{n}" for n in range(10)), "history"}
    assert {each.copies for each in found} == {0}


def test_versions_are_never_collapsed(wire: Any) -> None:
    found = wire.related(text=WIRE, options=SearchOptions(size=20))
    versions = [each.id for each in found if each.kind in VERSION_KINDS]
    assert sorted(map(str, versions)) == [f"w{n}" for n in range(10)]


def test_neighbours_of_one_version_family_are_shown_once(
    client: Any, index_name: str, indexed: Any, library_texts: dict[str, str]
) -> None:
    index = indexed(
        {"id": "query", "text": library_texts["harbour"]},
        {"id": "a", "text": library_texts["harbour-union"]},
        {"id": "b", "text": WIRE},
        {"id": "c", "text": library_texts["harbour-history"]},
    )
    options = SearchOptions(min_score=0.1)
    before = ids(index.related(id="query", options=options))
    assert set(before) == {"a", "b", "c"}
    nearest = next(id for id in before if id in ("a", "b"))
    for id in "ab":
        client.update(index=index_name, id=id, doc={"simhash": {"family": "f"}}, refresh=True)
    found = {str(each.id): each.copies for each in index.related(id="query", options=options)}
    assert found == {nearest: 1, "c": 0}
