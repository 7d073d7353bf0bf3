"""Blocks that were moved are found as moved, with what was edited in them."""

import random
from collections.abc import Iterator

import pytest

from es_simhash import changes
from tests.differences.test_text_changes import checked

SUBJECTS = (
    "tenant", "landlord", "caretaker", "neighbour", "plumber", "gardener", "owner", "visitor",
    "agent", "painter", "builder", "notary", "lodger", "porter", "glazier", "roofer",
)  # fmt: skip
VERBS = ("pays", "repairs", "inspects", "cleans", "reports", "insures", "keeps", "locks", "paints")
THINGS = ("roof", "cellar", "garden", "stairs", "fence", "yard", "door", "window", "attic", "lawn")


def section(number: int, chosen: random.Random) -> str:
    parts = [
        f"the {chosen.choice(SUBJECTS)} {chosen.choice(VERBS)} the {chosen.choice(THINGS)} "
        f"within {chosen.randint(2, 90)} days"
        for _ in range(4)
    ]
    return f"{number}. On {chosen.randint(1, 28)} June {', and '.join(parts)}."


def cases(edited: bool) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield texts of many sections of which one to three stand elsewhere, a word edited."""
    for seed in range(60):
        chosen = random.Random(seed)
        sections = [section(number, chosen) for number in range(1, 25)]
        count = 1 + seed % 3
        picked = sorted(chosen.sample(range(len(sections)), count))
        rest = [text for place, text in enumerate(sections) if place not in picked]
        moved = []
        for place in picked:
            text = sections[place]
            if edited:
                words = text.split(" ")
                words[chosen.randrange(3, len(words) - 1)] = "EDITED"
                text = " ".join(words)
            far = [target for target in range(len(rest) + 1) if abs(target - place) > 4]
            rest.insert(chosen.choice(far), text)
            moved.append(text)
        yield sections, rest, moved


@pytest.mark.parametrize("edited", [False, True])
def test_moved_sections_are_found(edited: bool) -> None:
    total = found_moves = 0
    for a, b, moved in cases(edited):
        found = checked("\n\n".join(a), "\n\n".join(b))
        blocks = [move.b.text for move in found.moves]
        total += len(moved)
        found_moves += sum(any(text in block for block in blocks) for text in moved)
        if edited:
            assert all("EDITED" in edit.b.text for edit in found.edits)
        else:
            assert list(found.edits) == []
    assert total == 120
    assert found_moves / total >= 0.95


def test_both_places_of_a_moved_block_are_told() -> None:
    chosen = random.Random(1)
    a = [section(number, chosen) for number in range(1, 9)]
    b = [*a[:1], *a[2:6], a[1].replace("June", "July"), *a[6:]]
    found = changes("\n\n".join(a), "\n\n".join(b))
    (move,) = found.moves
    assert (move.a.text, move.b.text) == (a[1], b[5])
    assert move.is_edited
    assert [(edit.a.text, edit.b.text) for edit in found.edits] == [("June", "July")]
    places = [change for change in found.changes if change.kind == "move"]
    assert [(change.a.text, change.b.text) for change in places] == [(a[1], ""), ("", b[5])]
    assert [change.move for change in places] == [move.number, move.number]
    (key, *_) = found.key_changes
    assert (key.kind, key.a and key.a.text[-4:], key.b and key.b.text[-4:]) == (
        "date", "June", "July",
    )  # fmt: skip


def test_a_heading_moves_with_its_section() -> None:
    chosen = random.Random(2)
    a = [f"Part {'ABCDEFGH'[n]}\n\n{section(n, chosen)}" for n in range(8)]
    b = [*a[:2], *a[3:7], a[2], a[7]]
    (move,) = changes("\n\n".join(a), "\n\n".join(b)).moves
    assert move.b.text == a[2]


def test_a_short_line_that_stands_elsewhere_too_is_no_move() -> None:
    found = changes("Yes.\n\nOne thing.\n\nNo.", "One thing.\n\nNo.\n\nYes.\n\nNo.")
    assert all(len(move.a.text) < 30 for move in found.moves)
    checked("Yes.\n\nOne thing.\n\nNo.", "One thing.\n\nNo.\n\nYes.\n\nNo.")


def test_an_item_of_a_list_is_moved_by_itself() -> None:
    items = [f"* [The guide to the {what} of the house]" for what in THINGS]
    found = checked("\n".join(items), "\n".join([*items[1:6], items[0], *items[6:]]))
    (move,) = found.moves
    assert (move.a.text, move.b.text) == (items[0], items[0])
    assert list(found.edits) == []


def test_some_words_that_stand_elsewhere_in_a_sentence_are_no_moved_block() -> None:
    a = "The fee, in any case and without regard to fault, is owed by the tenant of the house."
    b = "The fee is owed by the tenant of the house, in any case and without regard to fault."
    assert checked(a, b).moves == ()


@pytest.mark.parametrize("separator", ["\n", "\n\n"])
def test_sections_in_another_order_are_moved_and_none_is_new_or_removed(separator: str) -> None:
    chosen = random.Random(1)
    sections = [f"Rule: {section(number, chosen).split(',')[0]}." for number in range(20)]
    for seed in range(40):
        other = random.Random(seed).sample(sections, len(sections))
        found = checked(separator.join(sections), separator.join(other))
        assert (found.summary.new, found.summary.removed, list(found.edits)) == (0, 0, [])
        assert found.summary.moved > 0
