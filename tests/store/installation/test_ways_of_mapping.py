"""Indices as they are run: synthetic sources, default pipelines, nested texts and multi-fields."""

from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, InputError
from es_simhash.cli.main import cli
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

TEXTS = {
    "a": make_text(1, 200),
    "b": revise(make_text(1, 200), 50, 0.05, first=40),
    "c": make_text(3, 200),
}
NESTED = {"parts": {"type": "nested", "properties": {"body": {"type": "text"}}}}


def filled(client: Any, name: str, properties: dict[str, Any], **index: Any) -> Index:
    """Return an index with the documents of another writer, and our fields."""
    client.indices.create(index=name, mappings={"properties": properties}, **index)
    for id, text in TEXTS.items():
        client.index(index=name, id=id, document={"body": text, "tags": ["z", "a"]})
    client.indices.refresh(index=name)
    found = Index(client, name)
    found.install()
    return found


@pytest.mark.long
def test_a_synthetic_source_changes_nothing_but_what_it_always_does(
    client: Any, index_name: str
) -> None:
    properties = {"body": {"type": "text", "store": True}, "tags": {"type": "keyword"}}
    settings = {"index.mapping.source.mode": "synthetic"}
    index = filled(client, index_name, properties, settings=settings)
    assert index.propose_settings().text == "body"
    index.configure({"text": "body"})
    assert [outcome.status for outcome in index.backfill()] == ["written"] * 3
    client.indices.refresh(index=index_name)
    (relation,) = index.related(id="a")
    assert (relation.id, relation.kind, len(relation.evidence)) == ("b", "version", 1)
    assert [sorted(family.members) for family in index.families().families] == [["a", "b"]]
    document = {"id": "d", "body": TEXTS["c"] + " Once more.", "tags": []}
    (outcome,) = index.ingest([document], on_version="flag")
    assert outcome.version_of == "c"
    client.indices.refresh(index=index_name)
    assert index.sweep().enriched["failed"] == 0
    source = client.get(index=index_name, id="a")["_source"]
    # In order, and once: what Elasticsearch makes of a list of keywords.
    assert source["tags"] == ["a", "z"]
    assert source["simhash"]["family"]
    assert list(index.backfill()) == []


def test_a_default_pipeline_stays_in_force(client: Any, index_name: str) -> None:
    # It needs users, which a node of tests has not: so it rejects what passes through it.
    pipeline = {"processors": [{"set_security_user": {"field": "writer"}}]}
    client.ingest.put_pipeline(id=index_name, body=pipeline)
    try:
        index = filled(client, index_name, {"body": {"type": "text"}})
        index.configure({"text": "body"})
        client.indices.put_settings(index=index_name, settings={"default_pipeline": index_name})
        (outcome,) = index.ingest([{"id": "d", "body": TEXTS["a"]}])
        assert outcome.status == "failed"
        assert "user" in str(outcome.reason)
        # Partial updates run no pipeline in Elasticsearch.
        assert [outcome.status for outcome in index.backfill()] == ["written"] * 3
        settings = client.indices.get_settings(index=index_name)[index_name]["settings"]
        assert settings["index"]["default_pipeline"] == index_name
    finally:
        client.indices.put_settings(index=index_name, settings={"default_pipeline": "_none"})
        client.ingest.delete_pipeline(id=index_name)


def test_a_nested_text_is_neither_proposed_nor_stored(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings={"properties": NESTED})
    document = {"parts": [{"body": TEXTS["a"]}, {"body": TEXTS["b"]}]}
    client.index(index=index_name, document=document, refresh=True)
    index = Index(client, index_name)
    index.install()
    assert index.propose_settings().text is None
    with pytest.raises(InputError, match=r"lies in nested documents \('parts'\)"):
        index.configure({"text": "parts.body"})
    assert index.settings().text is None


@pytest.mark.parametrize("name", ["body.english", "content"])
def test_a_name_that_no_document_has_is_told_apart_from_its_field(
    client: Any, index_name: str, cluster_url: str, name: str
) -> None:
    fields = {"english": {"type": "text"}}
    properties = {
        "body": {"type": "text", "fields": fields},
        "content": {"type": "alias", "path": "body"},
    }
    index = filled(client, index_name, properties)
    sentence = f"No document has a field {name!r}: the mapping makes it of 'body'"
    with pytest.raises(InputError, match=sentence):
        index.configure({"text": name})
    arguments = ["backfill", index_name, "--text-field", name, "--url", cluster_url]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 1
    assert sentence in done.output
    assert "--text-field" in done.output
    assert index.propose_settings().text == "body"


def test_a_text_without_hits_does_not_hide_a_misspelt_field(
    client: Any, index_name: str, cluster_url: str
) -> None:
    index = filled(client, index_name, {"body": {"type": "text"}})
    index.configure({"text": "body"})
    list(index.backfill())
    client.indices.refresh(index=index_name)
    line = ["related", index_name, "--text", "Nothing of it all.", "--url", cluster_url]
    assert CliRunner().invoke(cli, line).exit_code == 0
    done = CliRunner().invoke(cli, [*line, "--text-field", "bdoy"])
    assert done.exit_code == 1
    assert "has a field 'bdoy'; the nearest field of the mapping is 'body'" in done.output
    # A field that is in documents alone is none that is misspelt.
    client.indices.put_mapping(index=index_name, dynamic=False)
    client.index(index=index_name, id="e", document={"unmapped": TEXTS["c"]}, refresh=True)
    assert CliRunner().invoke(cli, [*line, "--text-field", "unmapped"]).exit_code == 0
