"""Batches decided over a model of the index, of what was written lately and of other writers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.ingestion.deduplication.batch_decider import BatchDecider, with_superseded
from es_simhash.ingestion.deduplication.recent_documents import RecentDocuments
from es_simhash.ingestion.deduplication.stored_documents import DocumentDates
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.rows import Row
from tests.ingestion.deduplication.test_decision_parts import FIRST, incoming
from tests.support.made_up_texts import make_text, revise

NEAR, LONGER = revise(FIRST, 2, 0.02), f"{FIRST} {make_text(2, 30)}"


@dataclass
class World:
    """An index, and another writer of it.

    Attributes:
        texts: Text of each document, by id.
        owned: Documents that another writer has by the time of a reservation, by content hash.
        reserved: Content hashes of each reservation, with their documents.
        replaced: For each reservation, the copies that are replaced, by content hash.
        begun: How many reservations there were when the last batch began.
        released: Those that were given up.
        reads: Ids of each request.
        manual: What a person decided.
    """

    texts: dict[str, str] = field(default_factory=dict)
    owned: dict[str, Row] = field(default_factory=dict)
    reserved: list[dict[str, DocumentRef]] = field(default_factory=list)
    replaced: list[dict[str, str]] = field(default_factory=list)
    begun: int = -1
    released: list[str] = field(default_factory=list)
    reads: list[list[str]] = field(default_factory=list)
    manual: Any = field(default_factory=ManualPairs)

    def read(self, refs: Sequence[DocumentRef], parts: Any = None) -> list[Row | None]:
        self.reads.append([ref.id for ref in refs])
        assert len(self.reads) < 20, "it decides for ever"
        return [self.row(ref.id) if ref.id in self.texts else None for ref in refs]

    def row(self, id: str) -> Row:
        text = self.texts[id]
        content_hash = incoming(id, text).content_hash
        return Row(DocumentRef("i", id), text=text, content_hash=content_hash, family=f"of {id}")

    def begin(self) -> None:
        assert self.begun < len(self.reserved), "the batch before was not decided"
        self.begun = len(self.reserved)

    def acquire(
        self, wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]
    ) -> dict[str, Row]:
        self.reserved.append(dict(wanted))
        self.replaced.append(dict(replaced))
        return {each: self.owned[each] for each in wanted if each in self.owned}

    def release(self, hashes: Iterable[str]) -> None:
        self.released += hashes

    def original(self, id: str, text: str | None = None) -> Original:
        """Return what a search answers for a document, which may be another by now."""
        made = incoming(id, self.texts[id] if text is None else text).as_original()
        return replace(made, ref=DocumentRef("i", id))


class Decider(BatchDecider):
    """Decides over a world."""

    def __init__(self, world: World, action: Any = "skip", **rules: Any) -> None:
        self.world, self.recent = world, RecentDocuments()
        chosen = OnVersion(action, **{"lose": 1, **rules})
        context = SimpleNamespace(rules=chosen, config=IndexConfig(), manual=world.manual)
        documents: Any = SimpleNamespace(
            context=context, read=world.read, claim=attrgetter("content_hash")
        )
        super().__init__(documents, self.recent, world, DocumentDates())

    def made(
        self, *batch: IncomingDocument, found: Sequence[Original] = ()
    ) -> list[tuple[str, str, str | None]]:
        """Return what is decided where each document has the same candidates."""
        self.decisions, self.stored = self.decide(batch, [found] * len(batch))
        return [(each.id, each.action, each.other) for each in self.decisions]

    def known(self) -> dict[str, bool]:
        """Return what of `abcd` was written lately, and whether it is there."""
        return {id: entry.exists for id in "abcd" if (entry := self.recent.get(id)) is not None}

    def originals(self) -> set[str]:
        """Return what of `abcd` later ones may be versions of."""
        return {each.id for each in self.recent.originals("abcd")}


def test_a_version_of_a_document_of_the_index_rests_on_what_is_read_of_it() -> None:
    world = World({"a": FIRST})
    decider = Decider(world)
    assert decider.made(incoming("b", NEAR), found=[world.original("a")]) == [("b", "skip", "a")]
    assert decider.stored == {"a": world.row("a")}
    assert (decider.known(), world.reserved) == ({}, [{}])


def test_what_is_gone_or_has_another_text_by_now_is_no_original() -> None:
    for texts in ({}, {"a": make_text(9)}):
        world = World({**texts, "z": LONGER})
        decider = Decider(world)
        found = [world.original("a", FIRST), world.original("z")]
        assert decider.made(incoming("b"), found=found) == [("b", "skip", "z")]
        assert set(decider.stored) == {"z"}
        assert world.reads == [["a"], ["z"]]
    # One that is known is not read again.
    world = World({"z": LONGER})
    found = [world.original("a", FIRST), world.original("z")]
    batch = [incoming("b"), incoming("c", LONGER.upper())]
    assert Decider(world).made(*batch, found=found)[1] == ("c", "skip", "z")
    assert world.reads == [["a", "z"], []]


def test_within_a_batch_a_version_is_one_of_what_is_written() -> None:
    world = World()
    decider = Decider(world)
    batch = [incoming("a"), incoming("b", NEAR), incoming("c", FIRST.upper())]
    assert decider.made(*batch) == [("a", "write", None), ("b", "skip", "a"), ("c", "skip", "a")]
    assert decider.known() == {"a": True}
    assert decider.stored == {}
    # It is written with the batch, and cannot be read yet.
    assert world.reads == [[]]
    (entry,) = decider.recent.originals("a")
    assert entry.order == 1
    world.texts["a"] = FIRST
    assert decider.made(incoming("d", NEAR)) == [("d", "skip", "a")]
    assert world.reads == [[], ["a"]]


def test_what_is_flagged_has_no_versions() -> None:
    decider = Decider(World(), "flag")
    batch = [incoming("a"), incoming("b", NEAR), incoming("c", NEAR)]
    assert decider.made(*batch) == [("a", "write", None), ("b", "flag", "a"), ("c", "flag", "a")]
    assert (decider.originals(), decider.known()) == ({"a"}, dict.fromkeys("abc", True))


def test_what_is_replaced_is_not_there_any_more() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, "replace")
    batch = [incoming("a", f"{FIRST} x"), incoming("b", LONGER), incoming("c", FIRST)]
    found = [world.original("z")]
    assert decider.made(*batch, found=found) == [
        ("a", "replace", "z"), ("b", "replace", "a"), ("c", "skip", "b")
    ]  # fmt: skip
    assert decider.known() == {"a": False, "b": True}
    assert decider.recent.exists("z") is False
    assert decider.originals() == {"b"}
    assert [each.order for each in decider.recent.originals("b")] == [2]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_document_exists_as_the_run_left_it(is_there: bool) -> None:
    decider = Decider(World())
    # The index had it, or not, before the run wrote or replaced it.
    decider.recent.put("b", None, exists=is_there)
    decider.made(incoming("b", exists=not is_there))
    assert [each.exists for each in decider.decisions] == [is_there]
    decider.made(incoming("c", exists=is_there))
    assert [each.exists for each in decider.decisions] == [is_there]


def test_a_document_is_no_version_of_itself_nor_of_what_the_run_has_changed() -> None:
    world = World({"a": FIRST, "b": FIRST})
    decider = Decider(world)
    assert decider.made(incoming("a"), found=[world.original("a")]) == [("a", "write", None)]
    decider.recent.put("b", incoming("b", make_text(9)).as_original())
    stale = [world.original("b")]
    assert decider.made(incoming("c", NEAR), found=stale) == [("c", "skip", "a")]
    assert decider.made(incoming("d", make_text(9)), found=stale) == [("d", "write", None)]


def test_empty_texts_are_versions_of_nothing() -> None:
    decider = Decider(World())
    assert decider.made(incoming("a", "…"), incoming("b", "…")) == [
        ("a", "write", None), ("b", "write", None)
    ]  # fmt: skip
    assert (decider.originals(), decider.world.reserved) == (set(), [{}])


def test_what_a_person_decided_binds() -> None:
    pair = SimpleNamespace(
        keeps_apart=lambda one, other: {one, other} == {"a", "b"},
        joined_with=lambda id: frozenset({"a", "s"} - {id}) if id in ("c", "s") else frozenset(),
    )
    world = World({"a": FIRST, "s": make_text(9)}, manual=pair)
    decider = Decider(world, "flag")
    found = [world.original("a"), world.original("s")]
    assert decider.made(incoming("b", NEAR), found=found) == [("b", "write", None)]
    assert decider.made(incoming("c", make_text(8)), found=found) == [("c", "flag", "a")]
    # Also among what was written a moment ago, and each of them once.
    decider = Decider(World(manual=pair), "flag")
    assert decider.made(incoming("a"), incoming("b", NEAR), incoming("c", make_text(8))) == [
        ("a", "write", None), ("b", "write", None), ("c", "flag", "a")
    ]  # fmt: skip


def test_what_a_person_joined_is_not_cut() -> None:
    joined = SimpleNamespace(
        keeps_apart=lambda *_: False,
        joined_with=lambda id: frozenset({"z"} if id == "b" else ()),
    )
    texts = {f"n{number:02}": revise(FIRST, number, 0.04) for number in range(25)}
    world = World({**texts, "z": make_text(9)}, manual=joined)
    found = [world.original(id) for id in world.texts]
    assert Decider(world).made(incoming("b"), found=found) == [("b", "skip", "z")]


def test_new_originals_are_reserved_but_no_copies() -> None:
    world = World({"z": make_text(5)})
    decider = Decider(world, "flag", kinds=("exact",))
    a, b = incoming("a", routing="r"), incoming("b", FIRST)
    batch = [a, b, incoming("c", make_text(3)), incoming("d", make_text(5))]
    decider.made(*batch, found=[world.original("z")])
    wanted = {a.content_hash: DocumentRef(None, "a", "r"),
              batch[2].content_hash: DocumentRef(None, "c")}  # fmt: skip
    assert world.reserved == [wanted]
    assert decider.reserved == {content_hash: ref.id for content_hash, ref in wanted.items()}


def test_of_copies_that_do_not_count_the_first_has_the_reservation() -> None:
    world = World()
    decider = Decider(world, kinds=("version",))
    decider.made(incoming("a"), incoming("b"))
    assert list(decider.reserved.values()) == ["a"]


def test_a_document_that_replaces_a_copy_or_a_version() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, "replace")
    longer = incoming("b", LONGER)
    assert decider.made(longer, found=[world.original("z")]) == [("b", "replace", "z")]
    assert decider.reserved == {longer.content_hash: "b"}
    # One that replaces a copy of it takes the reservation of that.
    newest = Decider(World({"z": FIRST}), "replace", keep="newest", date_field="date")
    newer = incoming("b", date=2.0)
    assert newest.made(newer, found=[newest.world.original("z")]) == [("b", "replace", "z")]
    assert newest.reserved == {newer.content_hash: "b"}
    assert newest.world.replaced == [{newer.content_hash: "z"}]
    # Where they come together, the last one has it, in place of what the first was to replace.
    both = Decider(World({"z": FIRST}), "replace", keep="newest", date_field="date")
    batch = [incoming("a", date=1.0), newer]
    both.made(*batch, found=[both.world.original("z")])
    assert (both.reserved, both.world.replaced) == (newest.reserved, newest.world.replaced)


def test_of_two_writers_that_replace_a_copy_the_second_meets_the_first() -> None:
    world = World({"z": FIRST, "x": FIRST})
    newer = incoming("b", date=2.0)
    world.owned = {newer.content_hash: world.row("x")}
    acquire = world.acquire

    def acquired(wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]) -> dict[str, Row]:
        owned = acquire(wanted, replaced)
        return {} if "x" in replaced.values() else owned

    world.acquire = acquired  # type: ignore[method-assign]
    decider = Decider(world, "replace", keep="newest", date_field="date")
    # The other writer has replaced `z`, which is still there.
    assert decider.made(newer, found=[world.original("z")]) == [("b", "replace", "x")]
    assert world.replaced == [{newer.content_hash: "z"}, {newer.content_hash: "x"}]
    assert decider.reserved == {newer.content_hash: "b"}


def test_another_writer_that_was_quicker_has_the_original() -> None:
    text, other = incoming("b"), incoming("d", make_text(3))
    world = World({"x": FIRST})
    world.owned = {text.content_hash: world.row("x")}
    decider = Decider(world)
    batch = [text, incoming("c", NEAR), other]
    # Of its versions a batch knows nothing; those are left to `families`.
    assert decider.made(*batch) == [
        ("b", "skip", "x"), ("c", "write", None), ("d", "write", None)
    ]  # fmt: skip
    assert decider.known() == {"c": True, "d": True}
    assert decider.stored["x"] == world.row("x")
    (owner,) = [each.original for each in decider.decisions[:1]]
    assert owner is not None
    assert (owner.ref, owner.family, owner.date) == (DocumentRef("i", "x"), "of x", None)
    # What was reserved stays reserved.
    assert [list(each) for each in world.reserved] == [
        [text.content_hash, other.content_hash],
        [batch[1].content_hash, other.content_hash],
    ]
    assert decider.reserved[other.content_hash] == "d"
    # No batch has the reservations of the one before.
    decider.made(incoming("a", make_text(4)))
    assert list(decider.reserved.values()) == ["a"]


def test_copies_of_what_another_writer_has_are_not_reserved() -> None:
    # Copies do not count here: both are written, and the other writer has the reservation.
    text = incoming("b")
    world = World({"x": FIRST})
    world.owned = {text.content_hash: world.row("x")}
    decider = Decider(world, kinds=("version",))
    assert decider.made(text) == [("b", "write", None)]
    assert [list(each) for each in world.reserved] == [[text.content_hash], []]
    assert (decider.reserved, decider.known()) == ({}, {"b": True})


def test_a_reservation_is_asked_for_again_when_its_document_is_gone() -> None:
    text = incoming("b")
    world = World({"x": FIRST})
    world.owned = {text.content_hash: world.row("x")}
    del world.texts["x"]
    acquire = world.acquire

    def once(wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]) -> dict[str, Row]:
        owned = acquire(wanted, replaced)
        world.owned = {}
        return owned

    world.acquire = once  # type: ignore[method-assign]
    decider = Decider(world)
    assert decider.made(text) == [("b", "write", None)]
    assert [list(each) for each in world.reserved] == [[text.content_hash]] * 2
    assert decider.reserved == {text.content_hash: "b"}


def test_text_that_would_be_lost_is_kept_wherever_the_other_is() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, lose=0.01)
    # The text is read first.
    assert decider.made(incoming("b", LONGER), found=[world.original("z")]) == [
        ("b", "retain", "z")
    ]
    assert world.reads == [["z"], []]
    decider = Decider(World(), lose=0.01)
    assert decider.made(incoming("a"), incoming("b", LONGER)) == [
        ("a", "write", None), ("b", "retain", "a")
    ]  # fmt: skip
    assert (decider.originals(), decider.known()) == ({"a"}, {"a": True, "b": True})
    decider = Decider(World(), lose=0.01)
    assert decider.made(incoming("a", LONGER), incoming("b")) == [
        ("a", "write", None), ("b", "skip", "a")
    ]  # fmt: skip
    world = World({"z": LONGER})
    assert Decider(world, lose=0.01).made(incoming("b"), found=[world.original("z")]) == [
        ("b", "skip", "z")
    ]
    # A copy loses nothing, and nothing is read for it but that it is there.
    world = World({"z": FIRST})
    assert Decider(world, lose=0.01).made(incoming("b"), found=[world.original("z")]) == [
        ("b", "skip", "z")
    ]
    assert world.reads == [["z"]]


def failed(decider: Decider, *ids: str) -> None:
    decider.forget(decider.decisions, ids.__contains__)


def test_what_could_not_be_written_is_forgotten() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, "replace")
    longer, other = incoming("b", LONGER), incoming("c", make_text(3))
    decider.made(longer, other, found=[world.original("z")])
    failed(decider)
    assert (decider.known(), decider.recent.exists("z")) == ({"b": True, "c": True}, False)
    assert world.released == []
    failed(decider, "b")
    # What it was to replace is there.
    assert (decider.known(), decider.recent.exists("z")) == ({"c": True}, True)
    assert [each.id for each in decider.recent.originals("z")] == ["z"]
    assert world.released == [longer.content_hash]
    failed(decider, "c")
    assert (decider.known(), decider.recent.exists("z")) == ({}, True)


def test_of_a_chain_that_was_not_written_the_first_is_there_again() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, "replace")
    longer = incoming("b", LONGER)
    decider.made(incoming("a", f"{FIRST} x"), longer, found=[world.original("z")])
    decider.decisions = with_superseded(decider.decisions)
    failed(decider, "b")
    assert (decider.known(), decider.recent.exists("z")) == ({}, True)
    assert world.released == [longer.content_hash]


def test_what_is_written_in_place_of_a_copy_has_the_reservation() -> None:
    decider = Decider(World(), "replace", keep="newest", date_field="date")
    older, newer = incoming("a", date=1.0), incoming("b", date=2.0)
    assert decider.made(older, newer) == [("a", "write", None), ("b", "replace", "a")]
    assert decider.reserved == {newer.content_hash: "b"}


def test_what_was_flagged_and_failed_puts_nothing_back() -> None:
    world = World({"z": FIRST})
    decider = Decider(world, "flag")
    decider.made(incoming("b", NEAR), found=[world.original("z")])
    failed(decider, "b")
    assert (decider.known(), decider.recent.exists("z")) == ({}, None)


def test_decisions_are_named_by_their_documents() -> None:
    decider = Decider(World())
    decider.made(incoming("a"))
    assert [type(each) for each in decider.decisions] == [Decision]
