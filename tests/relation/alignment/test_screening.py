"""Texts that may share passages, screened together."""

import random
import tracemalloc
from collections.abc import Sequence

import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.alignment import screening
from es_simhash.relation.alignment.screening import may_share_passages
from es_simhash.relation.alignment.sentence_words import SentenceWords, WordsOfTexts
from es_simhash.text.normal_forms import normalise, normalise_all
from es_simhash.text.segmentation import segment
from tests.support.subjects import texts_of

TEXTS = texts_of("en")


def screened(query: str, hits: Sequence[str]) -> list[bool]:
    texts = WordsOfTexts.of(segment(normalise_all(hits), DEFAULT))
    words = SentenceWords.of(segment([normalise(query)], DEFAULT))
    return [bool(may) for may in may_share_passages(words, texts)]


def shuffled(sentences: Sequence[str], seed: int) -> str:
    """Return sentences of the same words in another order: no run of them is the same."""
    chosen = random.Random(seed)
    parted = [sentence.rstrip(".").split() for sentence in sentences]
    return " ".join(" ".join(chosen.sample(words, len(words))) + "." for words in parted)


@pytest.mark.parametrize("pairs", [1, 50, 1 << 21])
def test_texts_pass_by_their_own_sentences_however_many_are_compared_at_a_time(
    monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    monkeypatch.setattr(screening, "_PAIRS_AT_A_TIME", pairs)
    bees, harbour = shuffled(TEXTS.bees, 1), shuffled(TEXTS.harbour, 2)
    hits = [bees, "", harbour, TEXTS.join(TEXTS.school), bees]
    assert screened(TEXTS.join(TEXTS.bees), hits) == [True, False, False, False, True]


def table(seed: int, rows: int) -> str:
    """Return rows of ten numbers out of two hundred, so that each is in many of the sentences."""
    chosen = random.Random(seed)
    lines = (" ".join(str(chosen.randrange(100, 300)) for _ in range(10)) for _ in range(rows))
    return "\n".join(lines)


def test_tables_of_the_same_numbers_take_little_memory() -> None:
    # 1,333 sentences of 30 numbers have each number 190 times: 7,000,000 pairs, 56 MB an array.
    query, hit = table(1, 4_000), table(2, 4_000)
    tracemalloc.start()
    screened(query, [hit])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000
