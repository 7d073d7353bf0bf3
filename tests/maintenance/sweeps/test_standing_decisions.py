"""What a person decided stands: sweeps do not decide it again."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.maintenance.families import family_run
from es_simhash.maintenance.families.dismissals_and_joins import (
    ManualPair,
    dismiss,
    join,
    lift_undone,
    manual_pairs,
)

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def versions(make_text: Make, revise: Make) -> dict[str, str]:
    """A text, two versions of it and a copy."""
    first = make_text(1)
    return {"a": first, "b": revise(first, 3), "c": revise(first, 4), "d": first.upper()}


def touch(index: Any, *ids: str) -> None:
    """Write documents again as another program does, with another field."""
    for id in ids:
        index.client.update(index=index.name, id=id, doc={"touched": time.time_ns()})


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("action", ["flag", "link"])
def test_a_sweep_does_not_flag_again_what_was_undone(
    index: Any, versions: dict[str, str], action: str
) -> None:
    index.store(versions)
    assert index.sweep(action).decisions == {action: 3}
    assert index.undo().unmarked == 3
    # The next sweep reads what undo wrote, and later ones what others write.
    assert not index.sweep(action).decisions
    touch(index, "b", "c", "d")
    assert not index.sweep(action).decisions
    assert index.duplicates() == {}


@pytest.mark.long
def test_a_sweep_does_not_delete_again_what_was_restored(
    index: Any, versions: dict[str, str]
) -> None:
    index.sweep()
    index.store(versions)
    assert index.sweep("skip").decisions == {"skip": 3}
    assert index.undo().restored == 3
    assert not index.sweep("skip").decisions
    assert set(index.documents()) == set(versions)


@pytest.mark.long
def test_a_sweep_does_not_decide_what_was_undone_of_an_ingest(
    index: Any, versions: dict[str, str]
) -> None:
    index.sweep()
    documents = [{"_id": id, "text": text} for id, text in versions.items()]
    assert list(index.write(documents, "skip").values()).count("skipped") == 3
    assert index.undo().restored == 3
    assert not index.sweep("skip").decisions
    assert set(index.documents()) == set(versions)


@pytest.mark.long
def test_what_was_not_undone_is_decided_as_before(
    index: Any, versions: dict[str, str], revise: Make
) -> None:
    index.store({"a": versions["a"], "b": versions["b"]})
    index.sweep("flag")
    index.undo()
    index.store({"e": revise(versions["a"], 7)})
    assert index.sweep("flag").decisions == {"flag": 1}
    assert set(index.duplicates()) == {"e"}


@pytest.mark.long
def test_an_undone_decision_is_listed_and_can_be_lifted(
    index: Any, versions: dict[str, str]
) -> None:
    index.store({"a": versions["a"], "b": versions["b"], "d": versions["d"]})
    run = index.sweep("flag").run
    index.undo()
    assert manual_pairs(index.client, index.name) == [
        ManualPair(("b", "a"), "undone", run),
        ManualPair(("d", "a"), "undone", run),
    ]
    # In whatever order the two are named; also of exact copies, which cannot be dismissed.
    dismiss(index.client, index.name, "a", "d", undo=True)
    assert manual_pairs(index.client, index.name) == [ManualPair(("b", "a"), "undone", run)]
    touch(index, "b", "d")
    index.sweep("flag")
    assert index.duplicates() == {"d": "a"}
    with pytest.raises(InputError, match="nothing to undo"):
        dismiss(index.client, index.name, "a", "d", undo=True)


@pytest.mark.long
def test_all_undone_decisions_of_a_run_are_lifted_at_once(
    index: Any, versions: dict[str, str]
) -> None:
    index.store(versions)
    run = index.sweep("flag").run
    index.undo()
    with pytest.raises(InputError, match="There is no run 'zz'"):
        lift_undone(index.client, index.name, "zz")
    lifted = lift_undone(index.client, index.name, run[:6])
    assert {decision.ids for decision in lifted} == {("b", "a"), ("c", "a"), ("d", "a")}
    assert manual_pairs(index.client, index.name) == []
    touch(index, "b")
    assert index.sweep("flag").decisions == {"flag": 3}


@pytest.mark.long
def test_undoing_once_more_keeps_what_stands(index: Any, versions: dict[str, str]) -> None:
    index.store(versions)
    index.sweep("flag")
    index.undo()
    before = manual_pairs(index.client, index.name)
    assert index.undo().unmarked == 0
    assert manual_pairs(index.client, index.name) == before


@pytest.mark.long
def test_a_dismissed_pair_is_not_decided(index: Any, versions: dict[str, str]) -> None:
    first = versions["a"]
    index.store({"a": first, "b": versions["b"]})
    index.sweep()
    dismiss(index.client, index.name, "a", "b")
    # Now they are exact copies, which are of one family whatever was dismissed.
    index.store({"b": first})
    assert not index.sweep("flag").decisions
    assert len(set(index.families().values())) == 1
    dismiss(index.client, index.name, "a", "b", undo=True)
    touch(index, "b")
    assert index.sweep("flag").decisions == {"flag": 1}


@pytest.mark.long
@pytest.mark.parametrize("is_dismissed", [True, False])
def test_what_a_person_decides_during_a_run_of_families_is_kept(
    index: Any, versions: dict[str, str], is_dismissed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.store({"a": versions["a"], "b": versions["b"]})
    index.sweep()
    dismiss(index.client, index.name, "a", "b")
    if is_dismissed:
        dismiss(index.client, index.name, "a", "b", undo=True)
    store = family_run.FamilyRun.store_state

    def meanwhile(self: Any, *rest: Any) -> None:
        dismiss(index.client, index.name, "a", "b", undo=not is_dismissed)
        store(self, *rest)

    monkeypatch.setattr(family_run.FamilyRun, "store_state", meanwhile)
    touch(index, "a")
    index.sweep()
    monkeypatch.undo()
    pairs = [pair.ids for pair in manual_pairs(index.client, index.name)]
    assert pairs == ([("a", "b")] if is_dismissed else [])
    # The next run applies it.
    touch(index, "a")
    index.sweep()
    assert len(set(index.families().values())) == (2 if is_dismissed else 1)


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("action", ["flag", "skip"])
def test_a_sweep_decides_that_joined_documents_are_versions(
    index: Any, make_text: Make, action: str
) -> None:
    index.store({"a": make_text(1), "c": make_text(2)})
    index.sweep(action)
    index.store({"b": make_text(3)})
    index.client.indices.refresh(index=index.name)
    join(index.client, index.name, ["a", "b"])
    report = index.sweep(action, min_score=0.9)
    assert report.decisions == {action: 1}
    if action == "flag":
        assert index.duplicates() == {"b": "a"}
    else:
        assert set(index.documents()) == {"a", "c"}


@pytest.mark.long
def test_a_sweep_puts_joined_documents_into_one_family(index: Any, make_text: Make) -> None:
    index.store({"a": make_text(1), "b": make_text(2), "c": make_text(3)})
    index.sweep()
    join(index.client, index.name, ["a", "b"])
    touch(index, "c")
    index.sweep()
    families = index.families()
    assert families["a"] == families["b"] != families["c"]
