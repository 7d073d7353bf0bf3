"""The stored form of a background: read as it was written, or not at all."""

import json

import pytest

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.store.background_entry import (
    CountedIndex,
    background_of,
    counted_index,
    counts_of,
    head_of,
)

BACKGROUND = Background(
    "2026-11-23T10:00:00Z",
    "scheme",
    {
        "en": LanguageBackground(300, {"u.s": 200, "": 4}, {"bbc news": 9}),
        "": LanguageBackground(200),
    },
)
HEAD = head_of(BACKGROUND, CountedIndex(5000, 12))
COUNTS = counts_of(BACKGROUND)


def test_it_is_read_as_it_was_written() -> None:
    head, counts = json.loads(json.dumps([HEAD, COUNTS]))
    earlier = {**counts, "background": "2026-11-22-00000000", "languages": "{}"}
    read = background_of(head, [earlier, counts], "news", "scheme")
    assert read == BACKGROUND
    assert read.name == BACKGROUND.name
    assert counted_index(head) == CountedIndex(5000, 12)


def test_the_head_that_each_question_reads_is_small_however_many_words_were_counted() -> None:
    words = {f"word{number}": number for number in range(1, 50_000)}
    many = Background("2026-11-23T10:00:00Z", "scheme", {"en": LanguageBackground(300, words)})
    assert len(json.dumps(head_of(many, CountedIndex(5000, 12)))) < 500


@pytest.mark.parametrize(
    "change",
    [
        {"languages": COUNTS["languages"].replace("200", "201")},
        {"languages": "{"},
        {"languages": "[]"},
        {"languages": '{"en": 5}'},
        {"languages": '{"en": {"words": {}}}'},
        {"languages": None},
        {"background": "2026-11-23-00000000"},
        {"name": "2026-11-23-00000000"},
        {"date": None},
    ],
)
def test_a_damaged_one_is_one_sentence_with_a_way_out(change: dict[str, object]) -> None:
    with pytest.raises(InputError) as failure:
        background_of({**HEAD, **change}, [{**COUNTS, **change}], "news", "scheme")
    assert str(failure.value).endswith("is damaged. Run `es-simhash background news`.")


def test_one_of_another_scheme_or_form_is_rejected() -> None:
    with pytest.raises(SchemeMismatch, match="semantic scheme 'scheme', but the index has 'other'"):
        background_of(HEAD, [COUNTS], "news", "other")
    with pytest.raises(SchemeMismatch, match="has form 2, but this version reads form 3"):
        background_of({**HEAD, "schema": 2}, [COUNTS], "news", "scheme")
    with pytest.raises(SchemeMismatch, match="Run `es-simhash background news`"):
        background_of({}, [COUNTS], "news", "scheme")
