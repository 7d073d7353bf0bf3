"""What the rules of ingest do with versions that other writers wrote."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.audit_log import audit_of
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.sweeps import family_policy
from es_simhash.maintenance.sweeps import sweep as sweep_module
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.relation.thresholds import LOSE

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
KillAt = Callable[[str, Callable[[], Any]], None]


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> KillAt:
    """End a sweep where it calls a method of the policy."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    def run(method: str, sweep: Callable[[], Any]) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(family_policy.FamilyPolicy, method, killed)
            with pytest.raises(KeyboardInterrupt):
                sweep()

    return run


@pytest.mark.long
def test_who_came_first_is_the_first_whatever_the_ids(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"z": first, "b": make_text(2), "a": revise(first, 3), "m": first.upper()})
    done = index.sweep("flag")
    assert done.decisions == {"flag": 2}
    assert index.duplicates() == {"a": "z", "m": "z"}
    marks = index.marks()
    assert marks["m"]["duplicate_score"] == 1.0
    assert 0.6 <= marks["a"]["duplicate_score"] < 1.0
    records = {each["id"]: each for each in index.records()}
    assert {id: each["action"] for id, each in records.items()} == {"a": "flag", "m": "flag"}
    assert records["m"]["kind"] == "exact"
    # What a record quotes is in the text that is flagged.
    assert records["m"]["evidence"] == [first.upper()[:160]]
    assert records["a"]["evidence"]
    assert all(each in revise(first, 3) for each in records["a"]["evidence"])


@pytest.mark.long
def test_what_an_earlier_sweep_saw_is_before_what_came_since(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"z": first})
    index.sweep()
    index.store({"a": revise(first, 3)})
    assert index.sweep("flag").decisions == {"flag": 1}
    assert index.duplicates() == {"a": "z"}
    # The marks are writes of our own, and decide nothing anew.
    for _ in range(2):
        assert not index.sweep("flag").decisions
    assert len(index.records()) == 1


@pytest.mark.long
def test_the_date_tells_who_is_first(index: Any, make_text: Make, revise: Make) -> None:
    first = make_text(1)
    index.store({"new": first}, published="2024-05-01")
    index.store({"old": revise(first, 3)}, published="2020-05-01")
    index.store({"undated": first})
    index.sweep("flag", date_field="published")
    assert index.duplicates()["new"] == "old"
    assert "old" not in index.duplicates()


@pytest.mark.long
def test_the_newest_by_the_engine_is_kept_and_documents_without_a_date_are_named(
    index: Any, make_text: Make, revise: Make
) -> None:
    index.client.indices.put_mapping(
        index=index.name, properties={"published": {"type": "date", "format": "dd.MM.yyyy||yyyy"}}
    )
    one, two, three = (make_text(seed) for seed in (1, 2, 3))
    index.store({"old": one}, published="31.12.2022")
    index.store({"undated": two})
    index.store({"dated": three}, published="2023")
    for _ in range(2):  # the second reads what the first wrote
        index.sweep("flag")
    index.store({"new": revise(one, 4)}, published="01.02.2023")
    index.store({"newer": revise(two, 5)}, published="1999")
    index.store({"late": revise(three, 6)})
    done = index.sweep("replace", keep="newest", date_field="published")
    assert done.decisions == {"replace": 2, "skip": 1}
    assert set(index.documents()) == {"new", "newer", "dated"}
    assert done.undated == ("late", "undated")
    assert done.to_dict()["undated"] == ["late", "undated"]


def test_a_misspelt_date_field_ends_a_sweep_before_it_writes(index: Any, make_text: Make) -> None:
    index.store({"a": make_text(1)}, published="2024-05-01")
    with pytest.raises(InputError, match=r"'publishd'; the nearest .* is 'published'"):
        index.sweep("flag", date_field="publishd")
    assert "simhash" not in index.sources()["a"]


def test_skipped_documents_are_taken_out_and_put_back(
    index: Any, make_text: Make, revise: Make
) -> None:
    index.sweep()
    first = make_text(1)
    index.store({"a": first, "b": make_text(2)}, owner="desk")
    index.store({"a2": revise(first, 3), "a3": first}, owner="wire")
    before = index.documents()
    done = index.sweep("skip")
    assert done.decisions == {"skip": 2}
    assert set(index.documents()) == {"a", "b"}
    undone = index.undo()
    assert (undone.restored, undone.present) == (2, 0)
    assert index.documents() == before


@pytest.mark.parametrize("action", ["skip", "replace"])
def test_the_first_sweep_takes_nothing_out(
    index: Any, make_text: Make, revise: Make, action: str
) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": f"{first} {make_text(2, 9)}", "a3": first})
    assert index.sweep(action).decisions == {"flag": 2}
    assert set(index.documents()) == {"a", "a2", "a3"}
    assert index.duplicates() == {"a2": "a", "a3": "a"}


@pytest.mark.long
def test_the_longest_is_kept(index: Any, make_text: Make, revise: Make) -> None:
    short = make_text(1, 150)
    longer = f"{short} {make_text(2, 10)}"
    index.store({"short": short})
    index.sweep()
    index.store({"longer": longer, "copy": longer})
    before = index.documents()
    done = index.sweep("replace", keep="longest")
    assert done.decisions == {"replace": 1, "skip": 1}
    assert set(index.documents()) == {"longer"}
    assert index.undo().restored == 2
    assert index.documents() == before


@pytest.mark.long
def test_a_document_that_was_changed_into_a_copy_is_flagged_and_never_taken_out(
    index: Any, make_text: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2)})
    index.sweep("skip")
    index.client.update(index=index.name, id="b", doc={"text": first})
    assert index.sweep("skip").decisions == {"flag": 1}
    assert index.duplicates() == {"b": "a"}
    assert set(index.documents()) == {"a", "b"}


@pytest.mark.long
def test_linked_documents_lose_their_mark_by_undo(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3)})
    assert index.sweep("link").decisions == {"link": 1}
    assert index.duplicates() == {"a2": "a"}
    assert index.families()["a"] == index.families()["a2"]
    assert index.undo().unmarked == 1
    assert index.duplicates() == {}


def test_copies_alone(index: Any, make_text: Make, revise: Make) -> None:
    first = make_text(1)
    index.store({"a": first, "a2": revise(first, 3), "a3": first})
    index.sweep("flag", kinds=("exact",))
    assert index.duplicates() == {"a3": "a"}


@pytest.mark.long
def test_dismissed_versions_are_not_flagged(index: Any, make_text: Make, revise: Make) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.sweep()
    index.store({"a2": revise(first, 3)})
    dismiss(index.client, index.name, "a", "a2")
    assert not index.sweep("flag").decisions
    assert index.duplicates() == {}


@pytest.mark.long
def test_a_version_that_was_flagged_is_nobodys_original(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.store({str(n): revise(first, n, 0.01) for n in range(10, 16)})
    index.sweep("flag")
    index.store({str(n): revise(first, n, 0.01) for n in range(20, 26)})
    index.sweep("flag")
    duplicates = index.duplicates()
    assert len(duplicates) == 12
    assert set(duplicates.values()) == {"a"}


@pytest.mark.long
def test_more_documents_than_are_read_at_once(
    index: Any, make_text: Make, revise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(family_policy, "_MEMBERS", 3)
    index.sweep()
    texts = [make_text(n) for n in range(5)]
    index.store({f"{n}-0": each for n, each in enumerate(texts)})
    order = [(n, copy) for n in range(5) for copy in range(1, 5)]
    random.Random(4).shuffle(order)
    index.store({f"{n}-{copy}": revise(texts[n], 10 * n + copy, 0.02) for n, copy in order})
    assert index.sweep("replace", keep="existing").decisions == {"skip": 20}
    assert set(index.documents()) == {f"{n}-0" for n in range(5)}


@pytest.mark.long
def test_a_sweep_that_was_killed_before_it_decided_is_done_again(
    index: Any, make_text: Make, revise: Make, kill_at: KillAt
) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.sweep("skip")
    index.store({"a2": revise(first, 3)})
    kill_at("decide", lambda: index.sweep("skip"))
    # It has been written to since it was created, so that it is flagged, and stays.
    assert index.sweep("skip").decisions == {"flag": 1}
    assert index.duplicates() == {"a2": "a"}


@pytest.mark.long
def test_what_a_killed_sweep_had_still_to_delete_is_deleted_by_the_next(
    index: Any, make_text: Make, kill_at: KillAt
) -> None:
    short = make_text(1, 150)
    index.store({"short": short})
    index.sweep("replace")
    index.store({"longer": f"{short} {make_text(2, 10)}"})
    kill_at("_apply", lambda: index.sweep("replace"))
    assert set(index.documents()) == {"short", "longer"}
    index.sweep("replace")
    assert set(index.documents()) == {"longer"}
    assert index.undo().restored == 1
    assert set(index.documents()) == {"short", "longer"}


@pytest.mark.parametrize("action", ["flag", "skip", "replace"])
def test_what_another_program_gave_another_text_alone_is_no_original_of_it(
    index: Any, make_text: Make, action: str
) -> None:
    index.store({"a": make_text(1)})
    index.sweep(action)
    index.client.update(index=index.name, id="a", doc={"text": make_text(2)})
    index.store({"b": make_text(1)})
    assert index.sweep(action).decisions == {}
    assert set(index.documents()) == {"a", "b"}
    assert index.duplicates() == {}


@pytest.mark.long
def test_what_got_another_text_before_it_was_deleted_stays_and_is_not_counted(
    index: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = make_text(1, 150)
    index.store({"short": short})
    index.sweep("replace")
    index.store({"longer": f"{short} {make_text(2, 10)}"})
    apply = family_policy.FamilyPolicy._apply

    def later(self: Any, decisions: Any) -> None:
        index.client.update(index=index.name, id="short", doc={"text": make_text(5)})
        apply(self, decisions)

    monkeypatch.setattr(family_policy.FamilyPolicy, "_apply", later)
    done = index.sweep("replace", keep="longest")
    assert (done.decisions, done.conflicted) == ({}, ("short",))
    assert set(index.documents()) == {"short", "longer"}
    assert index.documents()["short"]["text"] == make_text(5)


@pytest.mark.long
def test_a_version_that_is_changed_while_it_is_decided_is_left(
    index: Any, make_text: Make, revise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.sweep("skip")
    index.store({"a2": revise(first, 3)})
    apply = family_policy.FamilyPolicy._apply

    def changed(policy: Any, made: Any) -> None:
        index.client.update(index=index.name, id="a2", doc={"note": "kept"})
        apply(policy, made)

    with monkeypatch.context() as patched:
        patched.setattr(family_policy.FamilyPolicy, "_apply", changed)
        done = index.sweep("skip")
    assert done.conflicted == ("a2",)
    assert not done.decisions
    assert index.documents()["a2"]["note"] == "kept"
    index.sweep("skip")
    assert index.duplicates() == {"a2": "a"}


@pytest.mark.long
def test_the_log_may_be_an_index(index: Any, make_text: Make) -> None:
    log = f"{index.name}-log"
    first = make_text(1)
    index.store({"a": first, "b": first})
    try:
        assert index.sweep("flag", audit=f"index:{log}").audit == f"index:{log}"
        index.client.indices.refresh(index=log)
        (record,) = audit_of(f"index:{log}", index.client).read()
        assert (record.head["id"], record.head["other"]) == ("b", "a")
    finally:
        index.client.indices.delete(index=log, ignore_unavailable=True)


@pytest.mark.long
def test_a_sweep_without_rules_leaves_what_is_there_to_be(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": revise(first, 3), "c": first, "d": make_text(4)})
    index.sweep()
    # It reads what the sweep before wrote itself.
    done = index.sweep("flag")
    assert not done.decisions
    assert index.duplicates() == {}
    index.store({"new": first})
    assert index.sweep("flag").decisions == {"flag": 1}
    assert set(index.duplicates()) == {"new"}


@pytest.mark.long
def test_a_new_text_of_an_old_document_is_decided(
    index: Any, make_text: Make, revise: Make
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": revise(first, 3), "c": first})
    for _ in range(2):
        index.sweep()
    index.client.update(index=index.name, id="b", doc={"text": first})
    assert index.sweep("skip").decisions == {"flag": 1}
    assert set(index.duplicates()) == {"b"}


def test_what_is_written_twice_while_a_sweep_decides_is_decided_by_the_next(
    index: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_text(1)
    index.store({"a": first})
    index.sweep()
    index.store({"b": make_text(2)})
    decide = family_policy.FamilyPolicy.decide

    def decided(self: Any, *arguments: Any) -> None:
        decide(self, *arguments)
        # As `ingest` writes it whose first request was done, and its answer lost.
        copy = index.client.get(index=index.name, id="a")["_source"]
        for _ in range(2):
            index.client.index(index=index.name, id="late", document=copy)

    with monkeypatch.context() as patched:
        patched.setattr(family_policy.FamilyPolicy, "decide", decided)
        assert not index.sweep("flag").decisions
    assert index.sweep("flag").decisions == {"flag": 1}
    assert index.duplicates() == {"late": "a"}
    assert not index.sweep("flag").decisions


@pytest.mark.parametrize("families", [None, FamilyOptions("newest", "date")])
def test_what_a_sweep_writes_itself_is_not_decided_by_the_next(
    index: Any, make_text: Make, families: FamilyOptions | None
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": first}, date="2026-01-01")
    # The second processes what the first wrote.
    for _ in range(2):
        index.sweep()
    # It becomes the representative in place of another.
    index.store({"c": f"{first} and more"}, date="2026-01-02")
    rules = OnVersion("flag", audit=index.audit, lose=1)
    for decisions in ({"flag": 1}, {}):
        report = sweep(index.client, index.name, on_version=rules, families=families)
        assert report.decisions == decisions
        assert set(index.duplicates()) == {"c"}


@pytest.mark.long
def test_what_is_written_while_a_sweep_goes_on_is_decided_by_the_next(
    index: Any, make_text: Make, revise: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_text(1)
    index.store({"a": first, "old": first})
    index.sweep()
    index.store({"b": make_text(2)})
    find = sweep_module.changed_documents

    def found(*arguments: Any) -> Any:
        changes = find(*arguments)
        index.store({"late": first})
        return changes

    with monkeypatch.context() as patched:
        patched.setattr(sweep_module, "changed_documents", found)
        assert not index.sweep("flag").decisions
    assert index.sweep("flag").decisions == {"flag": 1}
    assert index.duplicates() == {"late": "a"}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("old", ["2025-05-01", "2020-05-01"])
def test_an_old_document_is_no_version_of_a_new_one_whatever_its_date(
    index: Any, make_text: Make, revise: Make, old: str
) -> None:
    first = make_text(1)
    index.store({"a": first}, published=old)
    index.sweep(date_field="published")
    index.store({"b": revise(first, 3)}, published="2024-05-01")
    assert index.sweep("flag", date_field="published").decisions == {"flag": 1}
    assert index.duplicates() == {"b": "a"}


@pytest.mark.long
def test_what_would_lose_text_is_kept_and_flagged(index: Any, make_text: Make) -> None:
    short = make_text(1, 300)
    texts = {
        "longer": f"{short} {make_text(2, 40)}",
        "number": f"{short} 1988",
        "whole": short[: len(short) * 9 // 10].rpartition(" ")[0],
        "copy": short.upper(),
    }
    index.sweep()
    index.store({"short": short})
    index.sweep("skip", lose=LOSE)
    index.store(texts)
    done = index.sweep("skip", lose=LOSE)
    assert done.decisions == {"retain": 2, "skip": 2}
    assert index.duplicates() == {"longer": "short", "number": "short"}
    assert set(index.documents()) == {"short", "longer", "number"}
    records = {each["id"]: each for each in index.records()}
    assert records["number"]["lost"]["facts"] == ["1988"]
    assert not index.sweep("skip", lose=LOSE).decisions
    undone = index.undo()
    assert (undone.restored, undone.unmarked) == (2, 2)
    assert index.duplicates() == {}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(("lose", "action"), [(LOSE, "retain"), (1, "replace")])
def test_the_newest_replaces_only_what_it_has(
    index: Any, make_text: Make, lose: float, action: str
) -> None:
    short = make_text(1, 300)
    index.store({"longer": f"{short} {make_text(2, 40)}"}, published="2023-01-01")
    for _ in range(2):
        index.sweep()
    index.store({"short": short}, published="2024-01-01")
    rules = {"keep": "newest", "date_field": "published", "lose": lose}
    assert index.sweep("replace", **rules).decisions == {action: 1}
    left = {"longer", "short"} if action == "retain" else {"short"}
    assert set(index.documents()) == left
