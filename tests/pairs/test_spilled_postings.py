"""Posting lists on disk find what those in memory find, whatever memory they may use."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from es_simhash.pairs import spilled_postings
from es_simhash.pairs.postings import Postings
from es_simhash.pairs.spilled_postings import SpilledPostings

Lists = list[np.ndarray]


def lists(seed: int, texts: int = 100) -> Lists:
    """Return shingles of texts, many of which share some: short, long and empty ones."""
    generator = np.random.default_rng(seed)
    # Few small numbers, as long texts have, and some that many texts have.
    return [
        np.unique(
            np.concatenate(
                (
                    generator.integers(0, 1300, generator.integers(0, 40)),
                    generator.integers(0, 8, generator.integers(0, 3)),
                )
            )
        ).astype(np.uint32)
        for _ in range(texts)
    ]


def spilled(
    folder: Path, shingles: Lists, memory: int, order: np.ndarray | None = None
) -> SpilledPostings:
    path = folder / "shingles"
    np.concatenate(shingles).astype(np.uint32).tofile(path)
    ends = np.cumsum([len(some) for some in shingles])
    postings = SpilledPostings(path, ends, folder, memory, order)
    parts = list(postings.build())
    assert parts[-1][0] == parts[-1][1] == len(parts)
    return postings


def pairs_of(postings: SpilledPostings, least: np.ndarray, most: int, first: int = 0) -> set:
    found: set[tuple[int, int]] = set()
    for block in postings.pairs(least, most, first):
        pairs = zip(block.one.tolist(), block.other.tolist(), strict=True)
        found |= {(min(pair), max(pair)) for pair in pairs}
    return found


def pairs_in_memory(shingles: Lists, least: np.ndarray) -> set:
    postings = Postings(dict(enumerate(shingles)))
    return {
        (number, other)
        for number in range(len(shingles))
        for other, _ in postings.after(number, int(least[number]))
    }


@pytest.mark.variants
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("memory", [1 << 30, 10_000, 1_000])
def test_pairs_are_those_in_memory(tmp_path: Path, seed: int, memory: int) -> None:
    shingles = lists(seed)
    least = np.where([len(some) > 4 for some in shingles], 2, 1).astype(np.uint8)
    found = pairs_of(spilled(tmp_path, shingles, memory), least, 2_000)
    assert found == pairs_in_memory(shingles, least)


def test_it_goes_on_behind_texts_that_had_too_many(tmp_path: Path) -> None:
    shingles = lists(5)
    least = np.ones(len(shingles), np.uint8)
    postings = spilled(tmp_path, shingles, 2_000)
    blocks = list(postings.pairs(least, 3))
    middle = len(blocks) // 2
    truncated = [text for block in blocks[:middle] for text in block.truncated.tolist()]
    assert truncated
    rest = list(postings.pairs(least, 3, blocks[middle - 1].stop, truncated))
    assert [block.one.tolist() for block in rest] == [each.one.tolist() for each in blocks[middle:]]


@pytest.mark.long
def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    shingles = lists(7)
    least = np.full(len(shingles), 2, np.uint8)
    postings = spilled(tmp_path, shingles, 2_000)
    blocks = list(postings.pairs(least, 2_000))
    assert len(blocks) > 3
    middle = blocks[len(blocks) // 2]
    whole = pairs_of(postings, least, 2_000)
    later = pairs_of(postings, least, 2_000, middle.stop)
    assert later == {pair for pair in whole if pair[0] >= middle.stop}


@pytest.mark.parametrize("later", [1 << 30, 500])
def test_lists_are_read_in_as_many_parts_as_they_were_written(tmp_path: Path, later: int) -> None:
    shingles = lists(7)
    least = np.full(len(shingles), 2, np.uint8)
    written = spilled(tmp_path, shingles, 2_000)
    ends = np.cumsum([len(some) for some in shingles])
    path = tmp_path / "shingles"
    assert SpilledPostings(path, ends, tmp_path, later).parts != written.parts > 1
    again = SpilledPostings(path, ends, tmp_path, later, parts=written.parts)
    assert pairs_of(again, least, 2_000) == pairs_of(written, least, 2_000)


@pytest.mark.long
def test_a_template_is_linked_through_its_first_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 5)
    monkeypatch.setattr(spilled_postings, "FIRST_OF_LIST", 3)
    template = np.arange(50, dtype=np.uint32)
    shingles = [np.append(template, np.uint32(1000 + number)) for number in range(100)]
    least = np.full(100, 2, np.uint8)
    postings = spilled(tmp_path, shingles, 10_000)
    assert pairs_of(postings, least, 2_000) == {
        (first, other) for first in range(3) for other in range(first + 1, 100)
    }
    truncated = {text for block in postings.pairs(least, 2_000) for text in block.truncated}
    assert truncated == set(range(100))


def test_a_rare_shingle_finds_what_else_only_a_template_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 3)
    shingles = [np.array([1, 100 + number], np.uint32) for number in range(20)]
    shingles[8] = np.array([1, 77], np.uint32)
    shingles[15] = np.array([1, 77], np.uint32)
    least = np.full(20, 2, np.uint8)
    assert (8, 15) in pairs_of(spilled(tmp_path, shingles, 10_000), least, 2_000)


@pytest.mark.parametrize("seed", range(3))
def test_what_two_texts_share_lies_between_the_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 12)
    monkeypatch.setattr(spilled_postings, "FIRST_OF_LIST", 4)
    shingles = lists(seed)
    (block,) = spilled(tmp_path, shingles, 1 << 30).pairs(np.ones(100, np.uint8), 1000)
    pairs = zip(block.one.tolist(), block.other.tolist(), strict=True)
    shared = np.array([len(np.intersect1d(shingles[a], shingles[b])) for a, b in pairs])
    assert (block.shared <= shared).all()
    assert (shared <= block.most_shared).all()
    assert (block.most_shared == shared)[~block.by_template].all()
    assert (block.shared < shared).any()


def test_of_too_many_others_those_are_kept_that_share_most(tmp_path: Path) -> None:
    base = np.arange(30, dtype=np.uint32)
    shingles = [base, *(base[: 5 + number] for number in range(10))]
    least = np.full(11, 2, np.uint8)
    postings = spilled(tmp_path, shingles, 1 << 20)
    blocks = list(postings.pairs(least, 3))
    assert 0 in {text for block in blocks for text in block.truncated.tolist()}
    of_first = {
        other
        for block in blocks
        for one, other in zip(block.one.tolist(), block.other.tolist(), strict=True)
        if one == 0
    }
    assert of_first == {8, 9, 10}


def test_no_texts_have_no_pairs(tmp_path: Path) -> None:
    postings = SpilledPostings(tmp_path / "none", np.zeros(0, np.int64), tmp_path, 1000)
    assert list(postings.build()) == [(1, 1)]
    assert list(postings.pairs(np.zeros(0, np.uint8), 5)) == []


def test_pairs_of_a_template_come_together_the_nearest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 6)
    monkeypatch.setattr(spilled_postings, "FIRST_OF_LIST", 6)
    template = np.arange(10, dtype=np.uint32)
    # The last text shares more with the sixth than with the others of the template.
    own = [np.arange(100 * text, 100 * text + 5, dtype=np.uint32) for text in range(1, 9)]
    texts = [np.concatenate((template, some)) for some in own]
    texts[-1] = np.concatenate((template, own[5][:4]))
    stranger = np.arange(900, 905, dtype=np.uint32)
    postings = spilled(tmp_path, [*texts, stranger, stranger], 1 << 20)
    (block,) = postings.pairs(np.full(10, 2, np.uint8), 100)
    of_last = block.other[block.one == 7].tolist()
    assert of_last == [5, 0, 1, 2, 3, 4]
    strangers = block.one >= 8
    assert not block.by_template[strangers].any()
    assert block.by_template[~strangers].all()
    assert list(zip(block.one[strangers], block.other[strangers], strict=True)) == [(8, 9)]


@pytest.mark.variants
@pytest.mark.parametrize("memory", [1 << 30, 20_000])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_follows_the_order_of_the_texts_not_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, memory: int
) -> None:
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 12)
    monkeypatch.setattr(spilled_postings, "FIRST_OF_LIST", 4)
    shingles = lists(seed)
    least = np.where([len(some) > 4 for some in shingles], 2, 1).astype(np.uint8)

    def found(numbers: np.ndarray) -> Any:
        """Return what is found where text k is the one that the order has at numbers[k]."""
        folder = tmp_path / f"{hash(numbers.tobytes())}"
        folder.mkdir()
        mixed = [shingles[number] for number in numbers]
        order = np.argsort(numbers).astype(np.uint32)
        pairs, by_template, truncated = set(), defaultdict(list), set()
        for block in spilled(folder, mixed, memory, order).pairs(least[numbers], 9):
            truncated |= set(numbers[block.truncated].tolist())
            ones, others = numbers[block.one].tolist(), numbers[block.other].tolist()
            for one, other, is_limited in zip(ones, others, block.by_template, strict=True):
                # Others are found from one side by chance, and are no candidates.
                if len(np.intersect1d(shingles[one], shingles[other])) >= max(least[[one, other]]):
                    pairs.add(frozenset((one, other)))
                    if is_limited:
                        by_template[one].append(other)
        return pairs, by_template, truncated

    as_numbered = found(np.arange(len(shingles)))
    assert all(as_numbered)
    for mixing in range(3):
        numbers = np.random.default_rng(mixing).permutation(len(shingles))
        assert found(numbers) == as_numbered
