"""The stored form of a background: read as it was written, or not at all."""

import json

import pytest

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.semantics.background import Background, LanguageBackground
from es_simhash.store.background_entry import (
    CountedIndex,
    background_of,
    counted_index,
    entry_of,
)

BACKGROUND = Background(
    "2026-11-23T10:00:00Z",
    "scheme",
    {
        "en": LanguageBackground(300, {"u.s": 200, "": 4}, {"bbc news": 9}),
        "": LanguageBackground(200),
    },
)
ENTRY = entry_of(BACKGROUND, CountedIndex(5000, 12))


def test_it_is_read_as_it_was_written() -> None:
    stored = json.loads(json.dumps(ENTRY))
    read = background_of(stored, "news", "scheme")
    assert read == BACKGROUND
    assert read.name == BACKGROUND.name
    assert counted_index(stored) == CountedIndex(5000, 12)


@pytest.mark.parametrize(
    "change",
    [
        {"languages": ENTRY["languages"].replace("200", "201")},
        {"languages": "{"},
        {"languages": "[]"},
        {"languages": '{"en": 5}'},
        {"languages": '{"en": {"words": {}}}'},
        {"languages": None},
        {"name": "2026-11-23-00000000"},
        {"date": None},
    ],
)
def test_a_damaged_one_is_one_sentence_with_a_way_out(change: dict[str, object]) -> None:
    with pytest.raises(InputError) as failure:
        background_of({**ENTRY, **change}, "news", "scheme")
    assert str(failure.value).endswith("is damaged. Run `es-simhash background news`.")


def test_one_of_another_scheme_or_form_is_rejected() -> None:
    with pytest.raises(SchemeMismatch, match="semantic scheme 'scheme', but the index has 'other'"):
        background_of(ENTRY, "news", "other")
    with pytest.raises(SchemeMismatch, match="has form 1, but this version reads form 2"):
        background_of({**ENTRY, "schema": 1}, "news", "scheme")
    with pytest.raises(SchemeMismatch, match="Run `es-simhash background news`"):
        background_of({}, "news", "scheme")
