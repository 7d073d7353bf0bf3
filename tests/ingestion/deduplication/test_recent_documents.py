"""What was written lately is found as a search of the index finds it, and forgotten in time."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication import recent_documents
from es_simhash.ingestion.deduplication.recent_documents import (
    MAX_CANDIDATES,
    MAX_RECENT,
    MAX_RECENT_SHINGLES,
    RecentDocuments,
    most_shared,
)
from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery, are_found
from es_simhash.ingestion.deduplication.version_decisions import Original
from es_simhash.relation.references import DocumentRef
from tests.ingestion.deduplication.test_decision_parts import original


def made(id: str, shingles: Sequence[int], content_hash: str | None = None, **more: Any) -> Any:
    """Return an original with these shingles."""
    parts = SimpleNamespace(
        shingles=np.array(shingles, np.uint32), content_hash=content_hash or f"hash of {id}"
    )
    return Original(DocumentRef(more.pop("index", None), id), parts, **more)  # type: ignore[arg-type]


def query(shingles: Sequence[int], min_shared: int = 1, content_hash: str = "") -> ShingleQuery:
    return ShingleQuery(content_hash, np.array(shingles, np.uint32), min_shared)


def test_candidates_are_cut_as_the_search_cuts_them() -> None:
    asked = query([1, 2, 3], 1, "same")
    few = [made(f"f{n}", [1], order=70 - n) for n in range(MAX_CANDIDATES)]
    assert most_shared(asked, few) == few
    recent = made("recent", [1, 2], order=1)
    stored = [made("late", [1, 2], index="i", order=9), made("early", [1, 2], index="i", order=3)]
    same = made("same", [], "same", order=50)
    most = most_shared(asked, [*few, recent, *stored, same])
    assert [each.id for each in most[:4]] == ["same", "early", "late", "recent"]
    assert len(most) == MAX_CANDIDATES
    by_order = [made(f"o{n}", [1], order=100 - n) for n in range(MAX_CANDIDATES + 1)]
    assert by_order[0] not in most_shared(asked, by_order)


def test_what_was_written_lately_is_found_by_passages_and_by_the_whole() -> None:
    recent = RecentDocuments()
    text = " ".join(f"word{n}" for n in range(50))
    recent.put("whole", original("whole", text))
    recent.put("short", original("short", "two words"))
    recent.put("other", original("other", " ".join(f"other{n}" for n in range(50))))
    query = ShingleQuery.of(fingerprint(f"{text} and more"))
    assert [each.id for each in recent.search(query)] == ["whole"]
    short = ShingleQuery.of(fingerprint("Two  words"))
    assert [each.id for each in recent.search(short)] == ["short"]


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 3))))
def test_what_is_forgotten_leaves_nothing_behind(steps: list[tuple[str, bool, int]]) -> None:
    recent = RecentDocuments()
    texts = [" ".join(f"w{seed % 2}{n}" for n in range(20)) for seed in range(4)]
    for id, leads, seed in steps:
        before = recent.get(id)
        recent.put(id, original(id, texts[seed]) if leads else None)
        if seed == 3:
            recent.restore(id, before)
    remembered = {id for id in "abc" if id in recent}
    assert len(recent) == len(remembered)
    # A search of before the refresh may not see it yet.
    batch = object()
    recent.keep_for(batch)
    recent.refreshed()
    recent.refreshed()
    assert {id for id in "abc" if id in recent} == remembered
    recent.release(batch)
    recent.refreshed()
    assert len(recent) == 0
    assert not [
        each for text in texts for each in recent.search(ShingleQuery.of(fingerprint(text)))
    ]


def test_a_document_is_forgotten_when_all_that_are_under_way_see_it() -> None:
    recent, early, late = RecentDocuments(), object(), object()
    recent.keep_for(early)
    recent.put("a", original("a", "some words of a text"))
    recent.refreshed()
    recent.keep_for(late)
    recent.put("b", original("b", "other words of a text"))
    recent.refreshed()
    assert "a" in recent
    recent.release(early)
    assert "a" in recent, "nothing is forgotten before a refresh"
    recent.refreshed()
    assert ("a" in recent, "b" in recent) == (False, True)
    recent.release(late)
    recent.release(late)
    recent.refreshed()
    assert len(recent) == 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "copy", "version", "drop", "refresh", "restore", "start", "end"]),
        st.sampled_from("abcd"),
        st.sets(st.integers(0, 5), max_size=4),
    ),
    max_size=25,
)


@given(STEPS)
def test_a_search_finds_what_a_scan_of_all_finds(steps: list[tuple[str, str, set[int]]]) -> None:
    recent, model, now = RecentDocuments(), dict[str, Any](), 0
    epochs: dict[str, int] = {}
    started: dict[str, int] = {}
    for step, id, shingles in steps:
        document = made(id, sorted(shingles), f"hash {len(shingles)}")
        before, epoch = recent.get(id), epochs.get(id)
        if step in ("put", "restore", "copy"):
            recent.put(id, document, exists=step != "copy")
            model[id], epochs[id] = document, now
        if step == "restore":
            recent.restore(id, before)
            if before is None:
                del model[id]
            else:
                model[id], epochs[id] = before.original, epoch
        elif step == "version":
            recent.put(id, None)
            model[id], epochs[id] = None, now
        elif step == "drop":
            recent.drop(id)
            model.pop(id, None)
        elif step == "refresh":
            recent.refreshed()
            now += 1
            kept_from = min([now, *started.values()])
            model = {id: each for id, each in model.items() if epochs[id] >= kept_from}
        elif step == "start":
            recent.keep_for(id)
            started[id] = now
        elif step == "end":
            recent.release(id)
            started.pop(id, None)
    known = {id: each for id, each in model.items() if each is not None}
    assert len(recent) == len(model)
    for least in (1, 2):
        asked = query(range(5), least, "hash 1")
        found = {each.id for each in recent.search(asked)}
        matched = {id for id, each in known.items() if are_found([asked], [each.text])[0, 0]}
        assert found == matched
    assert [each.id for each in recent.originals("dcbax")] == sorted(known)


def test_whether_a_document_is_there_is_known_of_recent_ones_alone() -> None:
    recent = RecentDocuments()
    recent.put("there", made("there", [1]))
    recent.put("skipped", None, exists=False)
    assert [recent.exists(id) for id in ("there", "skipped", "other")] == [True, False, None]
    recent.restore("there", recent.get("skipped"))
    assert recent.exists("there") is False
    assert [each.id for each in recent.search(query([1]))] == []


def test_what_is_restored_is_as_old_as_it_was() -> None:
    recent, batch = RecentDocuments(), object()
    recent.keep_for(batch)
    recent.put("a", made("a", [1]))
    before = recent.get("a")
    recent.refreshed()
    recent.put("a", made("a", [2]))
    recent.restore("a", before)
    assert recent.get("a") == before
    recent.release(batch)
    recent.keep_for(batch)
    recent.refreshed()
    assert "a" not in recent


def test_it_is_full_by_documents_or_by_their_shingles(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MAX_RECENT, MAX_RECENT_SHINGLES) == (2000, 500_000)
    monkeypatch.setattr(recent_documents, "MAX_RECENT", 2)
    monkeypatch.setattr(recent_documents, "MAX_RECENT_SHINGLES", 5)
    recent, endless = RecentDocuments(), RecentDocuments(forgets=False)
    for each in (recent, endless):
        each.put("a", made("a", [1, 2, 3]))
        each.put("b", made("b", [1, 2]))
        assert not each.is_full
    recent.put("b", made("b", [1, 2, 3]))
    assert recent.is_full
    recent.put("b", None)
    assert not recent.is_full
    for each in (recent, endless):
        each.put("c", None)
    assert recent.is_full
    assert not endless.is_full
    recent.keep_for("a batch")
    recent.refreshed()
    assert not recent.is_full, "what is kept for a batch is not in the way of others"
    before = recent.get("a")
    recent.put("a", made("a", [1, 2, 3, 4, 5, 6]))
    assert recent.is_full
    recent.restore("a", before)
    assert not recent.is_full
    recent.put("e", None)
    recent.put("f", None)
    assert not recent.is_full
    recent.put("g", None)
    assert recent.is_full


def test_of_three_with_one_shingle_the_others_are_found_when_one_is_forgotten() -> None:
    recent = RecentDocuments()
    for id in "abc":
        recent.put(id, made(id, [1]))
    for forgotten, found in (("b", ["a", "c"]), ("c", ["a"]), ("a", [])):
        recent.drop(forgotten)
        assert [each.id for each in recent.search(query([1]))] == found
