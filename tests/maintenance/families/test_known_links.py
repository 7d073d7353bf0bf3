"""Runs over what changed read what was linked before, and search for what is new alone."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.maintenance.families import find_families
from es_simhash.maintenance.families.family_reader import FamilyReader
from tests.support.shelf import in_memory

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("by_searches")]

Texts = dict[str, str]
Make = Callable[..., str]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Hashes of the texts whose candidates are retrieved."""
    hashes: set[str] = set()
    candidates = FamilyReader.candidates

    def counted(reader: FamilyReader, texts: Any, excluded: Any) -> Any:
        hashes.update(text.content_hash for text in texts)
        return candidates(reader, texts, excluded)

    monkeypatch.setattr(FamilyReader, "candidates", counted)
    return hashes


def chained(make_text: Make, revise: Make, chain: str, seed: int, steps: int) -> Texts:
    """Return successive revisions of a text: all are linked, and they make several families."""
    texts = {f"{chain}-0": make_text(seed)}
    for step in range(1, steps):
        texts[f"{chain}-{step}"] = revise(texts[f"{chain}-{step - 1}"], 31 * seed + step, 0.1)
    return texts


def components(shelf: Any) -> list[set[str]]:
    """Return the families that the state index says are linked."""
    query = {"term": {"kind": "component"}}
    found = shelf.client.search(index=f"{shelf.name}-simhash", query=query, size=1000)
    return [set(hit["_source"]["family"]) for hit in found["hits"]["hits"]]


def hashes(shelf: Any, *ids: str) -> set[str]:
    found = (shelf.client.get(index=shelf.name, id=id) for id in ids)
    return {hit["_source"]["simhash"]["content_hash"] for hit in found}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("way", ["always of all", "later by searches"], indirect=True)
def test_families_that_are_linked_are_known_together(
    shelf: Any, make_text: Make, revise: Make, way: str
) -> None:
    texts = chained(make_text, revise, "a", 1, 8) | chained(make_text, revise, "b", 2, 8)
    half = len(texts) // 2
    shelf.put(dict(list(texts.items())[half:]))
    shelf.find()
    shelf.put(dict(list(texts.items())[:half]))
    shelf.find()
    names = shelf.names()
    by_chain = [{names[id] for id in names if id[0] == chain} for chain in "ab"]
    assert all(len(families) > 1 for families in by_chain), "chains that are one family say nothing"
    assert sorted(components(shelf), key=sorted) == sorted(by_chain, key=sorted)


@pytest.mark.long
def test_only_what_is_new_is_searched_for(
    shelf: Any, make_text: Make, revise: Make, searched: set[str]
) -> None:
    texts = chained(make_text, revise, "a", 1, 8) | {"alone": make_text(9)}
    shelf.put(texts)
    shelf.find()
    searched.clear()
    new = {"new": revise(texts["a-7"], 77)}
    shelf.put(new)
    report = shelf.find()
    assert searched == hashes(shelf, "new")
    assert report.queried == 1
    # All that is linked with it takes part all the same.
    assert report.documents == 9
    assert shelf.families() == in_memory({**texts, **new})
    found = shelf.names()
    assert components(shelf) == [{found[id] for id in found if id != "alone"}]


@pytest.mark.long
def test_what_is_left_of_a_family_is_not_searched_for(
    shelf: Any, texts: Texts, searched: set[str]
) -> None:
    shelf.put(texts)
    shelf.find()
    searched.clear()
    for id in ("t0-1", "t5-1"):
        shelf.delete(id)
        del texts[id]
    shelf.find()
    assert searched == set()
    assert shelf.families() == in_memory(texts)


@pytest.mark.long
def test_what_was_written_with_a_family_since_is_searched_for(
    shelf: Any, texts: Texts, searched: set[str]
) -> None:
    shelf.put(texts)
    shelf.find()
    # Another program gives a document of another text the family of these.
    source = shelf.client.get(index=shelf.name, id="t0-1")["_source"]
    other = shelf.client.get(index=shelf.name, id="t11-1")["_source"]
    family = {"family": source["simhash"]["family"], "representative": False}
    written = {**other, "simhash": {**other["simhash"], **family}}
    shelf.client.index(index=shelf.name, id="guest", document=written, refresh=True)
    searched.clear()
    shelf.find()
    assert hashes(shelf, "guest") <= searched
    assert shelf.families() == in_memory({**texts, "guest": texts["t11-1"]})


@pytest.mark.long
def test_a_dismissed_pair_that_is_undone_is_compared_again(
    shelf: Any, client: Any, texts: Texts, searched: set[str]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    shelf.put(texts)
    shelf.find()
    dismiss(client, shelf.name, "t7-1", "t7-2")
    shelf.find()
    assert frozenset({"t7-1"}) in shelf.families()
    dismiss(client, shelf.name, "t7-1", "t7-2", undo=True)
    shelf.find()
    assert shelf.families() == in_memory(texts)
    assert searched == set()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("seed", range(3))
def test_rounds_of_writes_and_deletions_give_what_one_run_over_all_gives(
    shelf: Any, make_text: Make, revise: Make, seed: int, searched: set[str]
) -> None:
    chosen = random.Random(seed)
    held: Texts = {}
    for number in range(6):
        held |= chained(make_text, revise, f"c{number}", 50 * seed + number, chosen.randint(1, 9))
    shelf.put(held)
    shelf.find()
    # Texts that the first run reads are not searched for.
    assert searched == set()
    new = 0
    for turn in range(6):
        for id in chosen.sample(sorted(held), 2):
            shelf.delete(id)
            del held[id]
        written: Texts = {}
        for original in chosen.sample(sorted(held), 3):
            new += 1
            written[f"n{new}"] = revise(held[original], 1000 * seed + new, 0.1)
        # One that is written again in place of another text, and one that is unlike all.
        written[chosen.choice(sorted(held))] = revise(
            chosen.choice(sorted(held.values())), 9000 + new, 0.1
        )
        written[f"u{turn}"] = make_text(500 + 10 * seed + turn)
        shelf.put(written)
        held |= written
        searched.clear()
        shelf.find()
        assert searched == hashes(shelf, *written)
        assert shelf.families() == in_memory(held)
    before = shelf.names()
    assert shelf.find(everything=True).written == 0
    assert shelf.names() == before


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("everything", [False, True])
def test_the_family_of_a_document_that_was_left_is_linked_with_what_it_was_to_have(
    shelf: Any, client: Any, texts: Texts, monkeypatch: pytest.MonkeyPatch, everything: bool
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import join
    from es_simhash.maintenance.families.family_writer import FamilyWriter

    shelf.put(texts)
    shelf.find()
    before = shelf.names()
    join(client, shelf.name, ["t10-1", "t11-1"])
    # As where another writer has changed what was to be written.
    with monkeypatch.context() as patch:
        patch.setattr(
            FamilyWriter, "write", lambda _, changes: {document.ref for document, _ in changes}
        )
        assert shelf.find(everything=everything).written == 0
    assert components(shelf) == [{before["t10-1"], before["t11-1"]}]


@pytest.mark.long
def test_a_family_of_one_document_that_another_program_has_made_is_searched_for(
    shelf: Any, texts: Texts, make_text: Make, revise: Make, searched: set[str]
) -> None:
    shelf.put(texts)
    shelf.find()
    shelf.put({"guest": revise(texts["t11-1"], 3)})
    members = {"simhash": {"family": "0123456789abcdef", "representative": True}}
    shelf.client.update(index=shelf.name, id="guest", doc=members, refresh=True)
    searched.clear()
    shelf.find()
    assert searched == hashes(shelf, "guest")
    assert frozenset({"t11-1", "guest"}) in shelf.families()


@pytest.mark.long
def test_where_nothing_says_what_was_written_all_is_searched_for(
    shelf: Any, texts: Texts, revise: Make, monkeypatch: pytest.MonkeyPatch, searched: set[str]
) -> None:
    from es_simhash.maintenance.families import recent_writes

    monkeypatch.setattr(recent_writes, "known_checkpoints", lambda *_: None)
    shelf.put(texts)
    shelf.find()
    new = {"new": revise(texts["t0-1"], 3)}
    shelf.put(new)
    shelf.find()
    assert searched == hashes(shelf, "new", "t0-1", "t0-2", "t0-3")
    assert shelf.families() == in_memory({**texts, **new})


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("scheme", [None, "another"])
def test_links_by_another_scheme_are_searched_for(
    shelf: Any, texts: Texts, revise: Make, searched: set[str], scheme: str | None
) -> None:
    shelf.put(texts)
    shelf.find()
    state = f"{shelf.name}-simhash"
    (left,) = shelf.client.search(index=state, query={"term": {"kind": "counts"}})["hits"]["hits"]
    entry = {name: value for name, value in left["_source"].items() if name != "scheme"}
    # As an earlier release has left it, and as after an upgrade of the scheme.
    entry |= {} if scheme is None else {"scheme": scheme}
    shelf.client.index(index=state, id=left["_id"], document=entry, refresh=True)
    for number in range(2):
        new = {f"new-{number}": revise(texts["t0-1"], 3 + number)}
        shelf.put(new)
        texts |= new
        searched.clear()
        shelf.find()
        assert searched > hashes(shelf, *new)
        assert shelf.families() == in_memory(texts)
    shelf.find(everything=True)
    new = {"last": revise(texts["t0-1"], 5)}
    shelf.put(new)
    searched.clear()
    shelf.find()
    assert searched == hashes(shelf, "last")


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts were compared with each other anew, for each time that any were."""
    counts = []
    links_among = find_families.links_among

    def counted(texts: Any, *args: Any, **more: Any) -> Any:
        counts.append(len(texts))
        return links_among(texts, *args, **more)

    monkeypatch.setattr(find_families, "links_among", counted)
    return counts


@pytest.mark.long
def test_links_of_linked_families_are_stored(
    shelf: Any, client: Any, make_text: Make, revise: Make, compared: list[int]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    texts = chained(make_text, revise, "a", 1, 8)
    shelf.put(texts)
    shelf.find()
    for number in range(3):
        new = {f"n{number}": revise(texts["a-7"], 70 + number)}
        shelf.put(new)
        texts |= new
        shelf.find()
        assert shelf.families() == in_memory(texts)
    assert compared == []
    # Where a pair was dismissed, a link may be missing: they are compared until all are known.
    dismiss(client, shelf.name, "a-6", "a-7")
    shelf.find()
    dismiss(client, shelf.name, "a-6", "a-7", undo=True)
    shelf.find()
    assert compared == [len(texts)]
    assert shelf.families() == in_memory(texts)
    before = shelf.names()
    assert shelf.find(everything=True).written == 0
    assert shelf.names() == before


@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.usefixtures("by_searches")
def test_a_dismissal_ends_with_its_document_though_a_copy_of_it_is_left(
    shelf: Any, client: Any, texts: Texts, everything: bool
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    shelf.put({**texts, "copy": texts["t7-1"]})
    shelf.find()
    dismiss(client, shelf.name, "t7-1", "t7-2")
    # By either kind of run it is known later that the two may be linked.
    shelf.find(everything=everything)
    assert {"t7-1", "copy"} in shelf.families()
    shelf.delete("t7-1")
    shelf.find()
    assert {"copy", "t7-2"} in shelf.families()


@pytest.mark.long
def test_texts_of_two_linked_families_that_were_parted_are_compared_when_that_is_undone(
    shelf: Any, client: Any, make_text: Make, revise: Make
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    texts = chained(make_text, revise, "a", 1, 8)
    for everything in (True, False):
        shelf.put(texts)
        middle = ("a-3", "a-4")
        dismiss(client, shelf.name, *middle)
        shelf.find(everything=everything)
        dismiss(client, shelf.name, *middle, undo=True)
        shelf.find()
        assert shelf.families() == in_memory(texts)
