"""Numbers of things in sentences."""

import pytest

from es_simhash.text.counting import counted, percent, plural


@pytest.mark.parametrize(
    ("count", "one", "many", "expected"),
    [
        (0, "pair", None, "0 pairs"),
        (1, "pair", None, "1 pair"),
        (2, "pair", None, "2 pairs"),
        (1, "family", None, "1 family"),
        (1200, "family", None, "1,200 families"),
        (1, "more pair", None, "1 more pair"),
        (3, "batch", "batches", "3 batches"),
    ],
)
def test_one_is_one_and_all_else_is_many(
    count: int, one: str, many: str | None, expected: str
) -> None:
    assert counted(count, one, many) == expected


def test_verbs_go_with_their_number() -> None:
    assert [plural(count, "has", "have") for count in (0, 1, 2)] == ["have", "has", "have"]


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, "0%"),
        (0.0001, "1%"),
        (0.714, "71%"),
        (0.625, "63%"),
        (0.705, "71%"),
        (0.9999, "99%"),
        (1.0, "100%"),
    ],
)
def test_a_share_is_all_or_nothing_only_if_it_is(share: float, expected: str) -> None:
    assert percent(share) == expected
