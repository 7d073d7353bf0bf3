"""Weights of the concepts of texts: titles, and Chinese texts, which are short or long."""

import pytest

from es_simhash.semantics.concept_weights import MAX_CHINESE_RARITY
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.rarity import UNKNOWN_RARITY, rarity
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.similarity import compare_profiles

SCHEME = SemanticScheme("builtin+jieba", language="zh")


def profile(text: str, scheme: SemanticScheme = SCHEME) -> SemanticProfile:
    [found] = profile_texts([text], scheme)
    return found


def test_a_word_of_the_title_counts_more_than_one_of_the_text() -> None:
    body = "The union said that crews went back to work after long talks about wages and pensions."
    plain = SemanticScheme(language="en")
    titled = profile(f"Crews accept wages\n\n{body}", plain).concepts
    untitled = profile(f"Crews accept wages.\n\n{body}", plain).concepts
    assert titled.keys() == untitled.keys()
    assert titled["wage"] / titled["pension"] > 1.4 * untitled["wage"] / untitled["pension"]
    assert titled["talk"] / titled["pension"] == pytest.approx(
        untitled["talk"] / untitled["pension"], rel=1e-5
    )


def test_stories_with_a_word_of_their_titles_in_common_are_nearer() -> None:
    plain = SemanticScheme(language="en", vectors="none")
    query = profile("Rubber pact drafted\n\nDelegates left for the airport at noon.", plain)
    in_title = profile("Rubber prices fall\n\nDealers blamed the weather on the coast.", plain)
    in_text = profile("Dealers blame weather\n\nPrices of rubber fall on the coast.", plain)
    near = compare_profiles(query, in_title).similarity
    assert near > compare_profiles(query, in_text).similarity > 0


@pytest.mark.parametrize("title", ["# 北京大学", "北京大学"])
def test_a_chinese_title_counts_with_the_words_within_its_words(title: str) -> None:
    pytest.importorskip("jieba")
    body = "冠军赛今晚在体育馆举行，许多学生参加了开幕仪式。"
    concepts = profile(f"{title}\n\n{body}").concepts
    in_text = profile(f"{title}。\n\n{body}").concepts
    assert concepts["北京大学"] / concepts["学生"] > 1.5 * in_text["北京大学"] / in_text["学生"]
    assert concepts["大学"] / concepts["学生"] > 1.5 * in_text["大学"] / in_text["学生"]


def test_a_word_within_a_longer_word_is_a_concept_of_less_weight() -> None:
    pytest.importorskip("jieba")
    concepts = profile("北京大学").concepts
    assert {"北京大学", "北京", "大学"} <= set(concepts)
    # One and the same rarity and count: only that it is part of another sets it apart.
    assert concepts["大学"] < profile("北京大学，大学").concepts["大学"]
    assert sum(weight**2 for weight in concepts.values()) == pytest.approx(1, abs=1e-5)


def test_texts_with_parts_of_words_in_common_are_near() -> None:
    pytest.importorskip("jieba")
    one, other = profile("北京大学发表声明"), profile("大学生活")
    assert set(one.query_concepts()) & set(other.stored_concepts()) == {"大学"}
    assert compare_profiles(one, other).similarity > 0


def test_a_word_that_the_dictionary_lacks_is_no_rarer_than_a_seldom_one() -> None:
    pytest.importorskip("jieba")
    lacking, seldom, common = "iphone", "髌骨", "中国"
    rarities = rarity([lacking, seldom, common], "zh", SCHEME.packages)
    assert rarities[0] == UNKNOWN_RARITY
    assert MAX_CHINESE_RARITY < rarities[1] < UNKNOWN_RARITY
    concepts = profile(f"{lacking}，{seldom}，{common}").concepts
    assert concepts[lacking] == pytest.approx(concepts[seldom])
    assert concepts[common] / concepts[lacking] == pytest.approx(rarities[2] / MAX_CHINESE_RARITY)


def test_an_address_in_common_makes_no_neighbours() -> None:
    pytest.importorskip("jieba")
    one, other = profile("冠军赛今晚直播http://t.cn/zOa"), profile("美容护肤的方法http://t.cn/zOb")
    assert one.concepts
    assert not set(one.concepts) & set(other.concepts)


def test_without_jieba_pairs_of_characters_have_no_parts() -> None:
    concepts = profile("北京大学", SemanticScheme(language="zh")).concepts
    assert set(concepts) == {"北京", "京大", "大学"}
    assert len(set(concepts.values())) == 1
