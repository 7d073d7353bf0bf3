"""What changed between two texts: nothing is lost, and it reads as a person would say it."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash import InputError, changes
from es_simhash.differences.alignment import Alignment
from es_simhash.differences.anchors import Block, Moved, Stretch
from es_simhash.differences.difference import Change, Changes
from es_simhash.differences.text_changes import all_changes
from es_simhash.differences.text_units import Units
from tests.support.strategies import texts

SCRIPTS = {
    "zh": ("第十六条 当事人应当在十日内提出。", "第十八条 当事人应当在十五日内提出。"),
    "ar": ("تدفع الرسوم خلال ١٦ يوما من الإشعار.", "تدفع الرسوم خلال ١٨ يوما من الإشعار."),
    "hi": ("शुल्क १६ दिनों में देय है।", "शुल्क १८ दिनों में देय है।"),
    "de": ("Die Gebühr ist binnen 16 Tagen fällig.", "Die Gebühr ist binnen 18 Tagen fällig."),
}


def checked(a: str, b: str) -> Changes:
    """Return the changes of two texts; both must follow from them, character by character."""
    found = changes(a, b)
    assert (found.text_a, found.text_b) == (a, b)
    place = [0, 0]
    for change in found.changes:
        assert [change.a.start, change.b.start] == place
        assert (change.kind == "equal") <= (change.a.text == change.b.text)
        assert change.a.text or change.b.text
        place = [change.a.end, change.b.end]
    assert place == [len(a), len(b)]
    for move in found.moves:
        assert "".join(edit.a.text for edit in move.edits) == move.a.text
        assert "".join(edit.b.text for edit in move.edits) == move.b.text
        assert (a[move.a.start : move.a.end], b[move.b.start : move.b.end]) == (
            move.a.text,
            move.b.text,
        )
    return found


def seen(found: Changes) -> list[tuple[str, str, str]]:
    return [(change.kind, change.a.text, change.b.text) for change in found.edits]


@pytest.mark.long
@given(texts, texts)
def test_both_texts_follow_from_the_changes(a: str, b: str) -> None:
    checked(a, b)
    checked(f"{a} w {b}", f"{b}\n\n{a}")


@pytest.mark.parametrize("kana", ["ｶﾞｷﾞｸﾞｹﾞｺﾞｻﾞｼﾞ", "か\u3099き\u3099く\u3099け\u3099"])
def test_a_change_is_in_its_place_behind_letters_that_are_composed(kana: str) -> None:
    found = checked(f"{kana}手数料は67890円。", f"{kana}手数料は67891円。")
    assert seen(found) == [("replace", "67890", "67891")]


@given(texts)
def test_a_text_is_itself(text: str) -> None:
    found = checked(text, text)
    assert {change.kind for change in found.changes} <= {"equal"}
    assert found.summary.identical
    assert str(found.summary) == "nothing changed"


@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=40))
def test_few_words_repeated_in_any_order(a: list[str], b: list[str]) -> None:
    checked(" ".join(a), "\n".join(b))


def test_words_are_replaced_put_in_and_taken_out() -> None:
    assert seen(checked("Pay in 16 days.", "Pay in 18 days.")) == [("replace", "16", "18")]
    assert seen(checked("Pay the fee now.", "Pay the full fee now.")) == [("insert", "", "full ")]
    assert seen(checked("Pay the full fee.", "Pay the fee.")) == [("delete", "full ", "")]


def test_a_comma_and_a_capital_are_changes() -> None:
    assert seen(checked("Pay now, or leave.", "Pay now or leave.")) == [("delete", ",", "")]
    assert seen(checked("The tenant pays.", "The Tenant pays.")) == [
        ("replace", "tenant", "Tenant")
    ]


def test_a_number_with_separators_is_one_word() -> None:
    assert seen(checked("Pay 1,000.50 now.", "Pay 1,200.50 now.")) == [
        ("replace", "1,000.50", "1,200.50")
    ]


@pytest.mark.parametrize("language", SCRIPTS)
def test_scripts_are_compared_word_by_word_with_offsets(language: str) -> None:
    a, b = SCRIPTS[language]
    found = checked(a, b)
    assert found.key_changes[0].kind == "number"
    for change in found.key_changes:
        assert change.a is not None
        assert change.b is not None
        assert a[change.a.start : change.a.end] == change.a.text
        assert b[change.b.start : change.b.end] == change.b.text
    # Nothing but the number, and in Chinese what was put in.
    assert sum(len(change.a.text) for change in found.edits) <= 3


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("One  two.\nThree four.", "One two.\n\nThree\tfour.\n"),
        ("One two.", "\ufeffOne\u200b two."),
        ("The caf\u00e9 closes.", "The cafe\u0301 closes."),
        ("The co\u00adoperation ends.", "The cooperation ends."),
        ("中文 字", "中文字"),
    ],
)
def test_white_space_and_what_nobody_sees_is_kept_and_not_shown(a: str, b: str) -> None:
    found = checked(a, b)
    assert any(change.white_space for change in found.changes)
    assert list(found.edits) == []
    assert found.summary.identical


def test_texts_without_anything_in_common_are_one_replacement() -> None:
    a = "The harbour opens at six in the morning, and boats wait outside."
    b = "Nobody knows when this quarry was dug! Who cut its first stone?"
    found = checked(a, b)
    assert [change.kind for change in found.changes] == ["replace"]
    assert str(found.summary) == "nothing in common: the older text was replaced as a whole"
    assert (found.summary.kept, found.summary.kept_words) == (0, 0)


def test_texts_in_different_scripts_are_one_replacement() -> None:
    found = checked(SCRIPTS["zh"][0], SCRIPTS["hi"][0])
    assert [change.kind for change in found.changes] == ["replace"]
    assert "nothing in common" in str(found.summary)


def test_empty_texts() -> None:
    assert checked("", "").changes == ()
    (change,) = checked("", "A text.").changes
    assert (change.kind, change.b.text) == ("insert", "A text.")
    assert str(changes("", "A text.").summary) == "the older text has no words"
    assert str(changes("A text.", " ").summary) == "the newer text has no words"
    assert str(changes("", " \n").summary) == "nothing changed"
    assert str(changes("-", "…").summary) == "no words in either text"


def test_a_rewritten_passage_is_one_change() -> None:
    kept = "The tenant keeps the garden in good order all the year round. "
    a = kept + "A deposit of two months is owed to the landlord before the keys are handed over."
    b = kept + "No animals, not even the smallest, may be kept unless the neighbours have agreed."
    assert [kind for kind, _, _ in seen(checked(a, b))] == ["replace"]


def test_what_was_put_in_begins_with_a_sentence() -> None:
    one, two = "The fee is due on Monday. ", "The fee is paid in cash. "
    found = checked(one + "The end.", one + two + "The end.")
    assert seen(found) == [("insert", "", two)]
    items = [f"- {text.strip()}\n" for text in (one, two, "The rest is due in June.")]
    found = checked("".join(items), items[0] + "".join(items))
    assert [text.strip() for _, _, text in seen(found)] == [items[0].strip()]


def test_a_text_of_17_mebibytes_is_refused() -> None:
    with pytest.raises(InputError, match="more than the 16"):
        changes("a" * (17 << 20), "a")


def test_the_changes_as_json_have_the_sentence_of_the_summary() -> None:
    found = changes("Pay in 16 days.", "Pay in 18 days.").to_dict()
    assert found["summary"]["text"] == "1 of 1 section changed"
    assert found["key_changes"] == [
        {
            "kind": "number",
            "a": {"start": 7, "end": 9, "text": "16"},
            "b": {"start": 7, "end": 9, "text": "18"},
        }
    ]
    assert list(found) == ["summary", "key_changes", "changes", "moves"]
    assert set(found["changes"][0]) == set(Change.__dataclass_fields__)


def test_thousands_of_moved_lines_between_others_are_written_in_a_second() -> None:
    count = 8000
    stayed, moved = ([f"{name}{number}" for number in range(count)] for name in ("stays", "moves"))
    a = Units.of("\n".join(itertools.chain(*zip(stayed, moved, strict=True))))
    b = Units.of("\n".join([*stayed, *reversed(moved)]))
    blocks = tuple(Block(2 * number, number, 1) for number in range(count))
    places = [Stretch(2 * n + 1, 2 * n + 2, 2 * count - 1 - n, 2 * count - n) for n in range(count)]
    moves = tuple(Moved(at, (Block(at.a_start, at.b_start, 1),)) for at in places)
    start = time.process_time()
    written = all_changes(Alignment(a, b, "line", blocks, moves))
    assert sum(change.kind == "move" for change in written) == 2 * count
    # Less than a second; it was twenty where each line looked at all that were moved.
    assert time.process_time() - start < 6
