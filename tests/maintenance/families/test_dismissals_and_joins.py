"""Documents that a person joined are of one family, whatever their texts are."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import DocumentMissing, InputError
from es_simhash.maintenance.families.dismissals_and_joins import (
    ManualPair,
    dismiss,
    join,
    manual_pairs,
)
from es_simhash.maintenance.families.version_pairs import version_pairs
from es_simhash.pairs.joined_families import contradicted_pairs
from es_simhash.pairs.parted_texts import parted_pairs
from es_simhash.relation.decided_pairs import JoinedGroups, ManualPairs
from tests.maintenance.families.conftest import WAYS
from tests.support.new_index import new_index
from tests.support.shelf import Shelf, in_memory

pytestmark = pytest.mark.cluster

Texts = dict[str, str]
Make = Callable[..., str]


def family_of(shelf: Shelf, id: str) -> frozenset[str]:
    (family,) = (each for each in shelf.families() if id in each)
    return family


def joined(shelf: Shelf, *ids: str, **options: Any) -> list[ManualPair]:
    return join(shelf.client, shelf.name, ids, **options)


def dismissed(shelf: Shelf, *ids: str, **options: Any) -> None:
    dismiss(shelf.client, shelf.name, *ids, **options)


@pytest.fixture
def full(shelf: Shelf, texts: Texts) -> Shelf:
    """Texts with their families, the first of three, two or one."""
    shelf.put(texts)
    shelf.find()
    return shelf


def test_joined_documents_bring_their_families_together(full: Shelf, texts: Texts) -> None:
    joined(full, "t0-1", "t5-2", "t9-1")
    report = full.find()
    together = {"t0-1", "t0-2", "t0-3", "t5-1", "t5-2", "t9-1"}
    assert family_of(full, "t9-1") == together
    (family,) = report.families
    assert set(family.members) == together
    assert family.representative == max(together, key=lambda id: len(texts[id]))
    assert report.documents == 6  # nothing else was read
    pairs = [("t0-1", "t5-2"), ("t0-1", "t9-1")]
    assert full.families() == in_memory(texts, joined=pairs)


@pytest.mark.long
def test_a_join_survives_later_runs_full_runs_and_edits(
    full: Shelf, texts: Texts, make_text: Make
) -> None:
    joined(full, "t9-1", "t10-1")
    full.find()
    name = full.names()["t9-1"]
    assert full.names()["t10-1"] == name
    assert full.find().written == 0
    assert full.find(everything=True).written == 0
    full.put({"t10-1": make_text(600)})
    full.find()
    assert (full.names()["t9-1"], full.names()["t10-1"]) == (name, name)
    full.put({"t9-1": make_text(601), "t10-1": make_text(602)})
    full.find()
    assert family_of(full, "t9-1") == {"t9-1", "t10-1"}
    assert full.find(everything=True).written == 0
    changed = {**texts, "t9-1": make_text(601), "t10-1": make_text(602)}
    assert full.families() == in_memory(changed, joined=[("t10-1", "t9-1")])


@pytest.mark.long
def test_a_withdrawn_join_parts_what_it_brought_together(full: Shelf, texts: Texts) -> None:
    joined(full, "t0-1", "t5-2")
    full.find()
    assert joined(full, "t5-2", "t0-1", undo=True) == [ManualPair(("t0-1", "t5-2"), "joined")]
    full.find()
    assert full.families() == in_memory(texts)
    assert manual_pairs(full.client, full.name) == []
    assert full.find(everything=True).written == 0


def test_the_rule_names_the_representative_of_what_is_joined(shelf: Shelf, texts: Texts) -> None:
    shelf.client.indices.put_mapping(index=shelf.name, properties={"date": {"type": "date"}})
    dates = {"t0-1": "2021-01-01", "t0-2": "2022-01-01", "t9-1": "2023-01-01", "t9-0": "2019-01-01"}
    shelf.write(
        {"id": id, "text": texts.get(id, texts["t10-1"]), "date": date}
        for id, date in dates.items()
    )
    joined(shelf, "t0-1", "t9-1", "t9-0")
    newest = shelf.find(representative="newest", date_field="date")
    assert [family.representative for family in newest.families] == ["t9-1"]
    oldest = shelf.find(representative="oldest", date_field="date")
    assert [family.representative for family in oldest.families] == ["t9-0"]


def test_a_dismissal_between_other_members_still_parts_those(full: Shelf, texts: Texts) -> None:
    joined(full, "t0-1", "t5-1")
    dismissed(full, "t0-3", "t5-2")
    full.find()
    families = full.families()
    assert {"t0-1", "t5-1"} <= family_of(full, "t0-1")
    assert full.names()["t0-3"] != full.names()["t5-2"]
    assert families == in_memory(texts, joined=[("t0-1", "t5-1")], dismissed=[("t0-3", "t5-2")])
    together = family_of(full, "t0-1")
    # One of the two is left out, and nothing else.
    assert together in ({*TOGETHER, "t0-3"}, {*TOGETHER, "t5-2"})


TOGETHER = {"t0-1", "t0-2", "t5-1"}


def test_what_is_joined_with_a_dismissed_text_stays_with_it(full: Shelf, texts: Texts) -> None:
    # t0-1 is a version of t0-2, and t5-1, with which it is joined, is dismissed with that.
    joined(full, "t0-1", "t5-1")
    dismissed(full, "t0-2", "t5-1")
    full.find()
    assert {"t0-1", "t5-1"} <= family_of(full, "t0-1")
    assert "t0-2" not in family_of(full, "t0-1")


def test_ids_that_have_an_end_for_sqlite_are_decided_about(shelf: Shelf, texts: Texts) -> None:
    one, alone, other = "a\0one", "a\0alone", "a\0other"
    shelf.put({one: texts["t0-1"], other: texts["t0-2"], alone: texts["t9-1"]})
    shelf.find()
    assert shelf.families() == {frozenset({one, other}), frozenset({alone})}
    joined(shelf, one, alone)
    dismissed(shelf, one, other)
    shelf.find(everything=True)
    assert shelf.families() == {frozenset({one, alone}), frozenset({other})}
    pairs = version_pairs(shelf.client, shelf.name)
    assert [(pair.id, pair.other, pair.kind) for pair in pairs] == [(alone, one, "joined")]


@pytest.mark.long
def test_joins_reach_over_documents_that_are_gone(full: Shelf, texts: Texts) -> None:
    joined(full, "t8-1", "t9-1", "t10-1")
    full.find()
    full.delete("t8-1")
    full.find()
    assert family_of(full, "t9-1") == {"t9-1", "t10-1"}
    assert full.find(everything=True).written == 0
    left = {id: text for id, text in texts.items() if id != "t8-1"}
    pairs = [("t8-1", "t9-1"), ("t10-1", "t8-1")]
    assert full.families() == in_memory(left, joined=pairs)


def test_a_decision_counts_for_all_documents_of_an_alias_that_have_the_id(
    full: Shelf, texts: Texts, make_text: Make, discard: Callable[..., None]
) -> None:
    alias, second = f"{full.name}-all", f"{full.name}-second"
    discard(second, f"{alias}-simhash")
    new_index(full.client, second, semantics=None)
    for name in (full.name, second):
        full.client.indices.put_alias(index=name, name=alias)
    both, other = Shelf(full.client, alias), Shelf(full.client, second)
    dismissed(both, "t5-1", "t5-2")
    joined(both, "t9-1", "t10-1")
    # Whichever of the two documents with an id is read last: a stranger has it too, or a version.
    other.put({"t5-1": make_text(700), "t5-2": texts["t6-1"], "t9-1": texts["t11-1"]})
    for options in ({}, {"everything": True}):
        families = {frozenset(each.members) for each in both.find(**options).families}
        assert not any(each >= {"t5-1", "t5-2"} for each in families)
        assert frozenset({"t9-1", "t10-1", "t11-1"}) in families


def test_several_documents_with_an_id_are_reported_where_one_of_them_contradicts() -> None:
    values = {"a": [(), ("x",)], "b": [("x",)], "c": [("x",)]}
    assert parted_pairs([("a", "b"), ("b", "c")], values) == [("a", "b")]
    texts = {"a": ["1", "2"], "b": ["3"], "c": ["2"]}
    manual = ManualPairs.of_texts([("a", "b")], [("b", "c")], texts)
    # A text is apart from all that one of its documents was dismissed with.
    assert all(manual.parts(text, ["3"]) for text in ("1", "2"))
    assert contradicted_pairs([("a", "b")], texts, manual) == [("a", "b")]


# Other changes in each way, twice as shipped.
@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    ("way", "seed"), [(WAYS[0], 0), (WAYS[0], 1), (WAYS[1], 2), (WAYS[2], 3)], indirect=["way"]
)
@pytest.mark.usefixtures("way")
def test_runs_after_any_changes_give_what_a_run_over_everything_gives(
    full: Shelf, texts: Texts, seed: int, make_text: Make, revise: Make
) -> None:
    chosen = random.Random(seed)
    held, apart, together = dict(texts), set[tuple[str, str]](), set[tuple[str, str]]()
    for step in range(10):
        for id in chosen.sample(sorted(held), 3):
            changed = chosen.choice(["new", "version", "deleted", "dismissed", "joined", "undone"])
            other = chosen.choice(sorted(held))
            pair = (min(id, other), max(id, other))
            if changed == "deleted":
                del held[id]
                full.delete(id)
            elif changed == "dismissed" and held[other] != held[id]:
                if other not in JoinedGroups(together).group(id):
                    dismissed(full, id, other)
                    apart.add(pair)
            elif changed == "joined" and id != other:
                group = JoinedGroups([*together, pair]).group(id)
                if not any(group.issuperset(each) for each in apart):
                    joined(full, id, other)
                    together.add(pair)
            elif changed == "undone" and together:
                pair = chosen.choice(sorted(together))
                joined(full, *pair, undo=True)
                together.remove(pair)
            elif changed in ("new", "version"):
                like = held[other]
                held[id] = make_text(500 + step) if changed == "new" else revise(like, step)
                full.put({id: held[id]})
        full.find()
        assert full.families() == in_memory(held, dismissed=apart, joined=together)
    assert full.find(everything=True).written == 0


def test_joining_what_was_dismissed_asks_which_counts(full: Shelf, texts: Texts) -> None:
    dismissed(full, "t0-1", "t0-2")
    with pytest.raises(InputError, match=r"'t0-1' and 't0-2' were dismissed.*--undo.*Set replace"):
        joined(full, "t0-2", "t0-1")
    # Over a third one, too.
    joined(full, "t0-1", "t9-1")
    with pytest.raises(InputError, match=r"'t0-1' and 't0-2' were dismissed"):
        joined(full, "t9-1", "t0-2")
    joined(full, "t9-1", "t0-2", replace=True)
    assert {pair.ids: pair.reason for pair in manual_pairs(full.client, full.name)} == {
        ("t0-1", "t9-1"): "joined",
        ("t0-2", "t9-1"): "joined",
    }
    full.find()
    assert family_of(full, "t9-1") == {"t0-1", "t0-2", "t0-3", "t9-1"}


def test_dismissing_what_was_joined_asks_which_counts(full: Shelf, texts: Texts) -> None:
    joined(full, "t0-1", "t0-2")
    with pytest.raises(InputError, match=r"were joined as versions.*same.*--undo.*Set replace"):
        dismissed(full, "t0-2", "t0-1")
    assert [pair.reason for pair in manual_pairs(full.client, full.name)] == ["joined"]
    dismissed(full, "t0-2", "t0-1", replace=True)
    assert [pair.reason for pair in manual_pairs(full.client, full.name)] == ["dismissed"]
    full.find()
    assert full.names()["t0-1"] != full.names()["t0-2"]


def test_what_is_joined_over_others_names_them(full: Shelf) -> None:
    joined(full, "t8-1", "t9-1", "t10-1")
    for replace in (False, True):
        with pytest.raises(InputError, match=r"are joined over 't8-1'. Undo one of these"):
            dismissed(full, "t9-1", "t10-1", replace=replace)
    with pytest.raises(InputError, match=r"same test-\w+ t10-1 t8-1 --undo` or `.* t8-1 t9-1"):
        joined(full, "t10-1", "t9-1", undo=True)


def test_a_copy_of_a_dismissed_document_is_reported_where_joins_say_the_opposite(
    full: Shelf, texts: Texts
) -> None:
    full.put({"copy": texts["t0-1"]})
    dismissed(full, "copy", "t9-1")
    joined(full, "t0-1", "t9-1")
    report = full.find()
    assert report.contradicted == (("copy", "t9-1"),)
    assert report.to_dict()["contradicted"] == [["copy", "t9-1"]]
    # The dismissal counts.
    assert full.names()["t0-1"] == full.names()["copy"] != full.names()["t9-1"]


def test_wrong_joins_are_rejected(full: Shelf) -> None:
    full.put({"empty": "..."})
    with pytest.raises(InputError, match="two documents or more"):
        joined(full, "t0-1", "t0-1")
    with pytest.raises(DocumentMissing, match="'nobody'"):
        joined(full, "t0-1", "nobody")
    with pytest.raises(InputError, match="'empty' has no words"):
        joined(full, "t0-1", "empty")
    with pytest.raises(InputError, match="were not joined"):
        joined(full, "t0-1", "t5-1", undo=True)
    with pytest.raises(InputError, match="names several indices"):
        join(full.client, f"{full.name}*", ["t0-1", "t5-1"])
    assert manual_pairs(full.client, full.name) == []


def test_a_joined_document_without_words_is_left_alone(full: Shelf) -> None:
    joined(full, "t0-1", "t9-1")
    full.put({"t9-1": "..."})
    full.find()
    assert family_of(full, "t9-1") == {"t9-1"}
    assert family_of(full, "t0-1") == {"t0-1", "t0-2", "t0-3"}


@pytest.mark.parametrize(
    ("ids", "typed"),
    [(("a", "b"), "a b --undo"), (("a b", "c"), "'a b' c --undo"), (("-a", "b"), "--undo -- -a b")],
)
def test_the_way_out_can_be_typed_as_it_stands(ids: tuple[str, str], typed: str) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import undo_of

    assert undo_of(*ids) == typed
