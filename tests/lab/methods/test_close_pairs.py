"""How methods find candidates, against comparing each with each."""

from itertools import combinations

import numpy as np
import pytest

from es_simhash.errors import SchemeError
from es_simhash.lab.methods.close_pairs import (
    close_by_rotation,
    close_pairs,
    close_rows,
    permuted_masks,
)
from es_simhash.lab.methods.concept_method import paragraphs_of
from es_simhash.lab.methods.longest_subsequence import LONGEST_COMMON_SUBSEQUENCE
from es_simhash.lab.methods.method_registry import method_named
from es_simhash.lab.methods.minhash import Banding
from es_simhash.lab.methods.parts_of_speech import chinese_kind, english_kind
from es_simhash.lab.methods.token_simhash import table_masks
from tests.support.made_up_texts import make_text, revise
from tests.support.pairs_of_texts import all_pairs


def fingerprints(seed: int, bits: int = 64) -> np.ndarray:
    """Return random fingerprints, and some that differ from them in 1 to 6 bits."""
    random = np.random.default_rng(seed)
    values = [int(random.integers(0, 1 << 62)) % (1 << bits) for _ in range(60)]
    for place in range(60):
        changed = values[place]
        for bit in random.choice(bits, place % 6 + 1, replace=False).tolist():
            changed ^= 1 << bit
        values.append(changed)
    return np.unique(np.array(values, np.uint64))


def exact(values: np.ndarray, k: int) -> set[tuple[int, int]]:
    numbers = values.tolist()
    return {
        pair
        for pair in combinations(range(len(numbers)), 2)
        if (numbers[pair[0]] ^ numbers[pair[1]]).bit_count() <= k
    }


def as_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(one, other) for one, other in pairs.tolist()}


@pytest.mark.parametrize(("blocks", "k"), [(4, 3), (6, 3), (4, 2), (7, 6)])
def test_tables_find_every_pair_within_k(blocks: int, k: int) -> None:
    values = fingerprints(blocks)
    masks = permuted_masks(64, blocks, k)
    expected = exact(values, k)
    assert len(expected) > 10
    assert as_set(close_pairs(values, masks, k)) == expected


def test_two_differing_bits_take_six_tables_of_four_blocks() -> None:
    masks = permuted_masks(64, 4, 2)
    assert len(masks) == 6
    assert [mask.bit_count() for mask in masks] == [32] * 6
    with pytest.raises(SchemeError):
        permuted_masks(64, 4, 4)


def test_sixteen_tables_of_28_bits_find_every_pair_within_three() -> None:
    masks = table_masks()
    assert len(set(masks)) == 16
    assert {mask.bit_count() for mask in masks} == {28}
    # One block of 16 bits, and 12 of the others.
    assert masks[0] == int("1" * 28 + "0" * 36, 2)
    differing = np.array([sum(1 << bit for bit in bits) for bits in combinations(range(64), 3)])
    spared = [(differing.astype(np.uint64) & np.uint64(mask)) == 0 for mask in masks]
    assert np.any(spared, axis=0).all()


def test_many_equal_fingerprints_are_all_found() -> None:
    values = np.full(300, 12345, np.uint64)
    assert len(close_pairs(values, permuted_masks(64, 6, 3), 3)) == 300 * 299 // 2


@pytest.mark.parametrize(("bits", "n"), [(16, 1), (32, 3), (64, 8)])
def test_rotation_finds_close_pairs_and_no_others(bits: int, n: int) -> None:
    values = fingerprints(bits, bits)
    expected, found = exact(values, n), as_set(close_by_rotation(values, bits, n))
    assert found <= expected
    assert len(found) >= 0.9 * len(expected)
    assert {pair for pair in expected if pair in exact(values, 1)} <= found


def test_all_pairs_of_rows_are_compared() -> None:
    values = fingerprints(1)
    rows = values.astype(">u8").view(np.uint8).reshape(-1, 8)
    assert as_set(close_rows(rows, 5)) == exact(values, 5)


def test_bands_find_what_agrees_in_one_of_them() -> None:
    random = np.random.default_rng(2)
    rows = random.integers(0, 1 << 32, (40, 12), dtype=np.uint32)
    rows[1, 4:8] = rows[0, 4:8]
    rows[3, :4] = rows[2, 4:8]  # the same values, in another band
    rows[5, [0, 5, 10]] = rows[4, [0, 5, 10]]  # equal values, but no whole band
    assert Banding(3, 4).candidates(rows).tolist() == [[0, 1]]
    assert Banding(3, 4).candidates(rows[:0]).shape == (0, 2)


def test_the_longest_common_subsequence_is_that_of_words() -> None:
    texts = [make_text(1, 60), revise(make_text(1, 60), 2, 0.3), make_text(2, 40), "a b c", "c a b"]
    features = LONGEST_COMMON_SUBSEQUENCE.read(texts)
    pairs = all_pairs(len(texts))
    words = [text.replace(".", "").split() for text in texts]
    expected = [
        length(words[one], words[other]) / max(len(words[one]), len(words[other]))
        for one, other in pairs.tolist()
    ]
    assert features.score(pairs[:, 0], pairs[:, 1]) == pytest.approx(expected)
    assert as_set(features.candidates()) >= {
        tuple(pair) for pair, score in zip(pairs.tolist(), expected, strict=True) if score >= 0.3
    }


def length(one: list[str], other: list[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        before = row[:]
        for place, candidate in enumerate(other):
            row[place + 1] = (
                before[place] + 1 if word == candidate else max(row[place], before[place + 1])
            )
    return row[-1]


def test_short_paragraphs_join_the_next() -> None:
    long = "This paragraph is longer than eighty characters, so that it is a part of its own here."
    assert paragraphs_of(f"Title\n\n{long}\n \n{long}\n\n\n{long}") == [
        f"Title\n{long}", long, long,
    ]  # fmt: skip
    assert paragraphs_of(" \n\n ") == []


def test_one_paragraph_in_common_is_not_enough_where_there_are_more() -> None:
    def paragraph(seed: int) -> str:
        return make_text(seed, 40)

    texts = [
        f"{paragraph(1)}\n\n{paragraph(2)}\n\n{paragraph(3)}",
        f"{paragraph(1)}\n\n{paragraph(2)}\n\n{paragraph(4)}",
        f"{paragraph(1)}\n\n{paragraph(5)}\n\n{paragraph(6)}",
    ]
    for name in ("word-frequency", "concept-simhash-par"):
        features = method_named(name).read(texts)
        two, one = features.score(np.array([0, 0]), np.array([1, 2]))
        assert two == pytest.approx(1)
        assert one < 0.8


def test_texts_of_other_clusters_score_0() -> None:
    texts = [make_text(seed) for seed in (1, 1, 2, 2, 3, 3, 4, 4)]
    features = method_named("concept-kmeans").read(texts)
    pairs = all_pairs(len(texts))
    scores = features.score(pairs[:, 0], pairs[:, 1])
    found = as_set(features.candidates())
    for pair, score in zip(map(tuple, pairs.tolist()), scores.tolist(), strict=True):
        assert (score == 0) or pair in found


def test_equal_texts_are_one_cluster_without_a_warning() -> None:
    features = method_named("concept-kmeans").read([make_text(1)] * 20)
    assert len(features.candidates()) == 190


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("ferry", "noun"), ("movement", "noun"), ("decided", "verb"), ("running", "verb"),
        ("realize", "verb"), ("quickly", "other"), ("useful", "other"), ("old", "other"),
        ("station", "noun"),
    ],
)  # fmt: skip
def test_english_words_have_a_part_of_speech(word: str, kind: str) -> None:
    assert english_kind(word) == kind


@pytest.mark.parametrize(("word", "kind"), [("学校", "noun"), ("学习", "verb"), ("非常", "other")])
def test_chinese_words_have_that_of_jieba(word: str, kind: str) -> None:
    assert chinese_kind(word) == kind
