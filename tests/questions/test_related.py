"""What is related to what, asked of a real index that holds the sample corpus."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import ClusterError, DocumentMissing, InputError, Limits, Relation
from es_simhash.cli.main import cli
from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.relation import KINDS
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from es_simhash.store.options import SearchOptions

pytestmark = pytest.mark.cluster

VERSIONS = {"exact", "version", "contains", "excerpt_of"}
MIRRORED = {"contains": "excerpt_of", "excerpt_of": "contains"}
FINGERPRINTS = SearchOptions(evidence=False, passages=False)
# Which of several versions stands for all is left to the last digit.
EVERYTHING = SearchOptions(size=100, min_score=0, collapse=False)
# Neighbours have tests of their own, in tests/meaning.
BY_PASSAGES = tuple(kind for kind in KINDS if kind != "semantic")

Answers = dict[str, list[Relation]]
Corpus = dict[str, dict[str, Any]]
Truth = dict[tuple[str, str], str]


def index_of(client: Any, name: str, **names: str) -> Any:
    from es_simhash import Index

    return Index(client, name, IndexConfig(**names))


@pytest.fixture(scope="module")
def answers(cluster_url: str, sample: str, corpus: Corpus) -> Answers:
    """Everything the index says of every document of the corpus."""
    from es_simhash.store.elasticsearch.connection import connect

    with connect(cluster_url) as client:
        found: Answers = index_of(client, sample).related_to_each(list(corpus), options=EVERYTHING)
    return found


@pytest.fixture(scope="module")
def exact(corpus: Corpus) -> MemoryIndex:
    """The same documents in memory, where each is compared with all."""
    index = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, document in corpus.items():
        index.add(id, document["text"])
    return index


def kinds(answers: Answers, id: str) -> dict[str, str]:
    return {str(relation.id): relation.kind for relation in answers[id]}


def ids(relations: list[Relation]) -> list[str]:
    return [str(relation.id) for relation in relations]


# The truth of the sample corpus


@pytest.mark.variants
@pytest.mark.parametrize("kind", ["exact", "version", "contains"])
def test_every_version_is_found_from_both_sides(answers: Answers, truth: Truth, kind: str) -> None:
    pairs = [pair for pair, listed in truth.items() if listed == kind]
    assert pairs
    missed = [(a, b) for a, b in pairs if kinds(answers, a).get(b) != kind]
    missed += [
        (b, a) for a, b in pairs if kinds(answers, b).get(a) != MIRRORED.get(kind, kind)
    ]  # fmt: skip
    assert missed == []


def test_every_pair_that_shares_passages_is_found_from_both_sides(
    answers: Answers, truth: Truth
) -> None:
    pairs = [pair for pair, listed in truth.items() if listed == "shares_passages"]
    shown = {
        (id, relation.id)
        for id, relations in answers.items()
        for relation in relations
        if SearchOptions().shows(relation)
    }
    assert pairs
    assert [(a, b) for a, b in pairs if not {(a, b), (b, a)} <= shown] == []


def test_no_other_pair_is_called_a_version(answers: Answers, truth: Truth, corpus: Corpus) -> None:
    related = {frozenset(pair) for pair, kind in truth.items() if kind != "none"}
    false = [
        (a, b)
        for a, b in combinations(corpus, 2)
        if frozenset((a, b)) not in related
        and {kinds(answers, a).get(b), kinds(answers, b).get(a)} & VERSIONS
    ]
    assert false == []


def test_documents_that_are_not_listed_are_not_shown(answers: Answers, truth: Truth) -> None:
    listed = {frozenset(pair) for pair in truth}
    unlisted = [
        (id, relation.id)
        for id, relations in answers.items()
        for relation in relations
        if SearchOptions(kinds=BY_PASSAGES).shows(relation)
        and frozenset((id, str(relation.id))) not in listed
    ]
    assert unlisted == []


def test_the_answers_are_those_of_an_exact_scan(
    client: Any, sample: str, corpus: Corpus, exact: MemoryIndex
) -> None:
    options = replace(EVERYTHING, kinds=BY_PASSAGES)
    found = index_of(client, sample).related_to_each(list(corpus), options=options)
    for id in corpus:
        scanned = exact.related(id=id, options=options)
        assert kinds(found, id) == {str(each.id): each.kind for each in scanned}, id
        assert [each.score for each in found[id]] == pytest.approx(
            [each.score for each in scanned], abs=0.01
        )
        assert [each.evidence for each in found[id]] == [each.evidence for each in scanned]


@pytest.mark.long
def test_the_answers_with_neighbours_are_those_of_an_exact_scan(
    answers: Answers, corpus: Corpus, exact: MemoryIndex
) -> None:
    # Evidence changes neither kinds nor scores; that of passages is compared above.
    options = replace(EVERYTHING, evidence=False)
    shown = 0
    for id in corpus:
        scanned = {str(each.id): each for each in exact.related(id=id, options=options)}
        for each in answers[id]:
            # Concepts are kept to three digits; a score near zero is a steep root of them.
            if SearchOptions().shows(each):
                other = scanned[str(each.id)]
                assert (other.kind, other.score) == (each.kind, pytest.approx(each.score, abs=0.01))
                shown += each.kind == "semantic"
        ours = {str(each.id) for each in answers[id] if each.score >= 0.31}
        assert ours >= {name for name, each in scanned.items() if each.score >= 0.32}
    assert shown


def test_the_scan_finds_what_the_corpus_says(corpus: Corpus, truth: Truth) -> None:
    # The oracle is judged too, or two wrong answers could agree.
    exact = MemoryIndex()
    for id, document in corpus.items():
        exact.add(id, document["text"])
    for (a, b), kind in truth.items():
        if kind in VERSIONS:
            found = {str(each.id): each.kind for each in exact.related(text=corpus[a]["text"])}
            assert found[b] == kind, (a, b)


def test_an_index_in_memory_refuses_what_it_cannot_do() -> None:
    index = MemoryIndex()
    index.add("1", "one two three")
    with pytest.raises(DocumentMissing, match="'2'"):
        index.related(id="2")
    with pytest.raises(InputError, match="either"):
        index.related()
    with pytest.raises(InputError, match="filters"):
        index.related(id="1", options=SearchOptions(filters=({"match_all": {}},)))
    assert index.related(id="1") == []
    assert ids(index.related(text="One  two THREE")) == ["1"]
    assert len(index) == 1


# One answer


def test_the_json_of_a_relation_has_these_keys(answers: Answers) -> None:
    best = answers["en-battery-press"][0].to_dict()
    assert list(best) == [
        "id", "kind", "score", "coverage", "evidence", "index", "source", "truncated",
        "semantics", "copies", "dismissed", "joined", "common", "reuse", "direction", "document",
        "fields", "log_odds",
    ]  # fmt: skip
    assert best["id"] == "en-battery-excerpt"
    assert list(best["coverage"]) == ["of_query", "of_hit"]
    assert list(best["evidence"][0]) == ["query", "hit", "kind", "score", "changed"]
    assert list(best["evidence"][0]["query"]) == ["start", "end", "text"]
    semantics = best["semantics"]
    assert list(semantics) == [
        "similarity", "vector", "concepts", "entities", "others", "score", "shared",
        "shared_vocabulary", "background", "near",
    ]  # fmt: skip
    assert list(semantics["shared"][0]) == [
        "text", "contribution", "is_entity", "in_query", "in_hit",
    ]  # fmt: skip
    assert list(semantics["near"]) == ["of_query", "of_hit"]
    assert list(semantics["near"]["of_hit"][0]) == ["text", "contribution"]
    in_lists = {
        **semantics,
        "shared": list(semantics["shared"]),
        "shared_vocabulary": list(semantics["shared_vocabulary"]),
        "near": {side: list(words) for side, words in semantics["near"].items()},
    }
    lists = {"evidence": list(best["evidence"]), "fields": list(best["fields"])}
    expected = {**best, **lists, "semantics": in_lists}
    assert json.loads(json.dumps(best)) == expected


@pytest.mark.parametrize("lang", ["en", "de", "fr", "zh", "ar", "hi"])
def test_offsets_lead_to_the_shared_words_in_both_originals(
    answers: Answers, corpus: Corpus, lang: str
) -> None:
    seen = 0
    for id, relations in answers.items():
        if corpus[id]["lang"] != lang:
            continue
        for relation in relations:
            hit = corpus[str(relation.id)]["text"]
            for passage in relation.evidence:
                query, other = passage.query, passage.hit
                assert corpus[id]["text"][query.start : query.end] == query.text
                assert hit[other.start : other.end] == other.text
                if passage.kind == "verbatim" and not passage.changed:
                    assert query.text.casefold().split()[0] == other.text.casefold().split()[0]
                seen += 1
    assert seen


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            "ﬁve oﬃcers of the ＨＡＲＢＯＵＲ watch each ship that passes the Straße at ﬁve",
            "Five officers of the harbour watch each ship that passes the STRASSE at five",
        ),
        # The letters क़ and ड़ each as one character, then as letter and nukta.
        (
            "\u0958लम और घो\u095cा मेज़ पर रखे हैं और कोई उन्हें नहीं उठाता",
            "क\u093cलम और घोड\u093cा मेज़ पर रखे हैं और कोई उन्हें नहीं उठाता",
        ),
        ("e\u0301le\u0300ve après élève lit le même livre à haute voix chaque matin",
         "élève après e\u0301le\u0300ve lit le même livre à haute voix chaque matin"),
        # ¼ holds the tokens 1 and 4; the stretch ends inside of it.
        (
            "officers of the harbour watch each ship that passes the lock at ¼",
            "officers of the harbour watch each ship that passes the lock at 1",
        ),
    ],
    ids=["ligatures", "nukta", "accents", "fraction"],
)  # fmt: skip
def test_offsets_hold_where_normalising_changes_the_length(
    client: Any, filled: Callable[..., str], ours: str, theirs: str
) -> None:
    # What stands before shifts the offsets: each of these characters becomes several.
    texts = f"Ⅷ ﬃ ㎞ İ ㍍ prelude. {ours}. Last.", f"ﷺ another ¼ beginning: {theirs}, end"
    documents = [{"id": id, "text": text} for id, text in zip("12", texts, strict=True)]
    [found] = index_of(client, filled(*documents)).related(id="1", options=EVERYTHING)
    passage = found.evidence[0]
    assert (passage.query.text, passage.hit.text) == (ours, theirs)
    assert passage.query.start == texts[0].index(ours)
    assert passage.hit.start == texts[1].index(theirs)


def test_an_excerpt_is_shown_where_it_stands(answers: Answers, corpus: Corpus) -> None:
    relation = answers["zh-shidi-baogao"][0]
    excerpt = corpus["zh-shidi-zhaiyao"]["text"]
    assert relation.id == "zh-shidi-zhaiyao"
    longest = relation.evidence[0]
    assert longest.query.text == longest.hit.text
    assert longest.hit.text in excerpt
    assert len(longest.hit.text) > len(excerpt) / 4


def test_the_best_come_first_and_each_once(answers: Answers) -> None:
    for id, relations in answers.items():
        scores = [relation.score for relation in relations]
        assert scores == sorted(scores, reverse=True)
        assert len(set(ids(relations))) == len(relations)
        assert id not in ids(relations)


def test_scores_and_kinds_agree(answers: Answers) -> None:
    for relations in answers.values():
        for relation in relations:
            assert (relation.score >= VERSION_SCORE) == (relation.kind in VERSIONS)


# What can be asked


def test_a_text_finds_what_the_same_document_finds(
    client: Any, sample: str, answers: Answers, corpus: Corpus
) -> None:
    index = index_of(client, sample)
    found = index.related(text=corpus["de-moor-auszug"]["text"], options=EVERYTHING)
    assert (found[0].id, found[0].kind) == ("de-moor-auszug", "exact")
    stored = [each.id for each in answers["de-moor-auszug"]]
    assert [each.id for each in found[1:]] == stored
    assert found[1].kind == "excerpt_of"


def test_fewer_are_shown_when_fewer_are_requested(
    client: Any, sample: str, answers: Answers
) -> None:
    index = index_of(client, sample)
    every = answers["en-tender-road"]
    assert len(every) > 3
    assert ids(index.related(id="en-tender-road", options=SearchOptions(size=3))) == ids(every)[:3]


def test_the_least_score_bounds_what_is_shown(client: Any, sample: str, answers: Answers) -> None:
    index = index_of(client, sample)
    scores = [each.score for each in answers["en-tender-road"]]
    least = scores[1]
    found = index.related(id="en-tender-road", options=SearchOptions(min_score=least))
    assert [each.score for each in found] == [score for score in scores if score >= least]
    assert 0 < len(found) < len(scores)


def test_only_the_kinds_requested_are_shown(client: Any, sample: str) -> None:
    index = index_of(client, sample)
    only = index.related(id="en-river-report", options=SearchOptions(kinds=("contains",)))
    assert ids(only) == ["en-river-excerpt"]
    other = index.related(id="en-river-report", options=SearchOptions(kinds=("shares_passages",)))
    assert ids(other) == ["en-river-column"]
    assert index.related(id="en-river-report", options=SearchOptions(kinds=("exact",))) == []


def test_invalid_searches_are_refused() -> None:
    with pytest.raises(InputError, match="'copy'"):
        SearchOptions(kinds=("copy",))  # type: ignore[arg-type]
    for score in (-0.1, 1.1):
        with pytest.raises(InputError, match=str(score)):
            SearchOptions(min_score=score)
    with pytest.raises(InputError, match="size must be at least 1, got 0"):
        SearchOptions(size=0)


@pytest.mark.parametrize("given", [{}, {"id": "1", "text": "one"}])
def test_either_an_id_or_a_text_is_given(client: Any, given: dict[str, str]) -> None:
    index = index_of(client, "no-matter")
    for ask in (index.related, index.searches):
        with pytest.raises(InputError, match="either"):
            ask(**given)


def test_a_filter_works_before_the_cut(client: Any, filled: Callable[..., str]) -> None:
    sentence = "grey herons nest early beside the slow river and fish at dawn in every season"
    words = sentence.split(" ")
    text = " ".join(words)
    closer = [{"id": f"near-{n}", "text": text, "lang": "en"} for n in range(5)]
    farther = {"id": "far", "text": " ".join(words[:11]), "lang": "fr"}
    name = filled({"id": "query", "text": text, "lang": "en"}, *closer, farther)
    # One candidate only: without the filter in the searches it would be one of the closer ones.
    options = SearchOptions(
        size=1, filters=({"term": {"lang.keyword": "fr"}},), limits=Limits(candidates=1)
    )
    index = index_of(client, name)
    assert ids(index.related(id="query", options=options)) == ["far"]
    assert ids(index.related(id="query", options=SearchOptions(size=1))) == ["near-0"]


@pytest.mark.variants
@pytest.mark.parametrize(
    ("candidates", "copies", "cut"), [(2, 3, True), (3, 3, False), (4, 3, False), (1, 2, True)]
)
def test_an_answer_says_when_candidates_were_cut(
    client: Any, filled: Callable[..., str], candidates: int, copies: int, cut: bool
) -> None:
    text = "The lift stays closed until the inspector has seen the new cable in its shaft."
    name = filled(*({"id": str(n), "text": text} for n in range(copies + 1)))
    limits = Limits(candidates=candidates)
    options = SearchOptions(limits=limits, evidence=False, passages=False)
    found = index_of(client, name).related(id="0", options=options)
    # Each way of finding fetches as many candidates; they need not be the same.
    assert min(candidates, copies) <= len(found) <= min(2 * candidates, copies)
    assert {each.truncated for each in found} == {cut}
    assert found.truncated is cut
    hidden = index_of(client, name).related(id="0", options=replace(options, kinds=("contains",)))
    assert hidden == []
    assert hidden.truncated is cut


def test_the_corpus_is_small_enough_not_to_be_cut(answers: Answers) -> None:
    assert not any(each.truncated for relations in answers.values() for each in relations)


def test_documents_searched_together_find_what_each_finds_alone(
    client: Any, sample: str, requests_of: list[str]
) -> None:
    asked = ["en-minutes", "zh-metro-v1", "ar-jisr-v2", "en-bees-roof", "en-minutes"]
    index = index_of(client, sample)
    together = index.related_to_each(asked)
    searches = [each for each in requests_of if "search" in each]
    assert searches == [f"POST /{sample}/_msearch"]
    # The documents, the mapping, the searches, the texts of the hits.
    assert len(requests_of) == 4
    assert together == {id: index.related(id=id) for id in asked}
    assert together["en-bees-roof"] == []
    assert together["en-minutes"]


def test_no_documents_send_no_search(client: Any, sample: str, requests_of: list[str]) -> None:
    assert index_of(client, sample).related_to_each([]) == {}
    assert not [each for each in requests_of if "search" in each]


def test_only_the_fields_requested_come_along(client: Any, sample: str, corpus: Corpus) -> None:
    index = index_of(client, sample)
    [bare, *_] = index.related(id="en-recall")
    assert bare.evidence
    assert bare.source == {}
    [one, *_] = index.related(id="en-recall", options=SearchOptions(fields=("title", "lang")))
    original = corpus["en-recall-caps"]
    assert one.source == {"title": original["title"], "lang": "en"}
    [all_, *_] = index.related(
        id="en-recall", options=SearchOptions(fields=("te*",), evidence=False)
    )
    assert all_.source == {"text": original["text"]}


def test_texts_are_fetched_for_passages_only(
    client: Any, sample: str, requests_of: list[str]
) -> None:
    found = index_of(client, sample).related(id="en-minutes", options=FINGERPRINTS)
    assert ids(found) == ["en-minutes-wrapped"]
    assert found[0].evidence == ()
    assert [each for each in requests_of if "_mget" in each] == [f"POST /{sample}/_mget"]


# Documents and names out of the ordinary


def test_documents_without_words_are_related_to_nothing(
    client: Any, filled: Callable[..., str]
) -> None:
    text = "The ferry leaves at noon and carries forty passengers to the outer islands."
    empty = ["", "  \n", "… — !", "\u200b"]
    documents = [{"id": f"empty-{n}", "text": each} for n, each in enumerate(empty)]
    documents += [{"id": id, "text": text} for id in "ab"]
    index = index_of(client, filled(*documents))
    found = index.related_to_each([each["id"] for each in documents], options=EVERYTHING)
    assert ids(found.pop("a")) == ["b"]
    assert ids(found.pop("b")) == ["a"]
    assert list(found.values()) == [[]] * len(empty)
    assert index.related(text="") == []


ODD = ["a b", "a/b", "a?b#c&d=%20", "ünï-文-ا", 'quote"\\', "tab\tline\n", "_", "x" * 512, "--help"]


def test_ids_may_hold_any_character(client: Any, filled: Callable[..., str]) -> None:
    text = "Nine lanterns burn above the gate until the last cart has left the square."
    index = index_of(client, filled(*({"id": each, "text": text} for each in ODD)))
    for id in ODD:
        found = index.related(id=id)
        assert sorted(ids(found)) == sorted(set(ODD) - {id})
        assert all(each.evidence for each in found)


def test_a_text_may_lie_in_an_object_and_be_a_list(client: Any, index_name: str) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.config import IndexConfig
    from es_simhash.store.installation.install import install

    install(client, index_name)
    parts = ["The old mill turns again.", "Its wheel was carved from oak by two brothers."]
    documents = [
        {"id": "1", "doc": {"body": parts}},
        {"id": "2", "doc": {"body": "\n\n".join(parts)}},
    ]
    config = IndexConfig(text_field="doc.body")
    outcomes = ingest(client, index_name, documents, config=config)
    assert all(each.ok for each in outcomes)
    client.indices.refresh(index=index_name)
    [found] = index_of(client, index_name, text_field="doc.body").related(id="1")
    assert (found.id, found.kind) == ("2", "exact")
    assert found.evidence[0].query.text.startswith("The old mill")


@pytest.fixture
def alias(client: Any, index_name: str, fill_index: Any) -> Any:
    """An alias of two indices; each holds a copy of the same text, the second one more."""
    text = "The orchard above the chapel bears apples that nobody has picked for years."
    names = [f"{index_name}-{part}" for part in "ab"]
    try:
        fill_index(names[0], {"id": "1", "text": text})
        fill_index(names[1], {"id": "2", "text": text}, {"id": "3", "text": text})
        actions = [{"add": {"index": each, "alias": index_name}} for each in names]
        client.indices.update_aliases(actions=actions)
        yield index_name, text
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def test_an_alias_of_two_indices_is_searched_by_text(client: Any, alias: Any) -> None:
    name, text = alias
    found = index_of(client, name).related(text=text)
    assert [(each.index, each.id) for each in found] == [
        (f"{name}-a", "1"), (f"{name}-b", "2"), (f"{name}-b", "3"),
    ]  # fmt: skip
    assert all(each.evidence for each in found)


def test_an_alias_of_two_indices_is_searched_by_id(client: Any, alias: Any) -> None:
    index = index_of(client, alias[0])
    assert ids(index.related(id="2")) == ["1", "3"]
    assert ids(index_of(client, f"{alias[0]}-*").related(id="2")) == ["1", "3"]
    assert ids(index.related_to_each(["1", "3"])["1"]) == ["2", "3"]
    with pytest.raises(DocumentMissing, match="'4'"):
        index.related(id="4")


def test_an_id_that_two_indices_of_an_alias_hold_is_refused(client: Any, alias: Any) -> None:
    client.index(index=f"{alias[0]}-a", id="2", document={"text": "another"}, refresh=True)
    with pytest.raises(ClusterError, match="'2'"):
        index_of(client, alias[0]).related(id="2")


# Python and the command line


@pytest.mark.parametrize("id", ["en-tender-road", "hi-pustakalay-v1", "fr-sel-extrait"])
def test_the_command_line_gives_the_same_answer(
    cluster_url: str, client: Any, sample: str, id: str
) -> None:
    arguments = [
        "related",
        sample,
        "--id",
        id,
        "--evidence",
        "--format",
        "json",
        "--url",
        cluster_url,
    ]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    found = [each.to_dict() for each in index_of(client, sample).related(id=id)]
    assert found
    (answer,) = json.loads(result.stdout)
    assert answer["relations"] == json.loads(json.dumps(found))


def test_the_command_line_passes_every_option_on(
    cluster_url: str, client: Any, sample: str
) -> None:
    arguments = [
        "related", sample, "--id", "en-tender-road", "--format", "json", "--url", cluster_url,
        "--filter", '{"term": {"id.keyword": "en-tender-archive"}}', "--kind", "shares_passages",
        "--min-score", "0.1", "--size", "1", "--candidates", "5", "--k", "3", "--no-evidence",
    ]  # fmt: skip
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    options = SearchOptions(
        size=1,
        kinds=("shares_passages",),
        min_score=0.1,
        filters=({"term": {"id.keyword": "en-tender-archive"}},),
        evidence=False,
        k=3,
        limits=Limits(candidates=5),
    )
    found = index_of(client, sample).related(id="en-tender-road", options=options)
    assert ids(found) == ["en-tender-archive"]
    (answer,) = json.loads(result.stdout)
    assert answer["relations"] == json.loads(json.dumps([each.to_dict() for each in found]))
