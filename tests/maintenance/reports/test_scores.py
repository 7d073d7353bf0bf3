"""Scores of a sample are those of the documents that can be asked about."""

from collections.abc import Sequence
from typing import Any

import pytest

from es_simhash.errors import ClusterError, DocumentAmbiguous, DocumentMissing
from es_simhash.maintenance.reports.index_report import ScoredPair, ScoreSample
from es_simhash.maintenance.reports.scores import explained_pairs, sample_scores
from es_simhash.store.options import SearchOptions


class OneFails:
    """An index in which one document cannot be asked about, and others are related to none."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def related_to_each(self, ids: Sequence[str], options: Any) -> dict[str, tuple[()]]:
        if "bad" in ids:
            raise self.error
        return dict.fromkeys(ids, ())

    def explain(self, a: str, b: str) -> Any:
        raise self.error


@pytest.mark.parametrize(
    "error", [DocumentMissing("deleted since"), DocumentAmbiguous("in two indices of the alias")]
)
def test_a_document_that_cannot_be_asked_about_is_left_out(error: Exception) -> None:
    index: Any = OneFails(error)
    done = list[int]()
    sample = sample_scores(
        index, ["a", "bad", "b"], SearchOptions(), lambda _, count, __: done.append(count)
    )
    assert (sample.documents, done) == (2, [2])
    pair = ScoredPair("a", "bad", "version", 0.7)
    assert explained_pairs(index, ScoreSample(1, 1, (pair,)), 0.6) == []


def test_a_cluster_that_does_not_answer_is_no_document_to_leave_out() -> None:
    index: Any = OneFails(ClusterError("does not answer"))
    with pytest.raises(ClusterError, match="does not answer"):
        sample_scores(index, ["bad"], SearchOptions(), lambda *_: None)
