"""Pairs of related documents from a sample of an index on a real engine."""

import sys
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.sampled_pairs import MAX_SAMPLE, related_pairs
from es_simhash.questions.index import Index
from tests.support.library import TEXTS, fill

pytestmark = pytest.mark.cluster


def test_a_sample_is_bounded_and_the_same_for_the_same_seed(
    client: Any, labelled_index: str
) -> None:
    index = Index(client, labelled_index)
    steps: list[tuple[str, int, int | None]] = []
    found = related_pairs(index, sample=5, seed=3, progress=lambda *step: steps.append(step))
    assert found.documents == 5
    assert found.unreadable == ()
    assert steps == [("documents", 5, 5)]
    # Every pair has a document of the sample, of which each has one version at most here.
    assert sum(pair.kind in ("exact", "version") for pair in found.pairs) <= 5
    assert related_pairs(index, sample=5, seed=3) == found
    assert {pair.ids for pair in related_pairs(index, sample=5, seed=4).pairs} != {
        pair.ids for pair in found.pairs
    }


def test_each_pair_is_there_once_with_the_relation_of_the_index(
    client: Any, labelled_index: str
) -> None:
    index = Index(client, labelled_index)
    found = related_pairs(index, sample=MAX_SAMPLE, seed=1)
    assert found.documents == 24
    assert len({pair.ids for pair in found.pairs}) == len(found.pairs)
    assert all(pair.ids[0] < pair.ids[1] for pair in found.pairs)
    by_ids = {pair.ids: pair for pair in found.pairs}
    assert by_ids["same1", "same2"].kind == "exact"
    for number in range(7):
        pair = by_ids[f"new{number}", f"old{number}"]
        relation = index.explain(f"old{number}", f"new{number}")
        assert (pair.kind, pair.score) == (relation.kind, relation.score)
        # The older one is the first.
        assert pair.first.id == f"old{number}"
    # Documents without any text in common are there too.
    assert min(pair.score for pair in found.pairs) < 0.4


def test_a_text_in_a_language_that_cannot_be_read_here_is_left_out(
    client: Any, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jieba")
    texts = {id: TEXTS[id] for id in ("harbour", "harbour-revised", "zh-bank")}
    documents = ({"id": id, "text": text} for id, text in texts.items())
    fill(client, index, *documents)
    monkeypatch.setitem(sys.modules, "jieba", None)
    found = related_pairs(Index(client, index), sample=3, seed=1)
    assert found.unreadable == ("zh-bank",)
    assert ("harbour", "harbour-revised") in {pair.ids for pair in found.pairs}


@pytest.mark.parametrize("sample", [0, MAX_SAMPLE + 1])
def test_a_sample_outside_of_its_bounds_is_refused(
    client: Any, index_name: str, sample: int
) -> None:
    with pytest.raises(InputError, match=f"between 1 and {MAX_SAMPLE}, got {sample}"):
        related_pairs(Index(client, index_name), sample=sample, seed=1)
