"""Normalisation, tokens and chunks."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store.conformance import describe
from es_simhash.text.normal_forms import normalise
from es_simhash.text.segmentation import segment, text_batches
from tests.support import reference
from tests.support.strategies import texts


def tokens(text: str) -> list[str]:
    return describe(text)["tokens"]


def chunks(text: str, scheme: Scheme = DEFAULT) -> list[str]:
    return [chunk["characters"].strip() for chunk in describe(text, scheme)["chunks"]]


def words(count: int, stop: str = "") -> str:
    return " ".join(f"w{number}" for number in range(count)) + stop


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat.", "the cat sat"),
        ("snake_case don't e-mail 3.14", "snake_case don t e mail 3 14"),
        ("सभी मनुष्यों को", "सभी मनुष्यों को"),
        ("يُولَدُ جَمِيعُ", "يُولَدُ جَمِيعُ"),
        ("כל בני־האדם", "כל בני האדם"),
        ("人人生而自由", "人 人 生 而 自 由"),
        ("第12条", "第 12 条"),
        ("すべてのｶﾞ", "す べ て の ガ"),
        ("か\u3099ー", "が ー"),
        ("กินน้ำ", "กิ น น้ํ า"),
        ("មនុស្ស", "ម នុ ស្ ស"),
        ("모든 인간은", "모든 인간은"),
        ("\u1106\u1169\u11ab", "몬"),
        ("Straße STRASSE", "strasse strasse"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"),
        ("İ I ı", "i̇ i ı"),
        ("ﬁne ½ ² ℃ Ⅷ", "fine 1⁄2".replace("⁄", " ") + " 2 c viii"),
        ("Ｆｕｌｌ　１２", "full 12"),
        ("x人y", "x 人 y"),
        ("人\u0301x", "人\u0301 x"),
        ("🙂 👍🏽 ❤\ufe0f", ""),
        ("#\ufe0f\u20e3 1\ufe0f\u20e3", "1\u20e3"),
        ("before \ud83d after", "before after"),
        ("a\ue000b\u0378c", "a b c"),
    ],
)
def test_tokens_of_many_scripts(text: str, expected: str) -> None:
    assert tokens(text) == expected.split()


@pytest.mark.parametrize(
    "text", ["", " \n\t", "!!!", "—…–", "\u00ad\u200d", "🙂", "\u0301", "\ud800"]
)
def test_texts_without_tokens(text: str) -> None:
    assert tokens(text) == []
    assert chunks(text) == []


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("text", ["Việt Nam, Ångström", "が ぎ", "स्वतन्त्रता क़", "한국어", "שָׁוִים"])
def test_all_normal_forms_are_one_text(text: str, form: str) -> None:
    assert normalise(unicodedata.normalize(form, text)) == normalise(text)


@pytest.mark.parametrize("ignored", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"])
def test_ignored_characters_do_not_split_words(ignored: str) -> None:
    assert tokens(f"{ignored}Donau{ignored}dampf schiff{ignored}") == ["donaudampf", "schiff"]
    assert chunks(f"{words(9)}.{ignored} {words(9)}") == [words(9)] * 2


def test_a_mark_at_the_beginning_of_a_text_does_not_look_at_the_text_before() -> None:
    segmentation = segment(["人", "\u0301x"], DEFAULT)
    assert (segmentation.ends - segmentation.starts).tolist() == [1, 1]


@pytest.mark.parametrize("text", ["", "ABC xyz 019 \x00\x1f\x7f", "".join(map(chr, range(128)))])
def test_the_short_cut_for_ascii_changes_nothing(text: str) -> None:
    assert normalise(text) == reference.normalise(text)
    assert normalise(text + "é").removesuffix("é") == normalise(text)


def test_normalisation_leaves_characters_newer_than_unicode_13_alone() -> None:
    # Python 3.10 does not know that these two are a capital letter and a form of another letter.
    assert normalise("É\U00010570\ua7f2A\u0301") == "é\U00010570\ua7f2á"
    later = "".join(chr(code) for code in range(0x110000) if reference.LATER[code])
    assert normalise(later) == later


@given(texts)
def test_normalisation_is_stable(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == reference.normalise(text)


@given(texts, st.integers(1, 12), st.integers(0, 30))
def test_chunks_hold_each_token_once_and_in_order(text: str, least: int, more: int) -> None:
    scheme = Scheme(min_chunk_tokens=least, max_chunk_tokens=least + more)
    described = describe(text, scheme)
    assert [word for chunk in chunks(text, scheme) for word in chunk.split(" ")] == (
        described["tokens"]
    )
    sizes = [chunk["end_token"] - chunk["first_token"] for chunk in described["chunks"]]
    assert all(1 <= size <= least + more for size in sizes)


def test_chunks_end_with_sentences() -> None:
    for stop in (".", "!", "?", "?!", ".)", '."', ".’", "。", "؟", "।", "։", "។", "...", "…"):
        assert chunks(f"{words(8)}{stop} {words(9)}") == [words(8), words(9)], stop


def test_stops_inside_words_and_numbers_end_nothing() -> None:
    for stop in (".", "!", "?", ".)x", ".))", ":", ";", ","):
        assert len(chunks(f"{words(8)}{stop}{words(9)}")) == 1, stop


def test_a_full_stop_beside_a_character_that_is_a_token_ends_a_sentence_without_space() -> None:
    assert chunks("人民共和国的权利.人民共和国的权利") == ["人 民 共 和 国 的 权 利"] * 2
    assert chunks(f"{words(8)}.人民共和国的权利") == [words(8), "人 民 共 和 国 的 权 利"]
    assert len(chunks("มีมีมีมีมีมีมีมี.มีมีมีมีมีมีมีมี")) == 2


def test_sentences_are_joined_until_they_have_the_least_number_of_tokens() -> None:
    assert chunks(f"One. Two three. {words(5)}. {words(8)}") == [
        f"one two three {words(5)}",
        words(8),
    ]


def test_a_short_rest_joins_the_chunk_before_it() -> None:
    assert chunks(f"{words(8)}. {words(7)}") == [f"{words(8)} {words(7)}"]
    assert chunks(f"{words(8)}. {words(8)}") == [words(8)] * 2
    sizes = [len(chunk.split()) for chunk in chunks(f"{words(60)}. {words(7)}")]
    assert sizes == [33, 34]


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(7, [7]), (60, [60]), (61, [30, 31]), (120, [60, 60]), (121, [40, 40, 41])],
)
def test_long_sentences_are_cut_into_equal_parts(count: int, sizes: list[int]) -> None:
    assert [len(chunk.split()) for chunk in chunks(words(count))] == sizes


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_inside_a_paragraph_are_spaces(newline: str) -> None:
    wrapped = newline.join([words(10)] * 3 + ["", words(9) + ".", words(12)])
    flowing = f"{' '.join([words(10)] * 3)}\n\n{words(9)}. {words(12)}"
    assert chunks(wrapped) == chunks(flowing) == [" ".join([words(10)] * 3), words(9), words(12)]


@pytest.mark.parametrize("gap", ["\n\n", "\n \t\n", "\r\n\r\n", "\u2029\u2029", "\n\u3000\n"])
def test_blank_lines_end_paragraphs(gap: str) -> None:
    assert chunks(f"{words(8)}{gap}{words(9)}") == [words(8), words(9)]


def test_a_visible_character_between_line_ends_makes_no_blank_line() -> None:
    assert len(chunks(f"{words(8)}\n*\n{words(9)}")) == 1


@given(st.lists(texts, min_size=1, max_size=5))
def test_a_text_of_a_batch_is_as_if_segmented_by_itself(batch: list[str]) -> None:
    normalised = [normalise(text) for text in batch]
    together = segment(normalised, DEFAULT)
    for place, text in enumerate(normalised):
        found, alone = together.of_text(place), segment([text], DEFAULT)
        for name in ("codes", "starts", "ends", "classes", "texts", "code_bounds", "chunks"):
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name), name)
        np.testing.assert_array_equal(found.text_chunks, alone.text_chunks)
        inside = [set(each.boundaries.tolist()) - {0, len(alone.starts)} for each in (found, alone)]
        assert inside[0] == inside[1]
        if found.positions is not None:
            everything = np.arange(len(alone.codes))
            expected = everything if alone.positions is None else alone.positions
            np.testing.assert_array_equal(found.positions, expected)


def test_batches_end_whether_or_not_their_texts_have_characters() -> None:
    # Each text costs 2 KB while its sketch is made.
    sizes = [len(batch) for batch in text_batches([""] * 45_000)]
    assert sum(sizes) == 45_000
    assert max(sizes) * 2048 < 50_000_000
    assert [len(batch) for batch in text_batches(["a" * 100_000] * 3)] == [2, 1]
