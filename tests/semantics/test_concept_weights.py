"""Weights of the concepts of texts: titles, and Chinese texts, which are short or long."""

from pathlib import Path

import pytest

from es_simhash.semantics.concept_weights import MAX_CHINESE_RARITY, SHORT_RARITY
from es_simhash.semantics.profiler import profile_texts
from es_simhash.semantics.rarity import UNKNOWN_RARITY, rarity
from es_simhash.semantics.semantic_profile import SHORT_WORDS, SemanticProfile
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest

SCHEME = SemanticScheme("builtin+jieba", language="zh")
ENGLISH = SemanticScheme(language="en", vectors="none")


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


def test_concepts_of_one_label_weigh_as_much_as_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "synonyms.txt"

    def weights(synonyms: str) -> dict[str, float]:
        """Return the weights of concepts beside that of a word."""
        path.write_text(synonyms, "utf-8")
        digest = vocabulary_digest(str(path))
        scheme = SemanticScheme(language="en", vectors="none", vocabulary=digest)
        (found,) = profile_texts(["Lender, lender, lender, lender, riverside"], scheme, str(path))
        word = found.concepts["lender"]
        return {name: weight / word for name, weight in found.concepts.items() if name[0] == "#"}

    apart = weights("bank, lender\nshore, riverside\n")
    assert apart["#bank"] > apart["#shore"] > 0
    one = weights("bank, lender\nbank, riverside\n")
    assert one == {"#bank": pytest.approx(apart["#bank"] + apart["#shore"], rel=1e-5)}


@pytest.mark.long
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
    # Three words are a short text, whose words weigh more alike.
    more = SHORT_RARITY * (1 - 3 / SHORT_WORDS)
    assert concepts[common] / concepts[lacking] == pytest.approx(
        (rarities[2] + more) / (MAX_CHINESE_RARITY + more)
    )


def test_a_short_text_has_all_of_its_words_and_a_long_one_those_with_content() -> None:
    short = "The crane lifted it onto the quay."
    concepts = profile(short, ENGLISH).concepts
    assert {*concepts} == {"quay", "crane", "lifted", "the", "onto", "it"}
    assert concepts["the"] > 0.5 * concepts["lifted"]
    more = "Workers unloaded grain, timber, bricks, copper and barley from freighters nearby."
    assert not {"the", "it", "and"} & profile(f"{short} {more}", ENGLISH).concepts.keys()
    # Neither are those of a long table that has few words.
    assert "the" not in profile(f"{short}\n{' 12.5' * 80}", ENGLISH).concepts


def test_a_short_chinese_text_has_its_characters_too() -> None:
    pytest.importorskip("jieba")
    one, other = profile("他的狗在跑"), profile("那只小狗跑了")
    assert {"狗", "跑"} <= one.concepts.keys() & other.concepts.keys()
    assert {"北", "京", "大", "学"} <= profile("他在北京大学").concepts.keys()
    body = "冠军赛今晚在体育馆举行，许多学生参加了开幕仪式，老师发表声明，记者报道新闻。"
    assert all(len(word) > 1 for word in profile(body).concepts)


def test_sentences_of_the_same_words_are_nearer_than_those_of_one_rare_word() -> None:
    query = profile("A man is playing a large flute.", ENGLISH)
    same = profile("A man is playing a flute.", ENGLISH)
    rare = profile("The flute was stolen from a museum in spring.", ENGLISH)
    assert compare_profiles(query, same).similarity > 0.8
    assert compare_profiles(query, rare).similarity < 0.5


def test_an_address_in_common_makes_no_neighbours() -> None:
    pytest.importorskip("jieba")
    one, other = profile("冠军赛今晚直播http://t.cn/zOa"), profile("美容护肤的方法http://t.cn/zOb")
    assert one.concepts
    assert not set(one.concepts) & set(other.concepts)


def test_without_jieba_pairs_of_characters_have_no_parts() -> None:
    concepts = profile("北京大学", SemanticScheme(language="zh")).concepts
    assert set(concepts) == {"北京", "京大", "大学"}
    assert len(set(concepts.values())) == 1
