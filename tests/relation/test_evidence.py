"""What two texts share in meaning: written as in the texts, in parts that add up."""

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from es_simhash import Relation, SemanticScheme, compare
from es_simhash.cli.relation_tables import shown_parts
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import aligned_passages, passages_of_pairs
from es_simhash.relation.relation import semantic_score
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.semantic_similarity import SemanticSimilarity, SharedConcept
from tests.support.made_up_texts import make_text, revise

WIRES = (
    "The EU fined Acme £5bn on Friday. Kansas City sued, and Charles Rowe left. Policies changed.",
    "Charles Rowe of Kansas City said policies cost £3bn. The EU spoke of fines for Acme.",
)


def related(query: str, hit: str, language: str = "en", extractor: str = "builtin") -> Relation:
    return compare(query, hit, semantics=SemanticScheme(extractor, language=language))


def semantics_of(relation: Relation) -> SemanticSimilarity:
    assert relation.semantics is not None
    return relation.semantics


def terms(relation: Relation) -> set[str]:
    return {each.text for each in semantics_of(relation).shared}


def entities(relation: Relation) -> set[str]:
    return {each.text for each in semantics_of(relation).shared if each.is_entity}


# How shared terms are written.


def test_english_words_are_shown_as_the_texts_write_them() -> None:
    found = related(*WIRES)
    assert {"Charles Rowe", "Kansas City", "Acme"} <= entities(found)
    assert {"policies", "EU"} <= {text.replace("Policies", "policies") for text in terms(found)}
    assert not {"charle", "kansa", "policy", "eu", "bn"} & terms(found)


def test_the_form_that_the_query_has_most_often_is_shown() -> None:
    query = "Two harbours close. The harbour opens at six. Every harbour has a crane."
    assert "harbour" in terms(related(query, "Three harbours, four harbours and a crane."))
    assert "harbours" in terms(related("Two harbours and one crane.", "A harbour; its crane."))


def test_an_entity_is_shown_in_full_and_its_key_never() -> None:
    query = "The Digital Millennium Copyright Act protects copies. Brenda Hale spoke."
    found = related(query, "Under the Digital Millennium Copyright Acts, Hale removed copies.")
    assert not any(text.startswith(("@", "#")) for text in terms(found))
    assert "Digital Millennium Copyright Act" in entities(found)
    # One text has the name by one word alone, and no other has that word.
    assert "Brenda Hale" in entities(found)
    assert not {"Hale", "Brenda"} & terms(found)
    # But Ellery is a port here, and not Ellery Quays.
    found = related("We met at Ellery Quays in spring.", "Ships wait at the Ellery quayside.")
    assert entities(found) == {"Ellery"}


def test_one_word_of_several_names_is_a_term_and_no_entity() -> None:
    found = related(
        "The Commerce Department published orders.", "The Labor Department counted orders."
    )
    (department,) = [each for each in semantics_of(found).shared if each.text == "Department"]
    assert not department.is_entity


@pytest.mark.parametrize("written", ["5bn", "$5 bn", "5\u00a0bn"])
def test_a_unit_of_numbers_is_left_out_and_its_part_is_among_the_others(written: str) -> None:
    found = related(f"The harbour cost {written}.", f"For {written} they built a harbour.")
    semantics = semantics_of(found)
    assert terms(found) == {"harbour"}
    assert semantics.others > 0.01
    # Where nothing else is shared, it is better than nothing.
    assert terms(related(f"It was {written} then.", f"And {written} now.")) == {"bn"}


def test_a_short_word_that_stands_by_itself_is_no_unit() -> None:
    assert "oil" in terms(related("They drill for 3 oil wells and oil.", "Oil, 5 oil firms."))


def test_german_words_keep_their_capitals_and_umlauts() -> None:
    found = related(
        "Die Zentralbank erhöht die Zinsen. Christine Lagarde sprach in Köln über 5 Mio Euro.",
        "In Köln warnte Christine Lagarde vor Zinsen der Zentralbank und 3 Mio Euro.",
        "de",
    )
    assert {"Christine Lagarde", "Köln"} <= entities(found)
    assert {"Zentralbank", "Zinsen"} <= terms(found)
    assert "Mio" not in terms(found)
    assert not any(text.islower() and text in ("zinsen", "zentralbank") for text in terms(found))


def test_chinese_words_are_whole_with_a_dictionary_and_without() -> None:
    texts = "北京大学发表关于气候变化的声明。", "记者在北京大学谈到气候变化，大学也在变。"
    assert {"北京大学", "气候变化"} <= terms(related(*texts, "zh"))
    pytest.importorskip("jieba")
    found = related(*texts, "zh", "builtin+jieba")
    assert "北京大学" in terms(found)
    assert [each.text for each in semantics_of(found).shared].count("北京大学") == 1


def test_arabic_and_hindi_words_are_shown_with_their_marks() -> None:
    arabic = related(
        "يفتح الميناء أبوابه صباحا وترفع الرافعة الحاويات", "أغلق الميناء بعد سقوط الرافعة", "ar"
    )
    assert {"الميناء", "الرافعة"} <= terms(arabic)
    hindi = related("बंदरगाह सुबह खुलता है और क्रेन कंटेनर उठाती है।", "क्रेन गिरने के बाद बंदरगाह बंद हुआ।", "hi")
    assert {"बंदरगाह", "क्रेन"} <= terms(hindi)


# The parts add up.


def require_sums(relation: Relation) -> None:
    semantics = semantics_of(relation)
    parts = semantics.vector + sum(each.contribution for each in semantics.shared)
    assert parts + semantics.others == pytest.approx(semantics.similarity, abs=1e-9)
    assert semantics.vector + semantics.concepts + semantics.entities == pytest.approx(
        semantics.similarity, abs=1e-9
    )
    # Nothing is counted twice; contributions have four digits.
    assert semantics.others >= -0.001
    assert semantics.score == semantic_score(semantics.similarity)
    # Where the texts share text, that alone decides the score.
    if relation.kind in ("semantic", "none"):
        assert relation.score == semantics.score
    else:
        assert relation.score >= SHOWN_SCORE
    shown = shown_parts(semantics)
    total = shown.vector + shown.others + sum(share for _, share in shown.terms)
    assert f"{total:.2f}" == f"{semantics.similarity:.2f}"


SENTENCES = (
    *WIRES,
    "The Bank of England raised interest rates by 5bn; Christine Lagarde disagreed.",
    "Die Europäische Zentralbank erhöht die Zinsen, sagte Christine Lagarde in Frankfurt.",
    "Frankfurt: Zinsen der Europäischen Zentralbank steigen um 3 Mio Euro.",
    "北京大学发表关于气候变化的声明。",
    "记者在北京大学谈到气候变化，大学也在变。",
    "يفتح الميناء أبوابه صباحا وترفع الرافعة الحاويات",
    "أغلق الميناء بعد سقوط الرافعة",
    "बंदरगाह सुबह खुलता है और क्रेन कंटेनर उठाती है।",
    "क्रेन गिरने के बाद बंदरगाह बंद हुआ।",
    "Beekeepers on the roofs of the old town harvest honey.",
)
pieces = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)


@given(pieces, pieces, st.sampled_from(["", "en", "de", "zh", "ar", "hi"]))
def test_shown_parts_and_others_add_up_to_the_similarity(
    query: str, hit: str, language: str
) -> None:
    scheme = SemanticScheme(language=language) if language else SemanticScheme()
    found = compare(query, hit, semantics=scheme)
    if found.semantics is not None:
        require_sums(found)


def test_parts_of_long_texts_add_up(library_texts: dict[str, str]) -> None:
    checked = 0
    for query, hit in combinations(sorted(library_texts)[:12], 2):
        found = compare(library_texts[query], library_texts[hit])
        if found.semantics is not None:
            require_sums(found)
            checked += 1
    assert checked > 20


@given(st.lists(st.floats(0, 0.08), max_size=12), st.floats(0, 0.4), st.floats(-0.0005, 0.1))
@example([], 0.005, 0.0)
@example([], 0.015, 0.0)
def test_what_is_printed_adds_up_to_the_printed_similarity(
    contributions: list[float], vector: float, others: float
) -> None:
    shared = tuple(
        SharedConcept(f"t{n}", round(part, 4)) for n, part in enumerate(sorted(contributions)[::-1])
    )
    similarity = max(0.0, vector + others + sum(each.contribution for each in shared))
    semantics = SemanticSimilarity(similarity, vector, 0.0, others=others, shared=shared)
    parts = shown_parts(semantics)
    numbers = [parts.vector, parts.others, *(share for _, share in parts.terms)]
    assert all(number >= 0 for number in numbers)
    assert f"{sum(numbers):.2f}" == f"{similarity:.2f}"
    for term, share in parts.terms:
        assert share == pytest.approx(term.contribution, abs=0.0101)


# Texts that are not related.


def test_unrelated_texts_are_not_related_and_keep_what_little_they_share() -> None:
    query = "The harbour crane collapsed on Sunday as gusts swept the coast."
    hit = "Grandmother bakes a cake on Sunday, and the children beat the eggs."
    found = compare(query, hit, semantics=SemanticScheme(vectors="none"))
    assert (found.kind, found.evidence) == ("none", ())
    assert 0 < found.score < SHOWN_SCORE
    assert terms(found) == {"Sunday"}
    require_sums(found)
    nothing = compare(query, "…")
    assert (nothing.kind, nothing.score, nothing.semantics) == ("none", 0.0, None)


@pytest.mark.parametrize("kana", ["ｶﾞｷﾞｸﾞｹﾞｺﾞｻﾞｼﾞｽﾞｾﾞｿﾞﾀﾞﾁﾞ", "か\u3099き\u3099く\u3099" * 4])
def test_verbatim_passages_are_equal_behind_letters_that_are_composed(kana: str) -> None:
    shared = "東京都は来年四月から水道料金を一割引き上げると発表し、住民に説明会を開く予定である。"
    (passage,) = compare(kana + shared, shared).evidence
    assert passage.kind == "verbatim"
    assert passage.query.text == passage.hit.text == shared[:-1]


def test_pairs_that_are_aligned_together_have_the_passages_of_each_alone() -> None:
    first = make_text(1)
    chinese = (
        "市长昨天宣布新的收费办法,从一月起执行。渔民抗议,认为费用太高,议会下周讨论这个问题。"
        "船主协会说,去年港口的收入增加了两成,没有理由再提高停泊费。律师建议先公布账目,然后召开听证会。"
    )
    pairs = [
        (first, revise(first, 2)),
        (first, make_text(2)),
        ("", first),
        (chinese, f"昨日消息。{chinese}"),
        (f"{make_text(3)} {first}", first),
    ]

    def analysed() -> list[tuple[AnalysedText, AnalysedText]]:
        return [(AnalysedText(one), AnalysedText(other)) for one, other in pairs]

    alone = [aligned_passages(*pair) for pair in analysed()]
    assert list(passages_of_pairs(analysed())) == alone
    assert list(map(bool, alone)) == [True, False, False, True, True]
    assert list(passages_of_pairs([])) == []
