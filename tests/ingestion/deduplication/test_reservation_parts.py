"""Reservations as a function of what is stored and of time, which a model of both gives."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.ingestion.deduplication.reservations import (
    MAX_AGE,
    Reservations,
)
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.installation.reserved_texts import ReservedText
from es_simhash.store.rows import Row

LEASE = 30.0


@dataclass
class World:
    """The texts that are reserved, the documents that are there, and a time that passes by waiting.

    Attributes:
        held: Reservations by content hash.
        documents: Content hashes of documents, by id.
        events: What happens when that many seconds have passed.
        now: Those seconds.
        asked: Hashes of each attempt to reserve.
        refreshed: How often searches were brought up to date.
    """

    held: dict[str, ReservedText] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    events: list[tuple[float, Callable[[], object]]] = field(default_factory=list)
    now: float = 0.0
    asked: list[list[str]] = field(default_factory=list)
    refreshed: int = 0
    writes: int = 0

    def hold(self, content_hash: str, id: str, run: str = "other", at: int = 0) -> None:
        """Let a run reserve a text."""
        self.writes += 1
        text = ReservedText(content_hash, DocumentRef(None, id), run, at)
        version = DocumentVersion(DocumentRef("state", content_hash), self.writes, 1)
        self.held[content_hash] = replace(text, version=version)

    def holders(self) -> dict[str, str]:
        """Return the id of the document for which each text is reserved."""
        return {content_hash: text.holder.id for content_hash, text in self.held.items()}

    # The documents, as `StoredDocuments` has them.

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        assert self.now < 10 * LEASE, "it waits for ever"
        self.now += seconds
        while self.events and self.events[0][0] <= self.now:
            self.events.pop(0)[1]()

    def read_documents(self, refs: Sequence[DocumentRef], parts: Any = None) -> list[Row | None]:
        return [
            Row(ref, content_hash=self.documents[ref.id]) if ref.id in self.documents else None
            for ref in refs
        ]

    def refresh(self) -> None:
        self.refreshed += 1

    # The reservations, as `ReservedTexts` has them.

    def create(self, texts: Iterable[ReservedText]) -> list[str]:
        given = list(texts)
        self.asked.append([text.content_hash for text in given])
        taken = [text.content_hash for text in given if text.content_hash in self.held]
        for text in given:
            if text.content_hash not in taken:
                self.hold(text.content_hash, text.holder.id, text.run, text.at)
        return taken

    def read(self, hashes: Sequence[str]) -> dict[str, ReservedText]:
        return {each: self.held[each] for each in hashes if each in self.held}

    def take_over(self, pairs: Iterable[tuple[ReservedText, ReservedText]]) -> set[str]:
        taken = [
            text for stored, text in pairs if self.held[text.content_hash].version == stored.version
        ]
        for text in taken:
            self.hold(text.content_hash, text.holder.id, text.run, text.at)
        return {text.content_hash for text in taken}

    def release(self, hashes: Iterable[str], run: str) -> None:
        for each in hashes:
            if self.held[each].run == run:
                del self.held[each]

    def before(self, bound: int) -> Iterable[ReservedText]:
        return [text for text in self.held.values() if text.at < bound]

    def forget(self, texts: Iterable[ReservedText]) -> None:
        for text in texts:
            del self.held[text.content_hash]


def reservations(world: World, run: str = "ours", *, clock: int = 1_000) -> Reservations:
    context = SimpleNamespace(run=run, rules=SimpleNamespace(lease=LEASE))
    documents = SimpleNamespace(
        context=context,
        store=world,
        read=world.read_documents,
        refresh=world.refresh,
        claim=attrgetter("content_hash"),
    )
    given: Any = documents
    texts: Any = world
    return Reservations(given, texts, clock=lambda: clock, stopwatch=lambda: world.now)


def wanted(ids: Mapping[str, str]) -> dict[str, DocumentRef]:
    return {content_hash: DocumentRef(None, id) for content_hash, id in ids.items()}


def test_free_texts_are_reserved_at_once_in_the_order_of_their_hashes() -> None:
    world = World()
    assert reservations(world).acquire(wanted({"b": "2", "a": "1", "c": "3"}), {}) == {}
    assert world.holders() == {"a": "1", "b": "2", "c": "3"}
    assert (world.asked, world.now) == ([["a", "b", "c"]], 0.0)
    assert {(text.run, text.at) for text in world.held.values()} == {("ours", 1_000)}


def test_nothing_is_reserved_for_nothing() -> None:
    world = World()
    assert reservations(world).acquire({}, {}) == {}
    assert world.asked == []


def test_none_is_held_behind_one_that_is_waited_for() -> None:
    world = World()
    world.hold("b", "x")
    world.hold("d", "y")
    seen = []

    def written() -> None:
        seen.append(world.holders())
        world.documents["x"] = "b"

    world.events = [(5.0, written), (9.0, lambda: world.documents.update(y="d"))]
    owned = reservations(world).acquire(wanted({name: name.upper() for name in "abcde"}), {})
    assert {content_hash: row.ref.id for content_hash, row in owned.items()} == {"b": "x", "d": "y"}
    assert seen == [{"a": "A", "b": "x", "d": "y"}]
    assert world.holders() == {"a": "A", "b": "x", "c": "C", "d": "y", "e": "E"}
    # None is requested twice, except for the one that is waited for.
    assert [each for each in world.asked if len(each) > 1] == [list("abcde"), list("cde")]
    assert 9.0 <= world.now < LEASE


def test_what_another_has_written_is_not_asked_for_again() -> None:
    world = World(documents={"x": "c"})
    world.hold("c", "x")
    world.hold("b", "y")
    world.events = [(1.0, lambda: world.documents.update(y="b"))]
    owned = reservations(world).acquire(wanted({"b": "B", "c": "C", "d": "D"}), {})
    assert sorted(owned) == ["b", "c"]
    assert [each for each in world.asked if len(each) > 1] == [list("bcd")]
    assert world.asked[-1] == ["d"]


@pytest.mark.parametrize(
    ("replaced", "holder", "owned"), [({"a": "x"}, "1", []), ({"a": "y"}, "x", ["a"])]
)
def test_what_replaces_a_copy_takes_its_reservation(
    replaced: dict[str, str], holder: str, owned: list[str]
) -> None:
    world = World(documents={"x": "a", "y": "a"})
    world.hold("a", "x")
    assert sorted(reservations(world).acquire(wanted({"a": "1"}), replaced)) == owned
    assert (world.holders(), world.now) == ({"a": holder}, 0.0)


def test_no_copy_is_taken_behind_one_that_is_waited_for() -> None:
    world = World(documents={"z": "c"})
    world.hold("b", "x")
    world.hold("c", "z")
    world.hold("d", "4", "ours")
    seen = []

    def written() -> None:
        seen.append(world.holders())
        world.documents["x"] = "b"

    world.events = [(5.0, written)]
    ids = {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
    assert reservations(world).acquire(wanted(ids), {"c": "z"}).keys() == {"b"}
    assert seen == [{"a": "1", "b": "x", "c": "z", "d": "4"}]
    assert world.holders() == {**ids, "b": "x"}


def test_copies_are_given_back_where_another_was_quicker_with_one_before() -> None:
    world = World(documents={"y": "a", "z": "b"})
    world.hold("a", "y")
    world.hold("b", "z")
    take_over, seen = world.take_over, list[dict[str, str]]()

    def late(pairs: Iterable[tuple[ReservedText, ReservedText]]) -> set[str]:
        if not seen:
            seen.append(world.holders())
            world.hold("a", "x")
        return take_over(pairs)

    world.take_over = late  # type: ignore[method-assign]

    def written() -> None:
        seen.append(world.holders())
        world.documents["x"] = "a"

    world.events = [(5.0, written)]
    ours = reservations(world)
    assert ours.acquire(wanted({"a": "1", "b": "2"}), {"a": "y", "b": "z"}).keys() == {"a"}
    assert seen == [{"a": "y", "b": "z"}, {"a": "x", "b": "z"}]
    assert world.holders() == {"a": "x", "b": "2"}


def test_a_document_that_has_another_text_by_now_owns_nothing() -> None:
    world = World(documents={"x": "another"})
    world.hold("a", "x")
    assert reservations(world).acquire(wanted({"a": "1"}), {}) == {}
    assert world.holders() == {"a": "1"}
    assert world.now >= LEASE


@pytest.mark.parametrize(("after", "owner"), [(LEASE - 1, "x"), (LEASE + 1, "1")])
def test_a_writer_has_the_time_of_its_lease(after: float, owner: str) -> None:
    world = World()
    world.hold("a", "x")
    world.events = [(after, lambda: world.documents.update(x="a"))]
    owned = reservations(world).acquire(wanted({"a": "1"}), {})
    assert owned.keys() == ({"a"} if owner == "x" else set())
    assert world.holders() == {"a": owner}
    assert min(after, LEASE) <= world.now < min(after, LEASE) + 0.25


def test_a_lease_that_has_just_passed_is_over() -> None:
    world = World()
    world.hold("a", "x")
    ticks = chain([0.0, 0.0], repeat(LEASE))
    ours = reservations(world)
    ours._stopwatch = lambda: next(ticks)
    assert ours.acquire(wanted({"a": "1"}), {}) == {}


def test_of_a_writer_that_let_a_lease_pass_nothing_from_before_is_waited_for() -> None:
    world = World()
    for at, name in enumerate("abc"):
        world.hold(name, name, "dead", at=10 * at)
    ours = reservations(world)
    assert ours.acquire(wanted({"b": "1"}), {}) == {}
    began = world.now
    # At the same moment, and before.
    world.hold("same", "s", "dead", at=10)
    assert ours.acquire(wanted({"a": "2", "same": "3"}), {}) == {}
    assert world.now == began
    # What it reserved after that shows it at work; so do other runs.
    assert ours.acquire(wanted({"c": "4"}), {}) == {}
    assert world.now >= began + LEASE
    began = world.now
    world.hold("d", "d", "another", at=0)
    assert ours.acquire(wanted({"d": "5"}), {}) == {}
    assert world.now >= began + LEASE


def test_a_run_takes_its_own_reservations_for_another_document_at_once() -> None:
    world = World()
    world.hold("a", "1", "ours")
    assert reservations(world).acquire(wanted({"a": "2"}), {}) == {}
    assert (world.holders(), world.now) == ({"a": "2"}, 0.0)
    # Nothing is known of another writer by that.
    world.hold("b", "3", "ours", at=0)
    ours = reservations(world)
    ours.acquire(wanted({"b": "4"}), {})
    assert ours._dead == {}


def test_a_reservation_for_the_same_document_is_taken_at_once() -> None:
    world = World()
    world.hold("a", "1", "killed", at=5)
    assert reservations(world).acquire(wanted({"a": "1"}), {}) == {}
    assert (world.held["a"].run, world.now) == ("ours", 0.0)


def test_what_was_reserved_before_an_interruption_is_reserved_anew() -> None:
    world = World()
    world.hold("a", "1", "ours", at=2_000)
    (before,) = world.held.values()
    other = reservations(world, "other")
    world.events = [(LEASE / 2, lambda: reservations(world).acquire(wanted({"a": "1"}), {}))]
    world.events.append((LEASE + 1, lambda: world.documents.update({"1": "a"})))
    # Who waits begins anew: whoever has it is at work again, by whatever clock.
    assert other.acquire(wanted({"a": "x"}), {}).keys() == {"a"}
    assert world.holders() == {"a": "1"}
    assert world.held["a"].at > before.at


def test_a_dead_writer_that_goes_on_is_waited_for_by_whatever_clock() -> None:
    world = World()
    world.hold("a", "x", "dead", at=5_000)
    world.hold("b", "y", "dead", at=5_000)
    ours = reservations(world)
    assert ours.acquire(wanted({"a": "1"}), {}) == {}
    # Both were made together.
    assert ours.acquire(wanted({"b": "2"}), {}) == {}
    assert LEASE <= world.now < LEASE + 1
    world.hold("c", "z", "dead", at=4_000)
    assert ours.acquire(wanted({"c": "3"}), {}) == {}
    assert world.now >= 2 * LEASE


def test_a_writer_that_waits_for_dead_ones_is_at_work_itself() -> None:
    world = World()
    world.hold("b", "x", "dead")
    other, seen = reservations(world, "other"), list[bool]()
    world.events = [
        (1.0, lambda: seen.append(other._is_free(world.held["a"]))),
        (5.0, lambda: world.hold("c", "z", "dead as well")),
        (LEASE + 2, lambda: seen.append(other._is_free(world.held["a"]))),
    ]
    ids = {"a": "1", "b": "2", "c": "3"}
    assert reservations(world).acquire(wanted(ids), {}) == {}
    assert (world.holders(), seen) == (ids, [False, False])
    assert world.now >= 2 * LEASE


def test_what_was_taken_over_from_a_writer_that_stood_still_is_asked_for_again() -> None:
    world = World()
    world.hold("b", "x", "dead")
    ours = reservations(world)

    def stands_still() -> None:
        world.hold("a", "y", "other")
        world.documents["y"] = "a"
        world.now += LEASE

    world.events = [(1.0, stands_still)]
    assert ours.acquire(wanted({"a": "1", "b": "2"}), {}).keys() == {"a"}
    assert world.holders() == {"a": "y", "b": "2"}


def test_a_text_that_is_not_wanted_any_more_is_released() -> None:
    world = World()
    ours = reservations(world)
    ours.acquire(wanted({"a": "1", "b": "2"}), {})
    ours.acquire(wanted({"b": "2", "c": "3"}), {})
    assert (world.holders(), world.asked) == ({"b": "2", "c": "3"}, [["a", "b"], ["c"]])
    # What the batch before has written stays reserved.
    ours.begin()
    ours.acquire(wanted({"d": "4"}), {})
    assert world.holders() == {"b": "2", "c": "3", "d": "4"}


def test_who_is_second_to_take_over_waits_for_the_first() -> None:
    world = World()
    world.hold("a", "x", "dead")
    read = world.read
    raced = []

    def race(hashes: Sequence[str]) -> dict[str, ReservedText]:
        found = read(hashes)
        if world.now >= LEASE and not raced:
            raced.append(world.now)
            world.hold("a", "y", "first", at=1)
            world.events = [(world.now + 7, lambda: world.documents.update(y="a"))]
        return found

    world.read = race  # type: ignore[method-assign]
    owned = reservations(world).acquire(wanted({"a": "1"}), {})
    assert owned["a"].ref.id == "y"
    assert world.now >= LEASE + 7


def test_what_was_released_between_two_requests_is_reserved_by_the_next() -> None:
    world = World()
    world.hold("a", "x")
    read = world.read

    def gone(hashes: Sequence[str]) -> dict[str, ReservedText]:
        if not world.now:
            del world.held["a"]
        return read(hashes)

    world.read = gone  # type: ignore[method-assign]
    assert reservations(world).acquire(wanted({"a": "1", "b": "2"}), {}) == {}
    assert world.holders() == {"a": "1", "b": "2"}
    assert 0 < world.now < 1


def test_how_long_one_is_waited_for_begins_anew_with_each_batch() -> None:
    world = World()
    world.hold("a", "x")
    ours = reservations(world)
    world.events = [(LEASE - 5, lambda: world.documents.update(x="a"))]
    ours.acquire(wanted({"a": "1"}), {})
    del world.documents["x"]
    began = world.now
    assert ours.acquire(wanted({"a": "1"}), {}) == {}
    assert world.now >= began + LEASE


def expired(world: World, now: int) -> set[str]:
    """Return the texts that are reserved after the old ones were deleted."""
    reservations(world, clock=now).expire()
    return set(world.held)


def test_reservations_are_old_after_longer_than_a_clock_may_be_wrong() -> None:
    world = World(documents={"1": "a", "2": "another"})
    for name, id in {"a": "1", "b": "2", "c": "3"}.items():
        world.hold(name, id, at=1_000)
    # Also where the document is there: another writer may have searched before it was.
    assert expired(world, 1_000 + MAX_AGE) == {"a", "b", "c"}
    assert world.refreshed == 0
    assert expired(world, 1_001 + MAX_AGE) == set()
    assert world.refreshed == 1


def test_old_reservations_are_looked_through_in_parts() -> None:
    world = World()
    for number in range(1_001):
        world.hold(f"h{number}", str(number))
    assert expired(world, 1 + MAX_AGE) == set()
    assert world.refreshed == 2
