"""What an index finds by the fingerprints of a method, and what the method finds in memory."""

import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import DocumentMissing, InputError, MappingConflict
from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS, fingerprint_method
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.questions.index import Index, SidecarIndex
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from es_simhash.store.options import Limits, Recency, SearchOptions
from tests.support.five_languages import texts
from tests.support.pairs_of_texts import all_pairs

pytestmark = pytest.mark.cluster

TEXTS = texts()
IDS = list(TEXTS)
ALL = SearchOptions(size=1000, min_score=0, limits=Limits(candidates=1000))
ONE = BackfillSettings(processes=1)
Scores = dict[tuple[str, str], float]


@pytest.fixture(scope="module")
def shared_client(cluster_url: str) -> Iterator[Any]:
    with connect(cluster_url) as connected:
        yield connected


@pytest.fixture(scope="module")
def indices(shared_client: Any) -> Iterator[dict[str, Index]]:
    """The texts in an index that ingest wrote, one of 3 shards that backfill filled, a sidecar."""
    client, stem = shared_client, f"test-{uuid.uuid4().hex}"
    names = [f"{stem}-{kind}" for kind in ("ingested", "filled", "sidecar")]
    ingested, filled, sidecar = names
    shards = {"number_of_shards": 3, "number_of_replicas": 0}
    client.indices.create(index=filled, settings=shards)
    for name in names:
        install(client, name, scheme=list(FINGERPRINT_METHODS), semantics=None)
    documents = [{"_id": id, "text": text, "language": id[:2]} for id, text in TEXTS.items()]
    assert all(one.status == "written" for one in ingest(client, ingested, documents))
    lines: list[dict[str, Any]] = []
    for document in documents:
        action = {"index": {"_id": document["_id"]}}
        lines += [action, {name: document[name] for name in ("text", "language")}]
    assert not client.bulk(index=filled, operations=lines, refresh=True)["errors"]
    for target in (None, sidecar):
        outcomes = list(backfill(client, filled, sidecar=target, settings=ONE))
        assert [one.status for one in outcomes] == ["written"] * len(TEXTS)
    client.indices.refresh(index=",".join(names))
    yield {
        "ingested": Index(client, ingested),
        "filled": Index(client, filled),
        "sidecar": SidecarIndex(client, sidecar),
    }
    client.indices.delete(index=names)


def found(index: Index, method: str, ids: list[str] = IDS) -> Scores:
    """Return the scores that an index gives, of each pair from the side of the first."""
    scores: Scores = {}
    for id in ids:
        if id in _unreadable(method):
            continue
        answer = index.related_by(method, id=id, options=ALL)
        assert not answer.truncated
        assert answer.total == len(answer.relations)
        scores |= {(id, relation.id): relation.score for relation in answer.relations}
    return scores


def _unreadable(method: str) -> set[str]:
    unreadable = fingerprint_method(method).read(list(TEXTS.values())).unreadable
    return {IDS[text] for text in unreadable if text}


def in_memory(name: str) -> Scores:
    """Return the candidates of a method with its scores, from both sides."""
    method = fingerprint_method(name)
    features = method.read(list(TEXTS.values()))
    pairs = features.candidates()
    if name.startswith("simhash-bigrams"):
        # Rotation finds most of the pairs with a close sentence; an index finds all.
        every = all_pairs(len(TEXTS))
        close = every[features.score(*every.T) > 0]
        assert {tuple(pair) for pair in pairs.tolist()} <= {tuple(pair) for pair in close.tolist()}
        pairs = close
    scores = features.score(*pairs.T).tolist()
    one_side = {
        (IDS[one], IDS[other]): score
        for (one, other), score in zip(pairs.tolist(), scores, strict=True)
    }
    return one_side | {(other, one): score for (one, other), score in one_side.items()}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("name", FINGERPRINT_METHODS)
def test_an_index_finds_what_the_method_finds_in_memory(
    indices: dict[str, Index], name: str
) -> None:
    expected = in_memory(name)
    languages = {"en", "zh"} if name == "weighted-simhash" else {"en", "de", "zh", "ar", "hi"}
    assert {(language, f"{language}-copy") for language in languages} <= set(expected)
    assert found(indices["filled"], name) == pytest.approx(expected)
    # What is stored elsewhere is the same: a text of each language tells.
    some = ["empty", "en", "de", "zh", "ar", "hi"]
    of_some = {pair: score for pair, score in expected.items() if pair[0] in some}
    assert found(indices["ingested"], name, some) == pytest.approx(of_some)
    assert found(indices["sidecar"], name, some) == pytest.approx(of_some)


@pytest.mark.parametrize("name", FINGERPRINT_METHODS)
def test_versions_are_those_from_the_threshold_on(indices: dict[str, Index], name: str) -> None:
    method = fingerprint_method(name)
    versions = indices["ingested"].related_by(name, id="en").relations
    everything = indices["ingested"].related_by(name, id="en", options=ALL).relations
    assert [one for one in everything if one.kind == "version"] == list(versions)
    assert [one.score for one in everything] == sorted(
        (one.score for one in everything), reverse=True
    )
    assert "en-copy" in {one.id for one in versions}
    for one in everything:
        assert (one.kind == "version") == (one.score >= method.threshold)
        evidence = one.evidence
        assert evidence.scheme == method.scheme.name
        assert one.score == pytest.approx(1 - evidence.distance / evidence.units)
        assert one.to_dict()["evidence"]["distance"] == evidence.distance
    copy = next(one for one in versions if one.id == "en-copy")
    assert (copy.evidence.distance, copy.score, copy.method) == (0, 1, name)


def test_a_text_finds_what_the_document_with_it_finds(indices: dict[str, Index]) -> None:
    index = indices["filled"]
    by_text = index.related_by("simhash-4grams", text=TEXTS["de"], options=ALL)
    by_id = index.related_by("simhash-4grams", id="de", options=ALL)
    assert {one.id for one in by_text.relations} == {"de", *(one.id for one in by_id.relations)}
    (body,) = index.searches_by("simhash-4grams", id="de")
    assert len(body["query"]["bool"]["should"]) == 20
    assert index.searches_by("simhash-4grams", text="?!") == []


def test_pages_filters_fields_and_exclusions_apply(indices: dict[str, Index]) -> None:
    for index in indices.values():
        everything = index.related_by("simhash-bigrams-32", id="en", options=ALL).relations
        assert len(everything) >= 4
        pages = [
            index.related_by(
                "simhash-bigrams-32",
                id="en",
                options=SearchOptions(size=2, offset=offset, min_score=0),
            )
            for offset in (0, 2)
        ]
        assert [one for page in pages for one in page.relations] == list(everything[:4])
        assert pages[0].total == len(everything)
        german = SearchOptions(filters=({"term": {"language.keyword": "de"}},), min_score=0)
        assert index.related_by("simhash-bigrams-32", id="en", options=german).relations == ()
        assert index.related_by("simhash-bigrams-32", id="de", options=german).relations
        without = SearchOptions(exclude=("en-copy",), fields=("language",), min_score=0)
        rest = index.related_by("simhash-bigrams-32", id="en", options=without).relations
        assert [one.id for one in rest] == [one.id for one in everything if one.id != "en-copy"]
        assert {one.source["language"] for one in rest} == {"en"}


def test_where_the_limit_cuts_those_that_share_rare_blocks_are_left(
    indices: dict[str, Index],
) -> None:
    cut = SearchOptions(limits=Limits(candidates=1), min_score=0)
    answer = indices["filled"].related_by("simhash-bigrams-64", id="en", options=cut)
    assert answer.truncated
    assert [one.score for one in answer.relations] == [1]


def test_texts_without_words_are_related_to_nothing(indices: dict[str, Index]) -> None:
    for name in FINGERPRINT_METHODS:
        assert indices["ingested"].related_by(name, id="empty").relations == ()
        assert indices["ingested"].related_by(name, text="").total == 0


def test_what_cannot_be_searched_is_one_sentence(indices: dict[str, Index]) -> None:
    index = indices["ingested"]
    with pytest.raises(InputError) as error:
        index.related_by("weighted-simhash", id="hi")
    assert "'weighted-simhash' cannot read document 'hi'" in str(error.value)
    assert "the method reads en and zh" in str(error.value)
    with pytest.raises(InputError, match="the text: it is in language 'de'"):
        index.related_by("weighted-simhash", text=TEXTS["de"])
    with pytest.raises(InputError, match="'lcs' is no method whose fingerprints can be stored"):
        index.related_by("lcs", id="en")
    with pytest.raises(InputError, match="either an id or a text"):
        index.related_by("token-simhash")
    with pytest.raises(DocumentMissing):
        index.related_by("token-simhash", id="nobody")
    for option in ({"k": 3}, {"kinds": ("version",)}, {"recency": Recency("date")}):
        with pytest.raises(InputError) as error:
            index.related_by("token-simhash", id="en", options=SearchOptions(**option))
        assert error.value.parameter in option


def test_an_index_without_the_scheme_names_the_commands(client: Any, index_name: str) -> None:
    install(client, index_name, semantics=None)
    with pytest.raises(MappingConflict) as error:
        Index(client, index_name).related_by("token-simhash", text="Some words.")
    assert f"`es-simhash install {index_name} --scheme token-simhash`" in str(error.value)
    assert f"`es-simhash backfill {index_name}`" in str(error.value)


def test_scores_do_not_depend_on_how_many_texts_there_are(indices: dict[str, Index]) -> None:
    """A method whose weights came from the batch would give a text another fingerprint alone."""
    together = {name: indices["ingested"].related_by(name, id="zh") for name in ("weighted-simhash",
        "concept-simhash-doc", "concept-simhash-par")}  # fmt: skip
    for name, answer in together.items():
        method = fingerprint_method(name)
        for relation in answer.relations:
            alone = method.read([TEXTS["zh"], TEXTS[relation.id]])
            assert alone.score(np.array([0]), np.array([1]))[0] == relation.score
