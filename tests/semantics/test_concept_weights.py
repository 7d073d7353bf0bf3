"""Weights of the concepts of Chinese texts, which are short or long."""

import pytest

from es_simhash.semantics.concept_weights import MAX_CHINESE_RARITY
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.rarity import UNKNOWN_RARITY, rarity
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.similarity import compare_profiles

pytest.importorskip("jieba")

SCHEME = SemanticScheme("builtin+jieba", language="zh")


def profile(text: str, scheme: SemanticScheme = SCHEME) -> SemanticProfile:
    [found] = profile_texts([text], scheme)
    return found


def test_a_word_within_a_longer_word_is_a_concept_of_less_weight() -> None:
    concepts = profile("北京大学").concepts
    assert {"北京大学", "北京", "大学"} <= set(concepts)
    # One and the same rarity and count: only that it is part of another sets it apart.
    assert concepts["大学"] < profile("北京大学，大学").concepts["大学"]
    assert sum(weight**2 for weight in concepts.values()) == pytest.approx(1, abs=1e-5)


def test_texts_with_parts_of_words_in_common_are_near() -> None:
    one, other = profile("北京大学发表声明"), profile("大学生活")
    assert set(one.query_concepts()) & set(other.stored_concepts()) == {"大学"}
    assert compare_profiles(one, other).similarity > 0


def test_a_word_that_the_dictionary_lacks_is_no_rarer_than_a_seldom_one() -> None:
    lacking, seldom, common = "iphone", "髌骨", "中国"
    rarities = rarity([lacking, seldom, common], "zh", SCHEME.packages)
    assert rarities[0] == UNKNOWN_RARITY
    assert MAX_CHINESE_RARITY < rarities[1] < UNKNOWN_RARITY
    concepts = profile(f"{lacking}，{seldom}，{common}").concepts
    assert concepts[lacking] == pytest.approx(concepts[seldom])
    assert concepts[common] / concepts[lacking] == pytest.approx(rarities[2] / MAX_CHINESE_RARITY)


def test_an_address_in_common_makes_no_neighbours() -> None:
    one, other = profile("冠军赛今晚直播http://t.cn/zOa"), profile("美容护肤的方法http://t.cn/zOb")
    assert one.concepts
    assert not set(one.concepts) & set(other.concepts)


def test_without_jieba_pairs_of_characters_have_no_parts() -> None:
    concepts = profile("北京大学", SemanticScheme(language="zh")).concepts
    assert set(concepts) == {"北京", "京大", "大学"}
    assert len(set(concepts.values())) == 1
