"""What is measured of a sample, against the same counted by hand."""

from typing import Any

import pytest

from es_simhash.errors import DocumentAmbiguous, DocumentMissing
from es_simhash.maintenance.plans.cost_model import EVERYTHING, REFERENCE, TEXT, VERSIONS, constant
from es_simhash.maintenance.plans.measured_sample import (
    measured_file,
    measured_index,
    question_times,
    shared_pairs,
    stored_choice,
)
from es_simhash.maintenance.plans.sample_texts import Sample, SampledText, sample_of_index
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_prose

TEXTS = [" ".join(make_prose(seed, 12)) for seed in range(10)]


def sample_of(texts: list[str]) -> Sample:
    documents = [SampledText(str(n), text, b'{"text":"%d"}' % n) for n, text in enumerate(texts)]
    return Sample(documents, 0)


def test_pairs_that_share_text_are_counted() -> None:
    copies = [*TEXTS, TEXTS[0], TEXTS[1]]
    assert shared_pairs(TEXTS) == 0
    # Two of the 66 pairs of twelve texts.
    assert shared_pairs(copies) == pytest.approx(2 / 66)
    assert shared_pairs(TEXTS[:1]) == shared_pairs([]) == 0


def test_without_a_cluster_constants_say_what_it_takes() -> None:
    figures = measured_file(None, sample_of(TEXTS), "ten texts")
    assert figures.documents == 10
    assert figures.characters == sum(map(len, TEXTS)) / 10
    assert figures.stored[TEXT] < figures.stored[VERSIONS] < figures.stored[EVERYTHING]
    assert 0 < figures.client_seconds[VERSIONS] < figures.client_seconds[EVERYTHING]
    assert (figures.asked, figures.question_ms) == (REFERENCE.asked, REFERENCE.question_ms)


@pytest.mark.cluster
def test_on_a_cluster_bytes_and_questions_are_measured_and_nothing_is_left(client: Any) -> None:
    before = set(client.indices.get(index="*", expand_wildcards="all"))
    figures = measured_file(Gateway.of(client), sample_of(TEXTS), "ten texts")
    left = set(client.indices.get(index="*", expand_wildcards="all")) - before
    assert not {name for name in left if name.startswith("es-simhash-plan-")}
    assert figures.asked == 10
    assert figures.stored[TEXT] < figures.stored[VERSIONS] < figures.stored[EVERYTHING]
    assert all(seconds > 0 for seconds in figures.engine_seconds.values())
    assert figures.question_ms.keys() == {VERSIONS, EVERYTHING}


@pytest.mark.cluster
def test_an_index_counts_by_its_own_size_and_is_only_read(
    client: Any, sample: str, requests_of: list[str]
) -> None:
    gateway = Gateway.of(client)
    drawn = sample_of_index(gateway, sample, IndexConfig())
    figures = measured_index(gateway, sample, IndexConfig(), drawn)
    stats = client.indices.stats(index=sample, metric="store,docs")["_all"]["primaries"]
    own = stats["store"]["size_in_bytes"] / stats["docs"]["count"]
    assert figures.stored[EVERYTHING] * constant("loaded_over_merged") == pytest.approx(own)
    assert figures.asked == stats["docs"]["count"]
    writing = ("PUT", "DELETE", "_bulk", "_doc", "_update", "_create")
    assert not [each for each in requests_of if any(word in each for word in writing)]


class _Asked:
    """An index of which two documents cannot be asked about."""

    def related(self, *, id: str, options: object) -> None:
        if id == "twice":
            raise DocumentAmbiguous(id)
        if id == "gone":
            raise DocumentMissing(id)


def test_documents_that_no_question_can_be_asked_about_are_passed_over() -> None:
    asked: Any = _Asked()
    assert question_times(asked, ["twice", "here", "gone"]).keys() == {VERSIONS, EVERYTHING}
    assert question_times(asked, ["twice", "gone"]) == {}


@pytest.mark.cluster
def test_what_an_index_has_is_known_of_its_documents(
    client: Any, sample: str, index_name: str, write: Any
) -> None:
    gateway = Gateway.of(client)
    assert stored_choice(gateway, sample, IndexConfig()) == EVERYTHING
    write(index_name, {"1": {"text": "a text"}})
    assert stored_choice(gateway, index_name, IndexConfig()) == TEXT
    install(client, index_name)
    assert stored_choice(gateway, index_name, IndexConfig()) == TEXT
