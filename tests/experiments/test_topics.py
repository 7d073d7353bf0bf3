"""Topics among noise: pairs, cuts, and copies that were edited."""

import numpy as np
import pytest

from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.lab.methods.close_pairs import MaskTables
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from tests.bench.experiments import topics
from tests.bench.experiments.topic_texts import Collection, edited
from tests.support.made_up_texts import make_prose


def collection(seed: int = 0) -> Collection:
    texts = [" ".join(make_prose(seed + number, 12)) for number in range(12)]
    return Collection("English", [texts[:3], texts[3:6]], texts[6:])


def of(numbers: list[int], unreadable: dict[int, str] | None = None) -> DocumentFingerprints:
    values: Uint64s = np.array(numbers, np.uint64)
    known = [text for text in range(len(numbers)) if text not in (unreadable or {})]
    rows = values[known].astype(">u8").view(np.uint8).reshape(-1, 8)
    tables = MaskTables(64, (1,), 3)
    return DocumentFingerprints.of_read(rows, len(numbers), unreadable or {}, tables)


def test_pairs_are_counted_once_from_whichever_side() -> None:
    # Two topics of two texts and one text of noise; bits apart: 1 within either topic, noise 2
    # from the first text.
    features = of([0b0, 0b1, 0xFF00, 0xFF01, 0b110])
    found = topics.measured(features, np.array([0, 0, 1, 1, -1]), 0.0)
    assert np.isnan(found.precision[0])
    assert (found.precision[1], found.recall[1]) == (1, 1)
    # Within 3 bits are the two right pairs, and the noise with both texts of the first topic.
    assert (found.precision[3], found.recall[3]) == (0.5, 1)
    # All: two right pairs, four of two topics, four with the noise.
    assert found.precision[64] == pytest.approx(2 / 10)
    assert found.nearest == 1
    assert found.f1[1] == 1


def test_texts_that_cannot_be_read_are_missed() -> None:
    features = of([0b0, 0b1, 0b0, 0b0], {1: "is in another language"})
    found = topics.measured(features, np.array([0, 0, 0, -1]), 0.0)
    assert found.recall[64] == pytest.approx(1 / 3)
    assert found.precision[0] == pytest.approx(1 / 3)


def test_copies_are_edited_no_more_than_they_may() -> None:
    made = edited(collection(), 0.1, 20)
    assert [len(topic) for topic in made.topics] == [20, 20]
    for topic, original in zip(made.topics, collection().topics, strict=True):
        words = original[0].split()
        for copy in topic:
            changed = sum(map(str.__ne__, words, copy.split()))
            assert len(copy.split()) == len(words)
            assert changed <= 0.25 * len(words)
    assert edited(collection(), 0.0, 2).topics[0] == [collection().topics[0][0] + " "] * 2


def test_chinese_copies_are_edited_by_pairs_of_characters() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(600))
    other = "".join(chr(0x5E00 + number) for number in range(600))
    (topic,) = edited(Collection("Chinese", [[text, other]], []), 0.2, 5).topics
    for copy in topic:
        assert len(copy) == len(text)
        assert set(copy) <= set(text + other)
        assert sum(map(str.__ne__, copy, text)) <= 0.3 * len(text)


def test_fewer_bits_and_more_edits_find_less() -> None:
    few, many = (
        topics.found(edited(collection(), share, 30), "simhash-4grams") for share in (0.02, 0.8)
    )
    assert (np.diff(few.recall) >= 0).all()
    assert few.recall[topics.K] > many.recall[topics.K]
    assert few.recall[64] == many.recall[64] == pytest.approx(1)


def test_the_cut_comes_from_the_other_language() -> None:
    figures = {
        name: topics.measure_all(collection(seed), 6)
        for name, seed in (("English", 0), ("Chinese", 50))
    }
    tables = topics.tables(figures)
    assert [table.title for table in tables] == [
        f"Pairs of texts of one topic, {language}" for language in ("English", "Chinese")
    ]
    readings = {shown: reading for reading, shown in topics.SHARES.items()}
    rows = [(language, row) for language, table in zip(figures, tables, strict=True)
            for row in table.rows]  # fmt: skip
    assert len(rows) == 2 * (1 + len(topics.EDITED)) * len(topics.METHODS)
    for language, row in rows:
        reading, method = readings[row[0]], row[1]
        other = "Chinese" if language == "English" else "English"
        cut = int(figures[other][reading, method].f1.argmax())
        assert row[4] == str(cut)
        assert row[6] == f"{figures[language][reading, method].recall[cut]:.3f}"
