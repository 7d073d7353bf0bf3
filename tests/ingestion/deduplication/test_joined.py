"""What a person joined is decided as a version, whatever the two texts share."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.ingestion.deduplication import recent_documents as candidate_module
from es_simhash.maintenance.families.dismissals_and_joins import join

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def lost(desk: Any, *ids: str) -> None:
    """Delete documents, as before another program brings them back."""
    for id in ids:
        desk.client.delete(index=desk.name, id=id, refresh=True)


@pytest.fixture
def strangers(desk: Any, make_text: Make) -> Any:
    """Two texts that share nothing, joined; the second is gone."""
    desk.put([{"_id": "a", "text": make_text(1)}, {"_id": "b", "text": make_text(2)}])
    join(desk.client, desk.name, ["a", "b"])
    lost(desk, "b")
    return desk


def test_the_second_is_flagged_as_a_version_of_the_first(strangers: Any, make_text: Make) -> None:
    written = strangers.write([{"_id": "b", "text": make_text(3)}], "flag", min_score=0.95)
    assert written == {"b": "written"}
    assert strangers.marks() == {"a": {}, "b": {"duplicate_of": "a", "duplicate_score": 0.6}}
    (record,) = strangers.records()
    assert (record["action"], record["kind"], record["other"]) == ("flag", "version", "a")


@pytest.mark.parametrize(("action", "status"), [("skip", "skipped"), ("link", "written")])
def test_every_action_counts_it(strangers: Any, make_text: Make, action: str, status: str) -> None:
    assert strangers.write([{"_id": "b", "text": make_text(3)}], action) == {"b": status}
    if action == "link":
        families = {marks["family"] for marks in strangers.marks().values()}
        assert len(families) == 1


def test_without_the_join_it_is_written(strangers: Any, make_text: Make) -> None:
    join(strangers.client, strangers.name, ["a", "b"], undo=True)
    strangers.write([{"_id": "b", "text": make_text(3)}], "flag")
    assert not any(strangers.marks().values())


@pytest.mark.parametrize("batch", [1, 1000])
def test_two_of_one_run_count_as_well(strangers: Any, make_text: Make, batch: int) -> None:
    lost(strangers, "a")
    documents = [
        {"_id": "a", "text": make_text(4)},
        {"_id": "c", "text": make_text(5)},
        {"_id": "b", "text": make_text(6)},
    ]
    strangers.write(documents, "flag", batch=batch)
    assert strangers.marks() == {
        "a": {}, "c": {}, "b": {"duplicate_of": "a", "duplicate_score": 0.6},
    }  # fmt: skip


def test_joins_reach_over_documents_that_are_gone(strangers: Any, make_text: Make) -> None:
    strangers.put([{"_id": "b", "text": make_text(2)}, {"_id": "c", "text": make_text(7)}])
    join(strangers.client, strangers.name, ["b", "c"])
    lost(strangers, "b", "c")
    strangers.write([{"_id": "c", "text": make_text(7)}], "flag")
    assert strangers.marks()["c"]["duplicate_of"] == "a"


def test_an_exact_copy_comes_first_and_a_join_before_a_better_score(
    strangers: Any, make_text: Make, revise: Make
) -> None:
    near = make_text(8)
    strangers.put([{"_id": "near", "text": near}])
    strangers.write([{"_id": "b", "text": revise(near, 1)}], "flag")
    assert strangers.marks()["b"]["duplicate_of"] == "a"
    lost(strangers, "b")
    strangers.write([{"_id": "b", "text": near.upper()}], "flag")
    assert strangers.marks()["b"]["duplicate_of"] == "near"


def test_what_is_joined_is_not_cut(
    strangers: Any, make_text: Make, revise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_module, "MAX_CANDIDATES", 2)
    near = make_text(8)
    strangers.put([{"_id": f"near{n}", "text": revise(near, n)} for n in range(4)])
    strangers.write([{"_id": "b", "text": near}], "flag")
    assert strangers.marks()["b"]["duplicate_of"] == "a"


def test_a_flagged_document_is_no_original(strangers: Any, make_text: Make) -> None:
    # Of a joined pair of which one is flagged, the other stays an original.
    strangers.write([{"_id": "b", "text": make_text(2)}], "flag")
    assert strangers.marks()["b"]["duplicate_of"] == "a"
    strangers.write([{"_id": "a", "text": make_text(9)}], "flag")
    assert strangers.marks()["a"] == {}


def test_a_decision_that_was_undone_stands_although_the_two_are_joined(
    strangers: Any, make_text: Make
) -> None:
    strangers.write([{"_id": "b", "text": make_text(3)}], "flag")
    strangers.undo()
    strangers.write([{"_id": "b", "text": make_text(3), "n": 1}], "flag")
    assert not any(strangers.marks().values())


def test_a_document_without_words_is_joined_with_nothing(strangers: Any) -> None:
    assert strangers.write([{"_id": "b", "text": "..."}], "skip") == {"b": "written"}
