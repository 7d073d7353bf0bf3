"""An answer is a sequence of relations that knows whether a limit cut it, and never changes."""

from dataclasses import FrozenInstanceError, replace

import pytest

from es_simhash import Answer, Relation
from es_simhash.relation.relation import Coverage

RELATIONS = [
    Relation(id, "version", score, Coverage(0.5, 0.5))
    for id, score in (("a", 0.9), ("b", 0.8), ("c", 0.7))
]


def test_a_slice_of_an_answer_is_truncated_as_the_whole_is() -> None:
    cut = Answer(RELATIONS, truncated=True)
    assert isinstance(cut[:2], Answer)
    assert cut[:2].truncated
    assert cut[:2] == RELATIONS[:2]
    assert not Answer(RELATIONS)[1:].truncated


def test_one_relation_of_an_answer_is_that_relation() -> None:
    assert Answer(RELATIONS)[1] is RELATIONS[1]
    assert Answer(RELATIONS)[-1].id == "c"


def test_an_answer_with_each_relation_changed_stays_an_answer() -> None:
    changed = Answer(RELATIONS, truncated=True).map(lambda relation: replace(relation, score=1.0))
    assert changed.truncated
    assert [relation.score for relation in changed] == [1.0, 1.0, 1.0]
    assert [relation.score for relation in RELATIONS] == [0.9, 0.8, 0.7]


def test_an_answer_cannot_be_changed() -> None:
    answer = Answer(RELATIONS)
    with pytest.raises(FrozenInstanceError):
        answer.truncated = True  # type: ignore[misc]
    assert not hasattr(answer, "append")
    assert replace(answer, truncated=True).extent == answer.extent
    assert answer == RELATIONS == list(answer)
    assert answer != RELATIONS[:2]
    assert len(answer) == 3
    assert not Answer()
