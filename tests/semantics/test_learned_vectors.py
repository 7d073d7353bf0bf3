"""Tables of learned word vectors: their name, their stored form, and other processes."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.semantics.learned_vectors import (
    OWN_DIMENSIONS,
    SHIPPED_PART,
    LanguageVectors,
    LearnedVectors,
    read_table,
)
from es_simhash.semantics.semantic_profile import Extraction
from es_simhash.semantics.semantic_scheme import INDEX_DIMENSIONS, SHIPPED_DIMENSIONS

DAY = "2026-11-23T10:00:00Z"
CODES = np.random.default_rng(1).integers(-127, 128, (3, OWN_DIMENSIONS)).astype(np.int8)
WEIGHTS = np.array([0.5, 0.25, 0.125], np.float32)
REDUCTION = np.random.default_rng(2).integers(-127, 128, (256, SHIPPED_DIMENSIONS)).astype(np.int8)
GERMAN = LanguageVectors(300, 120.0, ("hafen", "löwe", "港"), CODES, WEIGHTS)
ENGLISH = LanguageVectors(200, 120.0, ("harbour", "lion", "fee"), CODES, WEIGHTS, REDUCTION)
TABLE = LearnedVectors(DAY, "scheme", {"de": GERMAN, "en": ENGLISH})


def test_it_is_read_as_it_was_written() -> None:
    read = read_table(TABLE.to_bytes, DAY, "scheme")
    assert read == TABLE
    assert hash(read) == hash(TABLE)
    assert read.name == TABLE.name
    assert read.name.startswith("2026-11-23-")
    assert (read.documents, read.words) == (500, 6)
    assert read.languages["de"].words == GERMAN.words
    assert read.languages["de"].reduction is None
    assert np.array_equal(read.languages["en"].codes, CODES)
    extraction = Extraction("de", {"hafen": 2, "unbekannt": 9})
    (ours,), (theirs,) = (each.vectors([extraction])[0] for each in (TABLE, read))
    assert ours is not None
    assert np.array_equal(ours, theirs)


def test_another_content_scheme_or_day_has_another_name() -> None:
    heavier = replace(GERMAN, weights=2 * WEIGHTS)
    others = [
        replace(TABLE, languages={"de": heavier, "en": ENGLISH}),
        replace(TABLE, languages={"de": GERMAN}),
        replace(TABLE, scheme="other"),
        replace(TABLE, date="2026-11-24T10:00:00Z"),
    ]
    assert len({table.name for table in [TABLE, *others]}) == 5
    assert others[0] != TABLE
    assert TABLE != "a table"


def test_a_worker_process_reads_it_once() -> None:
    sent = pickle.dumps(TABLE)
    assert pickle.loads(sent) == TABLE
    assert pickle.loads(sent) is pickle.loads(sent)
    assert len(sent) < 30_000


@pytest.mark.parametrize("content", [b"", b"PK", TABLE.to_bytes[:-200], TABLE.to_bytes[200:]])
def test_a_damaged_one_is_not_read(content: bytes) -> None:
    with pytest.raises(InputError, match="not as they were written"):
        read_table(content, DAY, "scheme")


def test_counts_are_damped_and_only_words_of_the_table_count() -> None:
    (once, often, alone, none), shipped = TABLE.vectors(
        [
            Extraction("de", {"hafen": 1, "löwe": 1}),
            Extraction("de", {"hafen": 1, "löwe": 1, "nichts": 50}),
            Extraction("de", {"hafen": 3}),
            Extraction("de", {"nichts": 1}),
        ],
    )
    assert shipped == [None] * 4
    assert once is not None
    assert often is not None
    assert alone is not None
    assert none is None
    assert np.array_equal(once, often)
    total = 0.5 * CODES[0].astype(float) + 0.25 * CODES[1]
    # Its first 8, 24 and 72 dimensions, as parts of one length: 8 are in all three, 48 in one.
    lengths = [np.linalg.norm(total[:first]) for first in (8, 24, 72)]
    factors = np.repeat([sum(length**-2 for length in lengths[n:]) for n in range(3)], (8, 16, 48))
    expected = total * np.sqrt(factors / 3)
    assert once[:OWN_DIMENSIONS] == pytest.approx(expected, abs=1e-5)
    # In a language that the shipped word vectors do not have.
    assert not once[OWN_DIMENSIONS:].any()


def test_a_cosine_is_about_the_mean_of_those_of_the_first_dimensions() -> None:
    # The same subject at large, where what comes later is opposite, and the other way round.
    subject, story = np.zeros((2, OWN_DIMENSIONS), np.int8)
    subject[:8], story[24:] = CODES[0, :8], CODES[0, 24:]
    codes = np.stack([subject + story, subject - story, story - subject])
    words = ("hafen", "löwe", "fracht")
    table = replace(TABLE, languages={"de": LanguageVectors(300, 120.0, words, codes, WEIGHTS)})
    one, same_subject, same_story = table.vectors([Extraction("de", {word: 1}) for word in words])[
        0
    ]
    assert one is not None
    assert same_subject is not None
    assert same_story is not None
    parts = [float(subject[:n].astype(int) @ subject[:n]) for n in (8, 24)]
    later = float(story.astype(int) @ story)
    last = (parts[1] - later) / (parts[1] + later)
    assert float(one @ same_subject) == pytest.approx((1 + 1 + last) / 3, abs=1e-4)
    assert float(one @ same_story) == pytest.approx(-(1 + 1 + last) / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("documents", "length"),
    [(4_000, SHIPPED_PART), (1_000, SHIPPED_PART), (250, 2 * SHIPPED_PART)],
)
def test_the_words_of_the_index_count_more_than_the_shipped_part_unless_learned_from_few_texts(
    documents: int, length: float
) -> None:
    learned = replace(TABLE, languages={"en": replace(ENGLISH, documents=documents)})
    (both, shipped), by_shipped = learned.vectors(
        [Extraction("en", words, words) for words in ({"harbour": 1, "lion": 2}, {"trombone": 1})]
    )
    assert [None if each is None else len(each) for each in by_shipped] == [256, 256]
    assert both is not None
    assert shipped is not None
    own, other = both[:OWN_DIMENSIONS], both[OWN_DIMENSIONS:]
    whole = 1 + length**2
    assert float(own @ own) == pytest.approx(1 / whole, abs=1e-5)
    assert float(other @ other) == pytest.approx(length**2 / whole, abs=1e-5)
    assert not shipped[:OWN_DIMENSIONS].any()
    assert float(shipped @ shipped) == pytest.approx(1, abs=1e-5)


def test_english_that_was_too_rare_to_learn_has_the_shipped_ones_in_fewer_dimensions() -> None:
    german = replace(TABLE, languages={"de": GERMAN})
    (violin, cello, tax, french), by_shipped = german.vectors(
        [
            Extraction("en", {"violin": 1}),
            Extraction("en", {"cello": 1}),
            Extraction("en", {"tax": 1}),
            Extraction("fr", {"tax": 1}),
        ],
    )
    assert violin is not None
    assert cello is not None
    assert tax is not None
    assert french is None
    assert by_shipped[3] is None
    assert len(violin) == INDEX_DIMENSIONS
    assert violin @ cello > violin @ tax + 0.2


@pytest.mark.parametrize(
    "extractions",
    [
        # By words of the table alone, by both tables, by the shipped one, and without a table of
        # the language.
        (Extraction("de", {"hafen": 2, "fremd": 1}), Extraction("de", {"löwe": 1, "hafen": 1})),
        (
            Extraction("en", {"harbour": 2, "ship": 1}, {"harbours": 2, "ship": 1}),
            Extraction("en", {"lion": 1, "port": 3}, {"lion": 1, "ports": 3}),
        ),
        (Extraction("en", {"ship": 1, "dock": 2}), Extraction("en", {"lion": 1, "port": 3})),
    ],
)
@pytest.mark.parametrize("table", [TABLE, replace(TABLE, languages={"de": GERMAN})])
def test_what_words_add_is_the_product_of_the_vectors(
    table: LearnedVectors, extractions: tuple[Extraction, Extraction]
) -> None:
    vectors, _ = table.vectors(extractions)
    one, other = vectors
    assert one is not None
    assert other is not None
    product = pytest.approx(float(one @ other), abs=1e-5)
    assert sum(table.word_parts(extractions[0], other).values()) == product
    assert sum(table.word_parts(extractions[1], one).values()) == product


def test_a_text_without_known_words_has_no_parts() -> None:
    vector = np.ones(INDEX_DIMENSIONS, np.float32)
    for language in ("de", "en", "fr"):
        parts = TABLE.word_parts(Extraction(language, {"qqqx": 3}), vector)
        assert not any(parts.values())
        assert TABLE.word_parts(Extraction(language), vector) == {}


def test_vectors_learned_from_few_texts_say_less_but_those_of_english_words_say_all() -> None:
    assert TABLE.trust("de") == 0.3
    assert replace(TABLE, languages={"de": replace(GERMAN, documents=4_000)}).trust("de") == 1
    # A third of an English vector is by the shipped word vectors, and one of no table is.
    assert TABLE.trust("en") == TABLE.trust("fr") == 1


def test_vectors_learned_from_texts_of_few_words_say_less() -> None:
    short = {"de": replace(GERMAN, words_each=25.0), "en": replace(ENGLISH, words_each=25.0)}
    table = read_table(replace(TABLE, languages=short).to_bytes, DAY, "scheme")
    assert table.trust("de") == pytest.approx(0.3 / 4)
    assert table.trust("en") == pytest.approx(1 / 4)
