"""Notices of companies: all have the same words, about subjects that some share."""

import random
from typing import Any

import pytest

from tests.support.made_up_texts import WORDS

# Notices of one subject, of which each has some words.
PER_SUBJECT = 10
_SUBJECT_WORDS, _OWN_WORDS = 8, 10
# What stands in every notice; without the first of them no English is recognised.
_ENGLISH = "the of and to in that was for with from this which they have".split()  # noqa: SIM905
_FORM = "said net profit rose mln dlrs analysts expected company quarter share pct".split()  # noqa: SIM905


def notice(number: int) -> str:
    """Return a notice; those of one subject have words in common besides those of the form.

    The words of the form are elsewhere in each, so that no two share a passage.
    """
    subject = number // PER_SUBJECT
    about = random.Random(f"subject {subject}").sample(WORDS, _SUBJECT_WORDS)
    chosen = random.Random(number)
    own = chosen.sample(WORDS, _OWN_WORDS)
    words = [*_ENGLISH, *_FORM, *about[1:], *own[1:], f"{chosen.randint(10, 999)}", "Merrill Lynch"]
    chosen.shuffle(words)
    return f"The {about[0].title()} {own[0].title()} Inc {' '.join(words)}. Reuter"


def notices(count: int = 300) -> dict[str, str]:
    """Return notices by id, ten of each subject."""
    return {f"n{number:04d}": notice(number) for number in range(count)}


def other_news(count: int = 300) -> dict[str, str]:
    """Return news of a weather service by id, which has another form."""
    return {
        f"w{number:04d}": (
            "Storm warning: heavy rain and thunder are forecast for the coast tonight near "
            f"{' '.join(random.Random(f'weather {number}').sample(WORDS, 12))}. Drivers should "
            "stay at home, the weather office told broadcasters."
        )
        for number in range(count)
    }


@pytest.fixture
def news_index(client: Any, index_name: str) -> tuple[Any, str]:
    """An index of 300 notices with semantic fields."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index_name)
    documents = [{"id": id, "text": text} for id, text in notices().items()]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    return client, index_name
