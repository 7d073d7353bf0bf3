"""Alignments as plain data."""

from es_simhash.differences.alignment import Alignment
from es_simhash.differences.text_alignment import align_texts
from es_simhash.differences.text_units import Units, Vocabulary


def alignment_of(a: str, b: str) -> Alignment:
    vocabulary = Vocabulary()
    return align_texts(Units.of(a, vocabulary), Units.of(b, vocabulary))


def test_equal_texts_are_one_block_that_stayed() -> None:
    text = "The harbour opens at six."
    alignment = alignment_of(text, text)
    assert [(block.a, block.b) for block in alignment.blocks] == [(0, 0)]
    assert sum(block.size for block in alignment.blocks) == len(alignment.a)
    assert alignment.moves == ()


def test_all_blocks_are_those_that_stayed_and_those_of_moves() -> None:
    first = "The harbour master keeps the keys of every warehouse on the northern quay. "
    second = "Ships from abroad have to report their cargo two days before they arrive. "
    alignment = alignment_of(first * 1 + second * 1, second * 1 + first * 1)
    within_moves = [block for move in alignment.moves for block in move.blocks]
    assert list(alignment.blocks) == [*alignment.stayed, *within_moves]
