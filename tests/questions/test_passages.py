"""Passages that were copied or reworded, found through a real index of three shards."""

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, MemoryIndex, Relation, SearchOptions, SidecarIndex
from es_simhash.cli.main import cli
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig
from tests.support.reuse import COPIED, ENGLISH, FORMS, REWORDED, documents
from tests.support.subjects import reworded

pytestmark = pytest.mark.cluster

TEXTS = documents()
# Document that took sentences over -> them, and how they were changed.
TAKEN = {"copier": (COPIED, "verbatim"), "rewriter": (REWORDED, "paraphrased")}
FINGERPRINTS = SearchOptions(evidence=False, passages=False)


@pytest.fixture(scope="module")
def indices(cluster_url: str) -> Iterator[dict[str, Any]]:
    """The same documents in an index, in one with a sidecar, and in memory."""
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.installation.install import install

    own, plain = (f"test-{uuid.uuid4().hex}" for _ in range(2))
    sidecar = f"{plain}-sidecar"
    memory = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in TEXTS.items():
        memory.add(id, text)
    with connect(cluster_url) as client:
        try:
            for name in (own, plain):
                client.indices.create(index=name, settings={"number_of_shards": 3})
            install(client, own)
            for name in (own, plain):
                lines: list[dict[str, Any]] = []
                for id, text in TEXTS.items():
                    lines += [{"index": {"_id": id}}, {"text": text, "group": id[0]}]
                client.bulk(index=name, operations=lines, refresh=True)
            assert all(each.ok for each in backfill(client, own))
            assert all(each.ok for each in backfill(client, plain, sidecar=sidecar))
            client.indices.refresh(index=[own, sidecar])
            yield {
                "index": Index(client, own),
                "sidecar": SidecarIndex(client, sidecar),
                "memory": memory,
            }
        finally:
            client.indices.delete(index=[own, plain, sidecar], ignore_unavailable=True)


@pytest.fixture
def index(indices: dict[str, Any]) -> Index:
    """The index that has the fingerprints itself."""
    found: Index = indices["index"]
    return found


def relation_to(id: str, relations: list[Relation]) -> Relation:
    [found] = [each for each in relations if each.id == id]
    return found


def facts(relation: Relation) -> tuple[Any, ...]:
    """What must be the same wherever the fingerprints lie."""
    return relation.id, relation.kind, relation.coverage, relation.reuse, relation.evidence


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("name", ["index", "sidecar", "memory"])
@pytest.mark.parametrize("taker", TAKEN)
def test_the_source_of_three_of_a_hundred_sentences_is_found(
    indices: dict[str, Any], name: str, taker: str
) -> None:
    sentences, kind = TAKEN[taker]
    taken, original = ENGLISH.join(sentences), ENGLISH.join(COPIED)
    index = indices[name]
    for answer in (index.related(id=taker), index.related(text=TEXTS[taker])):
        relation = relation_to("source", answer)
        assert relation.kind == "shares_passages"
        assert 0.3 <= relation.score < 0.6
        assert relation.reuse is not None
        assert relation.reuse.kind == kind
        share = getattr(relation.reuse, kind)
        assert share == relation.coverage
        # By letters; sentences of either text may belong to a passage or not.
        assert share.of_query == pytest.approx(len(taken) / len(TEXTS[taker]), rel=0.2)
        assert share.of_hit == pytest.approx(len(original) / len(TEXTS["source"]), rel=0.2)
        [passage] = relation.evidence
        assert passage.kind == kind
        assert taken[:-1] in passage.query.text
        assert original[:-1] in passage.hit.text
    back = relation_to(taker, index.related(id="source"))
    assert (back.kind, back.score) == ("shares_passages", pytest.approx(relation.score, abs=0.01))
    assert back.reuse is not None
    assert getattr(back.reuse, kind).of_hit == share.of_query
    assert [(each.hit, each.query) for each in back.evidence] == [
        (each.query, each.hit) for each in relation.evidence
    ]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("id", ["source", *TAKEN])
def test_an_index_a_sidecar_and_memory_say_the_same(indices: dict[str, Any], id: str) -> None:
    options = SearchOptions(size=60, kinds=("shares_passages",))
    scanned, *others = (
        {str(each.id): each for each in indices[name].related(id=id, options=options)}
        for name in ("memory", "index", "sidecar")
    )
    assert scanned
    for found in others:
        assert {key: facts(each) for key, each in found.items()} == {
            key: facts(each) for key, each in scanned.items()
        }
        for key, each in found.items():
            assert each.score == pytest.approx(scanned[key].score, abs=0.01)


def test_only_documents_that_share_passages_are_returned_on_request(index: Index) -> None:
    options = SearchOptions(kinds=("shares_passages",))
    for taker in TAKEN:
        found = index.related(id=taker, options=options)
        assert "source" in {each.id for each in found}
        assert {each.kind for each in found} == {"shares_passages"}
        assert index.related(id=taker, options=SearchOptions(kinds=("version",))) == []


@pytest.mark.long
def test_documents_queried_together_find_what_each_finds_alone(index: Index) -> None:
    ids = ["source", *TAKEN, *FORMS]
    together = index.related_to_each(ids)
    assert {id: list(map(facts, answer)) for id, answer in together.items()} == {
        id: list(map(facts, index.related(id=id))) for id in ids
    }


@pytest.mark.parametrize("name", ["index", "sidecar"])
def test_filters_leave_out_documents_that_share_passages(
    indices: dict[str, Any], name: str
) -> None:
    for group, expected in (("s", {"source"}), ("o", set[str]())):
        options = SearchOptions(
            kinds=("shares_passages",), filters=({"term": {"group.keyword": group}},)
        )
        found = indices[name].related(id="rewriter", options=options)
        assert {each.id for each in found} == expected


def test_filters_apply_before_the_cut(client: Any, filled: Callable[..., str]) -> None:
    # More documents than one search returns have the passage in the very words of the query.
    closer = [
        {"id": f"closer-{n}", "text": ENGLISH.host(REWORDED, TEXTS[f"other-{n}"].split(". "), 5)}
        for n in range(30)
    ]
    index = Index(client, filled({"id": "source", "text": TEXTS["source"], "lang": "en"}, *closer))
    options = SearchOptions(size=1, filters=({"exists": {"field": "lang"}},))
    [found] = index.related(text=TEXTS["rewriter"], options=options)
    assert (found.id, found.kind) == ("source", "shares_passages")
    [other] = index.related(text=TEXTS["rewriter"], options=SearchOptions(size=1))
    assert str(other.id).startswith("closer")


def test_without_passages_no_text_is_read(
    client: Any, index: Index, requests_of: list[str]
) -> None:
    asked = Index(client, index.name)
    found = asked.related(text=TEXTS["rewriter"], options=FINGERPRINTS)
    assert "source" not in {each.id for each in found if each.kind == "shares_passages"}
    assert [each for each in requests_of if "_mget" in each] == []
    assert len([each for each in requests_of if "_msearch" in each]) == 1
    assert all(each.reuse is None and each.evidence == () for each in found)
    bodies = json.dumps(asked.searches(text=TEXTS["rewriter"], options=FINGERPRINTS))
    assert '"match"' not in bodies
    # With them, the text is read with one request for all hits.
    requests_of.clear()
    asked.related(text=TEXTS["rewriter"])
    assert len([each for each in requests_of if "_mget" in each]) == 1


@pytest.mark.parametrize("mapping", [{"type": "text", "index": False}, {"type": "keyword"}])
def test_a_field_without_words_is_answered_by_fingerprints(
    client: Any, index_name: str, mapping: dict[str, Any]
) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    client.indices.create(index=index_name, mappings={"properties": {"text": mapping}})
    install(client, index_name)
    chosen = [{"id": id, "text": TEXTS[id]} for id in ("source", "copier", "rewriter", "other-1")]
    assert all(each.ok for each in ingest(client, index_name, chosen))
    client.indices.refresh(index=index_name)
    index = Index(client, index_name)
    relation = relation_to("source", index.related(id="copier"))
    assert (relation.kind, relation.reuse and relation.reuse.kind) == (
        "shares_passages", "verbatim",
    )  # fmt: skip
    assert ENGLISH.join(COPIED)[:-1] in relation.evidence[0].hit.text
    assert index.related(id="other-1") == []


@pytest.mark.variants
@pytest.mark.parametrize("now", [None, 7, [], [7, None], True])
def test_a_hit_that_has_no_text_any_more_is_shown_without_evidence(
    client: Any, filled: Callable[..., str], now: Any
) -> None:
    same = ENGLISH.join(ENGLISH.school)
    name = filled(
        {"id": "query", "text": same},
        {"id": "changed", "text": same},
        {"id": "whole", "text": same},
    )
    client.update(index=name, id="changed", doc={"text": now}, refresh=True)
    found = Index(client, name).related(id="query")
    assert {each.id: each.kind for each in found} == {"changed": "exact", "whole": "exact"}
    assert relation_to("changed", found).evidence == ()
    assert relation_to("changed", found).reuse is None
    assert relation_to("whole", found).evidence[0].hit.text == same[:-1]


def test_a_passage_outranks_a_nearer_semantic_neighbour(index: Index) -> None:
    for taker in TAKEN:
        found = index.related(id=taker, options=SearchOptions(size=30))
        source = relation_to("source", found)
        neighbour = relation_to(f"near-{taker}", found)
        assert neighbour.kind == "semantic"
        assert neighbour.score > source.score
        assert found.index(source) < found.index(neighbour)


def test_boilerplate_does_not_outrank_what_only_one_document_shares(index: Index) -> None:
    for taker in TAKEN:
        found = index.related(id=taker, options=SearchOptions(size=30))
        source = relation_to("source", found)
        forms = [each for each in found if each.id in FORMS]
        assert len(forms) == len(FORMS)
        assert {(each.kind, each.is_boilerplate) for each in forms} == {("shares_passages", True)}
        assert all(source.score < each.score for each in forms)
        assert all(found.index(source) < found.index(each) for each in forms)
        # Common text and a neighbour are in the order of their scores.
        rest = [each.score for each in found if each.is_boilerplate or each.kind == "semantic"]
        assert rest == sorted(rest, reverse=True)
        assert len(rest) > len(forms)


def test_decisions_and_families_do_not_change_by_a_paraphrase(
    client: Any, filled: Callable[..., str], tmp_path: Any
) -> None:
    from es_simhash.ingestion.deduplication.version_rules import OnVersion
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.maintenance.families.find_families import find_families

    name = filled({"id": "source", "text": ENGLISH.join(ENGLISH.bees)})
    text = ENGLISH.join(reworded(ENGLISH.bees))
    rules = OnVersion("skip", audit=str(tmp_path / "audit.jsonl"))
    outcomes = ingest(client, name, [{"id": "paraphrase", "text": text}], on_version=rules)
    assert [each.status for each in outcomes] == ["written"]
    client.indices.refresh(index=name)
    [found] = Index(client, name).related(id="paraphrase")
    assert (found.id, found.kind) == ("source", "shares_passages")
    assert found.reuse is not None
    assert found.reuse.paraphrased.of_query > 0.5
    assert find_families(client, name).families == ()


def test_the_command_line_prints_all_passages_with_their_offsets(
    cluster_url: str, client: Any, filled: Callable[..., str]
) -> None:
    passages = [ENGLISH.join(ENGLISH.harbour[start : start + 3]) for start in (0, 3, 6, 9)]
    passages.append(ENGLISH.join(COPIED))
    texts = {}
    for id, seed in (("1", 100), ("2", 200)):
        hosts = [" ".join(TEXTS[f"other-{seed // 10 + n}"].split(". ")[:8]) for n in range(5)]
        texts[id] = " ".join(f"{host}. {each}" for host, each in zip(hosts, passages, strict=True))
    name = filled(*({"id": id, "text": text} for id, text in texts.items()))
    arguments = [
        "related",
        name,
        "--id",
        "1",
        "--evidence",
        "--format",
        "json",
        "--url",
        cluster_url,
    ]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    [answer] = json.loads(result.stdout)
    [relation] = answer["relations"]
    found = {passage["query"]["text"] for passage in relation["evidence"]}
    assert found == {each[:-1] for each in passages}
    for passage in relation["evidence"]:
        for id, side in (("1", passage["query"]), ("2", passage["hit"])):
            assert texts[id][side["start"] : side["end"]] == side["text"]
        assert (passage["kind"], passage["score"], passage["changed"]) == ("verbatim", 1, 0)
    assert relation["reuse"]["kind"] == "verbatim"
