"""Every pair of versions of an index, the same as the relations of each two documents."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from es_simhash import FamilyOptions, Index, InputError, MappingConflict
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families import version_pairs as module
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


def test_a_run_that_was_left_is_not_read_from_later(client: Any, index: Index) -> None:
    stream = index.version_pairs()
    next(stream)
    stream.close()
    client.delete(index=index.name, id="a3", refresh=True)
    assert ("a1", "a3") not in found(index)


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
