"""Indices with `subobjects: false` take our fields under dotted names, and all commands work."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import MappingConflict
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.diagnostics.examination import examine
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import open_index
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation import component_templates
from es_simhash.store.installation.install import install
from es_simhash.store.paths import mapped_field
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

FLAT = {"subobjects": False, "properties": {"page.body": {"type": "text"}}}
ONE = BackfillSettings(processes=1)


def texts() -> dict[str, str]:
    made = {str(n): make_text(n, 200) for n in range(6)}
    return made | {f"{n}-v": revise(made[str(n)], 50 + n, 0.05, first=40) for n in range(3)}


def mapping_of(client: Any, index: str) -> dict[str, Any]:
    found: dict[str, Any] = client.indices.get_mapping(index=index).body[index]["mappings"]
    return found


def related_to(client: Any, index: str, id: str, config: IndexConfig) -> list[tuple[Any, ...]]:
    client.indices.refresh(index=index)
    answer = open_index(client, index, config).related(id=id)
    return [(each.id, each.kind, each.score, len(each.evidence)) for each in answer]


@pytest.fixture
def other_index(index_name: str, discard: Callable[..., None]) -> Iterator[str]:
    """A second index of the test."""
    name = f"{index_name}-other"
    yield name
    discard(name, f"{name}-simhash")


def test_an_index_without_objects_gets_dotted_names_once(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings=FLAT)
    [request] = install(client, index_name)
    assert all(name.startswith("simhash.") for name in request.body["properties"])
    mapping = mapping_of(client, index_name)
    assert mapping["properties"]["page.body"] == {"type": "text"}
    assert mapping["properties"]["simhash.fingerprint"]["dims"] == 128
    assert install(client, index_name) == []


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("is_dotted", [True, False])
def test_it_answers_as_an_index_with_objects_does(
    client: Any, index_name: str, other_index: str, is_dotted: bool
) -> None:
    client.indices.create(index=index_name, mappings=FLAT)
    config = IndexConfig(text_field="page.body")
    for name in (index_name, other_index):
        install(client, name)
        documents = (
            {"id": id, "page.body": text} if is_dotted else {"id": id, "page": {"body": text}}
            for id, text in texts().items()
        )
        assert all(each.ok for each in ingest(client, name, documents, config=config))
    expected = related_to(client, other_index, "0", config)
    assert [(id, kind) for id, kind, *_ in expected] == [("0-v", "version")]
    assert related_to(client, index_name, "0", config) == expected
    assert len(find_families(client, index_name, config=config).families) == 3
    found = examine(client, index_name, config=config)
    assert (found.findings, found.fingerprinted) == ([], {"fresh": 9})
    # No field came into the mapping by itself.
    members = {name for name in mapping_of(client, index_name)["properties"] if "simhash" in name}
    assert members == {
        f"simhash.{name}"
        for name in mapping_of(client, other_index)["properties"]["simhash"]["properties"]
    }


@pytest.mark.parametrize("in_sidecar", [False, True])
def test_documents_that_are_there_are_backfilled(
    client: Any, index_name: str, other_index: str, in_sidecar: bool
) -> None:
    client.indices.create(index=index_name, mappings=FLAT)
    for id, text in texts().items():
        client.index(index=index_name, id=id, document={"page.body": text, "page.n": 1})
    client.indices.refresh(index=index_name)
    config = IndexConfig(text_field="page.body")
    sidecar = other_index if in_sidecar else None
    if not in_sidecar:
        install(client, index_name)
    report = list(backfill(client, index_name, config=config, sidecar=sidecar, settings=ONE))
    assert [each.reason for each in report if not each.ok] == []
    found = related_to(client, sidecar or index_name, "0", config)
    assert [(id, kind) for id, kind, *_ in found] == [("0-v", "version")]
    source = client.get(index=index_name, id="0")["_source"]
    assert (source["page.body"], source["page.n"]) == (texts()["0"], 1)


def test_an_object_that_holds_no_objects_takes_the_fields(client: Any, index_name: str) -> None:
    own = {"properties": {"own": {"type": "object", "subobjects": False}}}
    client.indices.create(index=index_name, mappings=own)
    config = IndexConfig(simhash_field="own.deep.fp")
    install(client, index_name, simhash_field="own.deep.fp")
    assert install(client, index_name, simhash_field="own.deep.fp") == []
    assert mapped_field(mapping_of(client, index_name), "own.deep.fp.blocks")
    documents = ({"id": id, "text": text} for id, text in texts().items())
    assert all(each.ok for each in ingest(client, index_name, documents, config=config))
    found = related_to(client, index_name, "0", config)
    assert [(id, kind) for id, kind, *_ in found] == [("0-v", "version")]


def test_a_field_with_a_dotted_name_and_another_type_is_refused(
    client: Any, index_name: str
) -> None:
    mappings = {"subobjects": False, "properties": {"simhash.blocks": {"type": "text"}}}
    client.indices.create(index=index_name, mappings=mappings)
    with pytest.raises(MappingConflict, match=r"'simhash\.blocks' with type 'text'"):
        install(client, index_name)


def test_vectors_of_a_field_with_a_dotted_name_are_accepted(client: Any, index_name: str) -> None:
    from es_simhash.semantics.semantic_scheme import SemanticScheme

    vector = {"type": "dense_vector", "dims": 8, "index": True, "similarity": "cosine"}
    client.indices.create(
        index=index_name, mappings={"subobjects": False, "properties": {"own.vector": vector}}
    )
    install(client, index_name, semantics=SemanticScheme(vectors="field:own.vector", dims=8))


def test_a_new_index_follows_the_template_of_the_user(
    client: Any, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{index_name}@custom"
    monkeypatch.setattr(component_templates, "CUSTOM", name)
    template = {"mappings": {**FLAT, "dynamic": "strict"}}
    client.cluster.put_component_template(name=name, template=template)
    try:
        install(client, index_name)
    finally:
        client.cluster.delete_component_template(name=name)
    mapping = mapping_of(client, index_name)
    assert {"page.body", "simhash.blocks"} <= mapping["properties"].keys()
    documents = [{"_id": "1", "page.body": make_text(1)}]
    (outcome,) = ingest(client, index_name, documents, config=IndexConfig(text_field="page.body"))
    assert outcome.ok, outcome.reason


def test_an_index_template_is_refused_with_the_way_out(
    client: Any, index_name: str, cluster_url: str
) -> None:
    def run_command(*arguments: str) -> Any:
        return CliRunner().invoke(cli, [*arguments])

    body = {"index_patterns": [index_name], "template": {"mappings": {"subobjects": False}}}
    client.indices.put_index_template(name=index_name, priority=1000, **body)
    try:
        done = run_command("install", index_name, "--url", cluster_url)
        assert done.exit_code == 1
        assert f"index {index_name!r} `subobjects: false`" in done.stderr
        assert f"`PUT {index_name}`" in done.stderr
        assert "mapper" not in done.stderr
        client.indices.create(index=index_name)
        assert run_command("install", index_name, "--url", cluster_url).exit_code == 0
    finally:
        client.indices.delete_index_template(name=index_name)
