"""A short form of `make test-fuzz`: each target has a batch, and what is slow is found."""

import random
import re

import pytest

from tests.fuzz.growth import (
    LARGE,
    LARGE_SECONDS,
    PARTS,
    READERS,
    grown,
    is_anchored,
    patterns,
    seconds_of,
    slow_inputs,
)
from tests.fuzz.guided import ChosenByBytes
from tests.fuzz.hostile import altered, changed, damaged, hostile_texts
from tests.fuzz.targets import TARGETS, run_target


@pytest.mark.variants
@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_read_or_rejected(name: str) -> None:
    assert sum(run_target(name, "short", number) for number in range(3)) > 2


@pytest.mark.variants
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("data", [b"", bytes(range(256)) * 4])
def test_bytes_choose_the_input_of_a_target(name: str, data: bytes) -> None:
    assert TARGETS[name](ChosenByBytes(data)) > 0


def test_each_byte_chooses_until_all_are_used_up() -> None:
    chosen = ChosenByBytes(b"\x05\xff" + bytes(20))
    assert [chosen.getrandbits(8), chosen.getrandbits(4)] == [5, 15]
    texts = {tuple(hostile_texts(ChosenByBytes(bytes([n]) * 64), 5)) for n in range(20)}
    assert len(texts) > 15
    assert all(len(each) == ChosenByBytes.most for each in texts)
    same = [hostile_texts(ChosenByBytes(b"a"), 5) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.variants
@pytest.mark.parametrize("name", LARGE)
def test_a_large_input_is_read_in_seconds(name: str) -> None:
    assert seconds_of(LARGE[name]) < LARGE_SECONDS


@pytest.mark.parametrize("name", READERS)
def test_the_time_of_a_reader_grows_as_the_text(name: str) -> None:
    read, length = READERS[name]
    slow = {part: grown(read, text, length // 2) for part, text in PARTS.items()}
    assert {part: growth for part, growth in slow.items() if not growth.is_linear} == {}


def test_no_regular_expression_reads_the_same_again_and_again() -> None:
    found = patterns()
    assert len(found) > 40
    slow = {
        place: pump
        for place, pattern in found.items()
        for pump, _ in slow_inputs(pattern, is_anchored=is_anchored(place))
    }
    assert slow == {}


def test_a_slow_regular_expression_is_found() -> None:
    assert dict(slow_inputs(re.compile(r"\d+x"), 1_500))
    assert not dict(slow_inputs(re.compile(r"\d{1,9}x"), 1_500))


def test_input_is_made_by_the_seed() -> None:
    def made(seed: int) -> tuple[list[str], str, bytes, object]:
        chosen = random.Random(seed)
        texts = hostile_texts(chosen, 20)
        return texts, changed("a b c d", chosen), damaged(b"abcd", chosen), altered([1], chosen)

    assert made(1) == made(1) != made(2)
