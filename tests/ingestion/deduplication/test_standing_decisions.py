"""What a person decided binds `ingest`, and what a run that was killed left to do."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.ingestion.undo import undo
from es_simhash.maintenance.families.dismissals_and_joins import dismiss, manual_pairs

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def delete_all(desk: Any) -> None:
    """Delete all documents."""
    for id in desk.documents():
        desk.client.delete(index=desk.name, id=id, refresh=True)


@pytest.mark.variants
@pytest.mark.parametrize("action", ["flag", "link", "skip", "replace"])
def test_a_dismissed_pair_is_not_decided(
    desk: Any, make_text: Make, revise: Make, action: str
) -> None:
    first = make_text(1)
    desk.put([{"_id": "a", "text": first}, {"_id": "b", "text": revise(first, 3)}])
    dismiss(desk.client, desk.name, "a", "b")
    desk.client.delete(index=desk.name, id="b", refresh=True)
    written = desk.write([{"_id": "b", "text": revise(first, 4)}], action)
    assert written == {"b": "written"}
    assert set(desk.documents()) == {"a", "b"}
    assert not any(desk.marks().values())
    assert desk.records() == []


def test_a_dismissed_pair_does_not_stand_in_the_way_of_another_original(
    desk: Any, make_text: Make, revise: Make
) -> None:
    # Six are nearer than the one that counts, and only the texts of the five nearest are read.
    first = make_text(1)
    near = {f"near{n}": revise(first, n, 0.01) for n in range(6)}
    desk.put([{"_id": id, "text": text} for id, text in near.items()])
    desk.put([{"_id": "far", "text": revise(first, 9, 0.03)}, {"_id": "b", "text": first}])
    for id in near:
        dismiss(desk.client, desk.name, id, "b")
    desk.client.delete(index=desk.name, id="b", refresh=True)
    desk.write([{"_id": "b", "text": first}], "flag")
    assert desk.marks()["b"]["duplicate_of"] == "far"


def test_of_one_batch_too(desk: Any, make_text: Make, revise: Make) -> None:
    first = make_text(1)
    documents = [{"_id": "a", "text": first}, {"_id": "b", "text": revise(first, 3)}]
    desk.put(documents)
    dismiss(desk.client, desk.name, "a", "b")
    delete_all(desk)
    assert desk.write(documents, "skip") == {"a": "written", "b": "written"}


@pytest.mark.long
@pytest.mark.parametrize("batch", [1, 1000])
def test_copies_whose_decision_was_undone_are_written_side_by_side(
    desk: Any, make_text: Make, batch: int
) -> None:
    # Of a text there is one reservation, which the second must not wait for.
    text = make_text(1)
    documents = [{"_id": id, "text": text} for id in ("a", "b", "c")]
    assert desk.write(documents, "skip") == {"a": "written", "b": "skipped", "c": "skipped"}
    desk.undo()
    delete_all(desk)
    assert set(desk.write(documents, "skip", batch=batch).values()) == {"written"}
    again = [{"_id": id, "text": text, "n": 1} for id in ("a", "b", "c")]
    assert set(desk.write(again, "flag", batch=batch).values()) == {"written"}
    assert not any(desk.marks().values())
    # One that no person decided about is decided.
    assert desk.write([{"_id": "d", "text": text}], "skip", batch=batch) == {"d": "skipped"}


def test_copies_that_do_not_count_are_written_side_by_side(desk: Any, make_text: Make) -> None:
    text = make_text(1)
    for id in ("a", "b"):
        assert desk.write([{"_id": id, "text": text}], "skip", kinds=("version",)) == {
            id: "written"
        }


def test_what_was_undone_is_not_deleted_by_the_run_after_a_killed_one(
    desk: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    longer = revise(first, 3) + " and more words at the end"
    desk.put([{"_id": "a", "text": first}])

    desk.write_killed([{"_id": "b", "text": longer}], "replace")
    assert set(desk.documents()) == {"a", "b"}
    assert desk.undo().present == 1
    desk.write([{"_id": "other", "text": make_text(2)}], "replace")
    assert set(desk.documents()) == {"a", "b", "other"}


def test_what_has_another_text_by_now_replaces_nothing_in_the_run_after_a_killed_one(
    desk: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    desk.put([{"_id": "a", "text": first}])

    desk.write_killed([{"_id": "b", "text": f"{first} and more"}], "replace")
    # Another program changes the text alone: nothing but the first document has it now.
    desk.client.update(index=desk.name, id="b", doc={"text": make_text(5)})
    desk.write([{"_id": "other", "text": make_text(2)}], "replace")
    assert set(desk.documents()) == {"a", "b", "other"}


def test_decisions_of_one_index_do_not_bind_another_field(
    desk: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    desk.write([{"_id": "a", "text": first}, {"_id": "b", "text": revise(first, 3)}], "flag")
    undo(desk.client, desk.name, desk.audit)
    assert [pair.ids for pair in manual_pairs(desk.client, desk.name)] == [("b", "a")]
    assert manual_pairs(desk.client, desk.name, simhash_field="other") == []
