"""Document vectors and their simhash."""

import importlib.resources
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.semantics import vectors as module
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.vectors import (
    WordVectors,
    quantise,
    unpack_nibbles,
    vector_simhash,
)


@pytest.fixture(scope="module")
def table() -> WordVectors:
    return WordVectors.load()


def _texts(folder: Path) -> list[str]:
    lines = (folder / "lee50" / "docs.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line)["text"] for line in lines if line]


def _bits_apart(one: np.ndarray, other: np.ndarray) -> int:
    return int(np.unpackbits(one ^ other).sum())


def test_vectors_have_length_one(table: WordVectors) -> None:
    found = table.vectors([{"bank": 1, "loan": 3}, {"football": 2}])
    assert found.dtype == np.float32
    assert found.shape == (2, 256)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)


def test_related_words_are_nearer_than_others(table: WordVectors) -> None:
    bank, loan, goal = table.vectors([{"bank": 1}, {"loan": 1}, {"goalkeeper": 1}])
    assert bank @ loan > bank @ goal


def test_nothing_known_gives_zeros(table: WordVectors) -> None:
    found = table.vectors([{}, {"zxqvbrrgl": 4}, {"bank": 1}])
    assert not found[:2].any()
    assert found[2].any()
    assert not quantise(found)[:2].any()
    assert not vector_simhash(found)[:2].any()


def test_no_documents_have_no_vectors(table: WordVectors) -> None:
    found = table.vectors([])
    assert found.shape == (0, 256)
    assert quantise(found).shape == (0, 256)
    assert vector_simhash(found).shape == (0, 32)


def test_unknown_words_change_nothing(table: WordVectors) -> None:
    one, other = table.vectors([{"bank": 2}, {"zxqvbrrgl": 9, "bank": 2}])
    assert np.array_equal(one, other)


def test_a_vector_depends_neither_on_order_nor_on_its_neighbours(
    table: WordVectors, data_dir: Path
) -> None:
    counts = [count_words(text, "en") for text in _texts(data_dir)]
    turned = [dict(reversed(each.items())) for each in counts]
    together = table.vectors(counts)
    alone = np.concatenate([table.vectors([each]) for each in turned])
    assert np.array_equal(together, alone)
    assert np.array_equal(vector_simhash(together), vector_simhash(alone))


def test_frequent_words_weigh_less_than_rare_ones(table: WordVectors) -> None:
    both, frequent, rare = table.vectors(
        [{"year": 1, "archipelago": 1}, {"year": 1}, {"archipelago": 1}]
    )
    assert both @ rare > both @ frequent


def test_large_counts_do_not_overflow(table: WordVectors) -> None:
    one, other = table.vectors([{"bank": 1, "loan": 1}, {"bank": 10**9, "loan": 10**9}])
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_quantised_vectors_keep_their_direction(table: WordVectors, data_dir: Path) -> None:
    found = table.vectors([count_words(text, "en") for text in _texts(data_dir)])
    whole = quantise(found)
    assert whole.dtype == np.int8
    assert np.abs(whole.astype(int)).max() == 127
    coarse = whole / np.linalg.norm(whole.astype(float), axis=1, keepdims=True)
    assert (coarse * found).sum(1).min() > 0.999


def test_distance_of_bits_follows_the_angle(table: WordVectors, data_dir: Path) -> None:
    found = table.vectors([count_words(text, "en") for text in _texts(data_dir)])
    bits = vector_simhash(found)
    for first, second in pairwise(range(len(found))):
        angle = np.arccos(np.clip(found[first] @ found[second], -1, 1))
        # Five standard deviations of the share of 256 independent bits.
        assert abs(_bits_apart(bits[first], bits[second]) / 256 - angle / np.pi) < 0.16


def test_opposite_vectors_differ_in_every_bit(table: WordVectors) -> None:
    found = table.vectors([{"bank": 1, "river": 2}])
    assert _bits_apart(vector_simhash(found)[0], vector_simhash(-found)[0]) == 256


def test_the_rotation_keeps_lengths() -> None:
    rotation = module._rotation() / 256
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(256), atol=1e-12)


def test_packed_numbers_come_back() -> None:
    codes = np.arange(-8, 8, dtype=np.int8).reshape(2, 8)
    halves = (codes + 8).astype(np.uint8)
    assert np.array_equal(unpack_nibbles(halves[:, ::2] << 4 | halves[:, 1::2]), codes)


def test_the_table_is_read_once() -> None:
    assert WordVectors.load() is WordVectors.load()


def test_threads_that_need_the_table_at_once_wait_for_the_one_that_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files, read = module.files, list[str]()

    def counted(package: str) -> Any:
        read.append(package)
        return files(package)

    monkeypatch.setattr(module, "files", counted)
    WordVectors._read.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: WordVectors.load(), range(4)))
    assert len(read) == 1
    assert all(table is tables[0] for table in tables)


def test_a_damaged_table_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped = importlib.resources.files("es_simhash.semantics") / "data" / module.FILE
    content = bytearray(shipped.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / module.FILE).write_bytes(content)
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    with pytest.raises(InputError, match="install es-simhash again"):
        WordVectors._read.__wrapped__()
