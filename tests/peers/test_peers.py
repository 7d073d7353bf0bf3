"""Every peer on the same few texts, through its own library or a real engine."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import InputError, MissingExtra
from scripts.local_node.java import NodeError
from tests.bench import synthetic
from tests.bench.method_runs import Truth
from tests.bench.peers import run
from tests.bench.peers.engine import Engines
from tests.bench.peers.library import require
from tests.bench.peers.model import Collection, Scored
from tests.bench.peers.quality import curve_of, f1_of
from tests.bench.peers.registry import OWN, SIGNATURES, peer_names, peers, require_names

# The last is a copy of the fourth; every tenth is a revision of the one before it.
COPY, UNRELATED = (3, 24), (2, 5)
TEXTS = [*synthetic.texts(0, COPY[1], 12)]
TEXTS.append(TEXTS[COPY[0]])
TERMS = "min-hash-terms"
ON_OPENSEARCH = {"min-hash-match", TERMS}
RELATIVE = {OWN, "more-like-this-relative", "bit-knn", "dense-knn", TERMS}
# Their default is a cut; that of a search engine is a page of hits, related or not.
IN_MEMORY = [name for name, peer in peers(Engines()).items() if peer.engine is None]


@contextmanager
def built(name: str, texts: list[str], engines: Engines) -> Iterator[Collection]:
    try:
        collection = peers(engines)[name].build(texts)
    except MissingExtra as error:
        pytest.skip(str(error))
    with closing(collection):
        yield collection


@pytest.fixture
def engines(request: pytest.FixtureRequest) -> Callable[[str], Engines]:
    """Return the engines of a peer; OpenSearch is started only for those that need it."""

    def of(name: str) -> Engines:
        if name in IN_MEMORY:
            return Engines()
        other = request.getfixturevalue("painless_url") if name in ON_OPENSEARCH else ""
        return Engines(request.getfixturevalue("cluster_url"), other)

    return of


@pytest.mark.cluster
@pytest.mark.parametrize("name", peer_names())
def test_a_peer_brings_an_exact_copy_and_scores_strangers_lower(
    name: str, engines: Callable[[str], Engines]
) -> None:
    with built(name, TEXTS, engines(name)) as collection:
        called = {tuple(each) for each in collection.called().tolist()}
        scored = collection.scored()
        answer = collection.query(COPY[0])
        assert collection.nbytes() > 0
        assert collection.failures == {}
    scores = dict(zip(map(tuple, scored.pairs.tolist()), scored.scores.tolist(), strict=True))
    assert COPY in called
    assert answer
    assert scores[COPY] == max(scores.values())
    assert scores.get(UNRELATED, 0.0) < scores[COPY]
    assert all(one < other for one, other in scores)
    if name in RELATIVE:
        assert scores[COPY] == pytest.approx(1.0, abs=1e-3)
    if name in (OWN, *IN_MEMORY):
        assert UNRELATED not in called


@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_library_takes_texts_without_words(name: str) -> None:
    texts = ["", "!!!", *TEXTS]
    with built(name, texts, Engines()) as collection:
        called = {tuple(each) for each in collection.called().tolist()}
        assert (COPY[0] + 2, COPY[1] + 2) in called
        # PyPI simhash makes fingerprints of nothing; the others say what they leave out.
        assert sum(collection.failures.values()) > 0 or name == "simhash"


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_made_of_every_text(name: str) -> None:
    try:
        signed: Any = SIGNATURES[name](TEXTS[:3])
    except MissingExtra as error:
        pytest.skip(str(error))
    if name.startswith("es-simhash"):
        (signed,) = signed  # of one batch
    assert len(signed) == 3


def test_pypi_simhash_fails_on_a_frequent_run_and_goes_on_with_the_others() -> None:
    with built("simhash", ["na" * 400, *TEXTS], Engines()) as collection:
        assert (COPY[0] + 1, COPY[1] + 1) in {tuple(each) for each in collection.called().tolist()}
        (reason,) = collection.failures
        assert "OverflowError" in reason
        assert collection.failures[reason] == 1


def test_gaoya_is_said_not_to_split_chinese() -> None:
    text = "本法自公布之日起施行，由国务院规定实施办法，各级人民政府负责本行政区域的工作。"
    with built("gaoya-minhash", [text, "A text with words."], Engines()) as collection:
        ((reason, texts),) = collection.failures.items()
    assert "white space" in reason
    assert texts == 1


def test_a_missing_library_is_one_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gaoya", None)
    reason = run.check("gaoya-simhash", Engines())
    assert reason == "gaoya is not installed; run pip install 'es-simhash[peers]'."
    with pytest.raises(MissingExtra, match="no_such_wheel is not installed"):
        require("no_such_wheel", load=False)


@pytest.mark.parametrize(("name", "kind"), [(OWN, "Elasticsearch"), (TERMS, "OpenSearch")])
def test_without_its_engine_a_peer_is_left_out_with_the_reason(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(heap: str) -> None:
        raise NodeError("No Java 21 for any engine; install one.")

    monkeypatch.setattr(run, "find_engine", fail)
    monkeypatch.setattr(run, "opensearch", fail)
    with run.open_engines([name, "simhash"]) as engines:
        assert engines.missing == {kind: "No Java 21 for any engine; install one."}
        assert run.check(name, engines) == engines.missing[kind]
        assert run.check("simhash", engines) == ""


def test_an_unknown_peer_is_rejected_with_those_there_are() -> None:
    require_names([OWN, "gaoya-minhash"])
    with pytest.raises(InputError, match=r"Unknown peer 'goya'\. Choose from es-simhash, .*gaoya"):
        require_names(["goya"])


def test_f1_counts_what_is_known_and_no_more() -> None:
    ids = [f"d{number}" for number in range(5)]
    versions = {("d0", "d1"), ("d0", "d2"), ("d1", "d2")}
    truth = Truth(dict.fromkeys(ids, ""), versions, neither={("d3", "d4")})
    some = np.array([[0, 1], [3, 4]])
    assert f1_of(some, truth) == pytest.approx(2 * 1 / (1 + 3))
    every = np.array(list(combinations(range(5), 2)))
    # Of ten pairs three are right, and one counts neither way.
    assert f1_of(every, truth) == pytest.approx(2 * 3 / (9 + 3))
    only = replace(truth, only={("d0", "d1"), ("d0", "d3")})
    assert f1_of(every, only) == pytest.approx(2 * 1 / (2 + 3))
    curve = curve_of(Scored(some, np.array([0.9, 0.8])), truth)
    assert curve.versions == 3
    assert curve.f1().tolist() == [pytest.approx(2 * 1 / (1 + 3))]


def test_the_higher_score_of_a_pair_counts_and_no_text_with_itself() -> None:
    first, second = np.array([2, 0, 1, 2]), np.array([0, 2, 1, 1])
    scored = Scored.of(first, second, np.array([0.3, 0.7, 1.0, 0.4]))
    assert scored.pairs.tolist() == [[0, 2], [1, 2]]
    assert scored.scores.tolist() == [0.7, 0.4]
