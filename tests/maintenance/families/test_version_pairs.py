"""Every pair of versions of an index, the same as the relations of each two documents."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from es_simhash import FamilyOptions, Index, InputError, MappingConflict
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance import work_files
from es_simhash.maintenance.families import version_pairs as module
from es_simhash.maintenance.families import whole_run
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.maintenance.families.version_pairs import version_pairs
from es_simhash.store.installation.install import install
from tests.cli.conftest import Run, call, run  # noqa: F401

pytestmark = pytest.mark.cluster


@pytest.fixture
def index(
    client: Any,
    index_name: str,
    make_text: Callable[..., str],
    revise: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Index:
    """An index of two texts with versions and copies, and one alone."""
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    one, other = make_text(1), make_text(2)
    texts = {
        "a1": one,
        "a2": revise(one, 1),
        "a3": one,
        "b1": other,
        "b2": revise(other, 2),
        "c": make_text(3),
        "empty": "",
    }
    install(client, index_name)
    documents = [{"id": id, "text": text} for id, text in texts.items()]
    assert all(each.ok for each in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    return Index(client, index_name)


def found(index: Index, **options: Any) -> dict[tuple[str, str], Any]:
    pairs = list(index.version_pairs(options=FamilyOptions(**options)))
    by_ids = {(pair.id, pair.other): pair for pair in pairs}
    assert len(by_ids) == len(pairs)
    return by_ids


@pytest.mark.long
def test_the_pairs_are_those_that_explain_calls_versions(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LINKS", 1)
    monkeypatch.setattr(module, "_TEXTS", 1)
    pairs = found(index)
    ids = ["a1", "a2", "a3", "b1", "b2", "c"]
    relations = {(one, other): index.explain(one, other) for one, other in combinations(ids, 2)}
    expected = {
        key: relation
        for key, relation in relations.items()
        if relation.kind in ("exact", "version")
    }
    assert pairs.keys() == expected.keys()
    for key, relation in expected.items():
        assert (pairs[key].kind, pairs[key].score) == (relation.kind, relation.score)
        assert 0 < pairs[key].share <= 1
        assert pairs[key].index == pairs[key].other_index == index.name


def test_what_a_person_decided_counts(index: Index) -> None:
    index.dismiss("a1", "a2")
    index.dismiss("b1", "b2")
    index.join(["b1", "c"])
    pairs = found(index)
    # Both copies of the text of a1 are apart from a2, as in families.
    assert pairs.keys() == {("a1", "a3"), ("b1", "c")}
    joined = pairs["b1", "c"]
    assert joined.kind == "joined"
    assert joined.score == index.explain("b1", "c").score


def test_what_a_person_joined_over_another_document_is_a_pair(client: Any, index: Index) -> None:
    index.join(["b1", "c", "a1"])
    over_b1 = {("a1", "b1"): "joined", ("a1", "c"): "joined", ("b1", "c"): "joined"}
    kinds = {(pair.id, pair.other): pair.kind for pair in index.version_pairs()}
    assert kinds.items() >= over_b1.items()
    # The join of the two goes over a document that is gone.
    client.delete(index=index.name, id="b1", refresh=True)
    pairs = found(index)
    assert {ids for ids, pair in pairs.items() if pair.kind == "joined"} == {("a1", "c")}
    assert pairs["a1", "c"].score == index.explain("a1", "c").score


def test_a_run_that_was_left_is_not_read_from_later(client: Any, index: Index) -> None:
    stream = index.version_pairs()
    next(stream)
    stream.close()
    client.delete(index=index.name, id="a3", refresh=True)
    assert ("a1", "a3") not in found(index)


def test_where_versions_begin_counts_for_pairs_that_a_person_joined(
    client: Any,
    index: Index,
    make_text: Callable[..., str],
    revise: Callable[..., str],
) -> None:
    whole, other = make_text(7, 1800), make_text(8)
    texts = {
        "d1": whole,
        # Too short to be linked with the whole text.
        "d2": " ".join(whole.split()[:210]),
        "e1": other,
        # A version by default, and none from 0.97 on.
        "e2": revise(other, 4, 0.1),
    }
    assert all(each.ok for each in index.ingest([{"id": k, "text": v} for k, v in texts.items()]))
    client.indices.refresh(index=index.name)
    assert 0.6 < index.explain("e1", "e2").score < 0.97
    index.join(["d1", "d2"])
    index.join(["e1", "e2"])
    for threshold in (0.5, 0.6, 0.97):
        index.configure({"version_threshold": threshold})
        explained = {ids: index.explain(*ids) for ids in (("d1", "d2"), ("e1", "e2"))}
        assert explained["d1", "d2"].score > 0.6
        pairs = found(index)
        assert pairs["d1", "d2"].kind == "joined"
        assert pairs["e1", "e2"].kind == ("joined" if threshold > 0.9 else "version")
        for ids, relation in explained.items():
            assert pairs[ids].score == relation.score


class Killed(BaseException):
    """In place of a kill."""


def test_a_run_that_was_killed_under_another_threshold_is_not_resumed(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, journal = RunFiles.commit, tmp_path / "run"

    def killed(self: RunFiles, **progress: Any) -> Any:
        if "linked" in progress:
            raise Killed
        return commit(self, **progress)

    with monkeypatch.context() as patch:
        patch.setattr(RunFiles, "commit", killed)
        for options in ({}, {"journal": journal}):
            with pytest.raises(Killed):
                found(index, **options)
    index.configure({"version_threshold": 0.999})
    with pytest.raises(InputError, match=r"of a run with version_threshold '0\.6'.* '0\.999'"):
        found(index, journal=journal)
    pairs = found(index)
    assert pairs.keys() == {("a1", "a3")}
    assert index.explain("a1", "a2").kind != "version"


def test_documents_of_two_indices_with_the_same_ids_are_read_once_after_a_kill(
    client: Any,
    index: Index,
    index_name: str,
    discard: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alias, second = f"{index_name}-all", f"{index_name}-second"
    discard(second, f"{alias}-simhash")
    install(client, second)
    hits = client.search(index=index.name, size=20)["hits"]["hits"]
    documents = [{"id": hit["_id"], "text": hit["_source"]["text"]} for hit in hits]
    assert all(each.ok for each in ingest(client, second, documents))
    client.indices.refresh(index=second)
    for name in (index.name, second):
        client.indices.put_alias(index=name, name=alias)
    both = Index(client, alias)
    undisturbed = sorted(both.version_pairs(), key=str)
    monkeypatch.setattr(whole_run, "_DOCUMENTS", 5)
    # What was read of one batch of versions is there when the next one is compared.
    monkeypatch.setattr(work_files, "_VERSIONS", 3)
    add = RunFiles.add

    def killed(self: RunFiles, *given: Any) -> None:
        add(self, *given)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(RunFiles, "add", killed)
        with pytest.raises(Killed):
            next(both.version_pairs())
    assert sorted(both.version_pairs(), key=str) == undisturbed
    # Of six documents with one text or its version, of four, and of two.
    assert len(undisturbed) == 15 + 6 + 1


def test_an_index_without_fingerprints_and_another_text_are_refused(
    client: Any, index: Index, index_name: str
) -> None:
    from es_simhash.store.config import IndexConfig

    config = IndexConfig(text_field="body")
    with pytest.raises(InputError, match="does not match the fingerprinted text"):
        list(version_pairs(client, index.name, config=config))
    plain = f"{index_name}-near"
    client.indices.create(index=plain)
    with pytest.raises(MappingConflict):
        list(version_pairs(client, plain))


def test_the_command_prints_lines_and_csv(
    index: Index,
    call: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    done = call("pairs", index.name, "--quiet")
    assert done.status == 0, done
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert {(line["id"], line["other"]) for line in lines} == found(index).keys()
    done = call("pairs", index.name, "--format", "csv", "-o", "pairs.csv", "--memory", "16")
    assert (done.status, done.out) == (0, "")
    header, *rows = (tmp_path / "pairs.csv").read_text("utf-8").splitlines()
    assert header == "id,other,kind,score,share,index,other_index"
    assert len(rows) == len(lines)
