"""Searches for the candidates of what is new: what is compared, and that none is missed."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.maintenance.families import family_reader, link_graph
from es_simhash.pairs import text_links
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.scoring import link_score
from tests.support.shelf import in_memory

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("by_searches")]

Texts = dict[str, str]
Make = Callable[..., str]


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str]]:
    """Pairs of texts that are scored, by their hashes."""
    pairs = []

    def counted(one: StoredText, other: StoredText, threshold: float) -> float:
        pairs.append(frozenset((one.content_hash, other.content_hash)))
        return link_score(one, other, threshold)

    monkeypatch.setattr(text_links, "link_score", counted)
    return pairs


def phrased(make_text: Make, numbers: range) -> Texts:
    """Return texts that share a phrase and nothing else."""
    phrase = make_text(1000, 36).replace(".", "")
    return {
        f"p{seed}": f"{make_text(seed, 201)} {phrase} {make_text(seed + 500, 201)}"
        for seed in numbers
    }


@pytest.mark.long
def test_pairs_without_a_chance_are_not_scored(
    shelf: Any, make_text: Make, revise: Make, scored: list[frozenset[str]]
) -> None:
    before = phrased(make_text, range(30))
    new = {**phrased(make_text, range(30, 40)), "revised": revise(before["p3"], 1, 0.05)}
    shelf.put(before)
    shelf.find()
    scored.clear()
    shelf.put(new)
    report = shelf.find()
    # Each of the new ones shares two shingles with the 40 others.
    assert 1 <= len(scored) < 50
    assert [set(family.members) for family in report.families] == [{"p3", "revised"}]
    assert shelf.families() == in_memory({**before, **new})


@pytest.mark.long
def test_the_families_are_those_of_a_run_over_everything(
    shelf: Any, texts: Texts, revise: Make
) -> None:
    shelf.put(texts)
    shelf.find()
    shelf.put({f"{id}-new": revise(text, 5) for id, text in texts.items()})
    shelf.find()
    incremental = shelf.names()
    shelf.find(everything=True)
    assert shelf.names() == incremental


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("size", [1, 2, 7])
def test_what_does_not_fit_in_a_response_is_in_the_next(
    shelf: Any, make_text: Make, revise: Make, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(family_reader, "CANDIDATES", size)
    texts = phrased(make_text, range(10))
    texts |= {f"copy-{number}": texts["p1"] for number in range(8)}
    shelf.put(texts)
    shelf.find()
    new = {"near": revise(texts["p1"], 1), "far": revise(texts["p4"], 1, 0.2)}
    shelf.put(new)
    report = shelf.find()
    assert report.truncated == ()
    assert shelf.families() == in_memory({**texts, **new})


def test_a_text_with_more_candidates_than_are_compared_is_reported(
    shelf: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(family_reader, "CANDIDATES", 4)
    monkeypatch.setattr(link_graph, "_MAX_CANDIDATES", 8)
    shelf.put(phrased(make_text, range(20)))
    shelf.find()
    shelf.put(phrased(make_text, range(20, 21)))
    assert shelf.find().truncated == ("p20",)


BROKEN = {
    "chunks": [None, "AAAA"],
    "sketch": [None, "AAAA"],
    # Terms of four letters of base64.
    "shingles": [["five!"]],
}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    ("part", "value"), [(part, value) for part, values in BROKEN.items() for value in values]
)
def test_a_candidate_whose_stored_parts_lack_or_are_broken_is_compared_by_its_text(
    shelf: Any, texts: Texts, revise: Make, part: str, value: Any
) -> None:
    shelf.put(texts)
    shelf.find()
    source = shelf.client.get(index=shelf.name, id="t9-1")["_source"]
    stored = source["simhash"]
    if value is None:
        del stored[part]
    else:
        stored[part] = stored[part] + value if part == "shingles" else value
    shelf.client.index(index=shelf.name, id="t9-1", document=source, refresh=True)
    shelf.put({"new": revise(texts["t9-1"], 1)})
    report = shelf.find()
    assert frozenset({"t9-1", "new"}) in shelf.families()
    assert report.skipped == ()


@pytest.mark.long
def test_a_candidate_that_was_changed_by_another_program_is_left_alone(
    shelf: Any, texts: Texts, make_text: Make, revise: Make
) -> None:
    shelf.put(texts)
    shelf.find()
    shelf.client.update(index=shelf.name, id="t9-1", doc={"text": make_text(88)}, refresh=True)
    shelf.put({"new": revise(texts["t9-1"], 1)})
    report = shelf.find()
    assert report.skipped == ("t9-1",)
    assert frozenset({"new"}) in shelf.families()
