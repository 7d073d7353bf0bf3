"""A run says which families it joined or split, and which documents moved."""

from collections.abc import Callable

import pytest

from es_simhash.maintenance.families.dismissals_and_joins import join
from tests.support.shelf import Shelf

pytestmark = pytest.mark.cluster

Make = Callable[..., str]


@pytest.fixture
def linked(make_text: Make) -> dict[str, str]:
    """Texts of which the first and the last are of one family by the one between them."""
    words = make_text(60, 400).split()
    return {
        "a": " ".join([*words[:250], *make_text(61, 70).split()]),
        "b": " ".join(words),
        "c": " ".join([*words[:40], *make_text(62, 60).split(), *words[200:]]),
    }


@pytest.mark.long
def test_a_family_that_splits_and_joins_again_is_reported(
    shelf: Shelf, linked: dict[str, str], make_text: Make
) -> None:
    shelf.put(linked)
    first = shelf.find()
    (family,) = first.families
    assert not first.changes
    shelf.put({"b": make_text(63)})
    apart = shelf.find()
    names = shelf.names()
    assert family.name in (names["a"], names["c"])
    (moved,) = (id for id in "ac" if names[id] != family.name)
    assert names[moved] is not None
    assert apart.changes.split == {family.name: tuple(sorted((names["a"], names["c"])))}  # type: ignore[type-var]
    assert apart.changes.joined == {}
    assert [(each.document.id, each.source, each.target) for each in apart.changes.moved] == [
        (moved, family.name, names[moved])
    ]
    assert not shelf.find().changes
    shelf.put({"b": linked["b"]})
    again = shelf.find()
    name = shelf.names()["a"]
    assert again.changes.joined == {name: tuple(sorted((names["a"], names["c"])))}  # type: ignore[type-var]
    assert again.changes.split == {}
    assert again.to_dict()["joined"] == [
        {"families": sorted([names["a"], names["c"]]), "into": name}  # type: ignore[type-var]
    ]
    (event,) = again.to_dict()["moved"]
    assert (event["index"], event["to"]) == (shelf.name, name)


@pytest.mark.long
def test_a_dry_run_says_what_would_change(shelf: Shelf, texts: dict[str, str]) -> None:
    shelf.put(texts)
    shelf.find()
    join(shelf.client, shelf.name, ["t0-1", "t1-1"])
    dry, wet = shelf.find(dry_run=True), shelf.find()
    assert dry.changes == wet.changes
    assert len(dry.changes.joined) == 1


@pytest.mark.long
def test_a_full_run_after_other_settings_changes_nothing_by_itself(
    shelf: Shelf, texts: dict[str, str]
) -> None:
    shelf.put(texts)
    shelf.find()
    assert not shelf.find(everything=True).changes
