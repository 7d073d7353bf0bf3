"""Names of families as callers with keys see them."""

import pytest

from es_simhash.service.family_names import FamilyNames
from es_simhash.service.service_config import ApiKey, ServiceConfig

KEYED = ServiceConfig(keys=(ApiKey("site", "0" * 64),), secret=b"one secret")
HASH = "61f710c3711356566d9782e8b3da25d9"
NAMES = (HASH, "a", "a/b c", "Ünï/中文", "f-61f7", "x" * 300, "\ud800")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found_by_what_is_shown_and_not_in_it(name: str) -> None:
    names = FamilyNames(KEYED)
    shown = names.shown(name)
    assert names.stored(shown) == name
    assert names.shown(name) == FamilyNames(KEYED).shown(name) == shown
    assert shown.isascii()
    assert len(name) < 4 or name not in shown
    # It is part of an address.
    assert set(shown).isdisjoint("/?#%+= ")


@pytest.mark.parametrize("guess", [*NAMES, "", "f-", "f-AAAA", "f-" + "A" * 60, "f-é"])
def test_what_was_never_shown_names_nothing(guess: str) -> None:
    assert FamilyNames(KEYED).stored(guess) is None


def test_another_secret_shows_other_names() -> None:
    other = FamilyNames(ServiceConfig(keys=KEYED.keys, secret=b"another secret"))
    shown = FamilyNames(KEYED).shown("a")
    assert other.shown("a") != shown
    assert other.stored(shown) is None


def test_an_open_service_shows_names_as_they_are() -> None:
    names = FamilyNames(ServiceConfig())
    assert [names.shown(name) for name in NAMES] == [*NAMES]
    assert [names.stored(name) for name in NAMES] == [*NAMES]
