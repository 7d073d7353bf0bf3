"""Component templates: `simhash@custom` of the user, and `simhash@mappings` for the user."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import IndexMissing, MappingConflict, Scheme
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation import component_templates
from es_simhash.store.installation.component_templates import custom_template, with_custom
from es_simhash.store.installation.install import install, install_component_template
from es_simhash.store.resources import load, mapping

cluster = pytest.mark.cluster
SETTINGS = {"index": {"refresh_interval": "7s"}}


@pytest.fixture
def custom(client: Any, index_name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Put the user's template, under a name that no other test reads."""
    name = f"{index_name}@custom"
    monkeypatch.setattr(component_templates, "CUSTOM", name)

    def put(**template: Any) -> None:
        client.cluster.put_component_template(name=name, template=template)

    yield put
    client.options(ignore_status=404).cluster.delete_component_template(name=name)


@cluster
def test_a_new_index_gets_the_mappings_and_settings_of_the_user(
    client: Any, index_name: str, custom: Any
) -> None:
    theirs = {
        "_meta": {"owner": "library"},
        "properties": {
            "shelf": {"type": "short"},
            "simhash": {"properties": {"note": {"type": "keyword"}}},
        },
    }
    custom(settings=SETTINGS, mappings=theirs)
    planned = install(client, index_name, dry_run=True)
    assert not client.indices.exists(index=index_name)
    assert planned == install(client, index_name)
    [request] = planned
    assert request.body["settings"] == SETTINGS
    entry = client.indices.get(index=index_name)[index_name]
    assert entry["settings"]["index"]["refresh_interval"] == "7s"
    assert entry["mappings"]["properties"]["shelf"] == {"type": "short"}
    members = entry["mappings"]["properties"]["simhash"]["properties"]
    assert members.keys() >= {"note", "blocks", "fingerprint"}
    assert entry["mappings"]["_meta"]["owner"] == "library"
    assert ElasticsearchStore(Gateway(client), index_name).config.scheme == Scheme()
    assert install(client, index_name) == []


@cluster
def test_without_a_template_the_request_holds_the_fields_alone(
    client: Any, index_name: str, custom: Any
) -> None:
    [request] = install(client, index_name, dry_run=True)
    assert request.body.keys() == {"mappings"}
    custom(settings=SETTINGS)
    [request] = install(client, index_name, dry_run=True)
    assert request.body.keys() == {"mappings", "settings"}


@cluster
def test_a_template_that_changes_a_managed_field_is_refused(
    client: Any, index_name: str, custom: Any
) -> None:
    custom(mappings={"properties": {"simhash": {"properties": {"blocks": {"type": "text"}}}}})
    expected = rf"'{index_name}@custom' maps field 'simhash\.blocks' with type 'text'.*'keyword'"
    with pytest.raises(MappingConflict, match=expected):
        install(client, index_name)
    assert not client.indices.exists(index=index_name)


@cluster
def test_a_template_may_change_how_a_vector_is_indexed(
    client: Any, index_name: str, custom: Any
) -> None:
    vector = {
        "type": "dense_vector", "element_type": "bit", "dims": 128,
        "index": True, "index_options": {"type": "hnsw"},
    }  # fmt: skip
    custom(mappings={"properties": {"simhash": {"properties": {"fingerprint": vector}}}})
    install(client, index_name)
    properties = client.indices.get_mapping(index=index_name)[index_name]["mappings"]["properties"]
    fingerprint = properties["simhash"]["properties"]["fingerprint"]
    assert fingerprint["index_options"]["type"] == "hnsw"
    assert install(client, index_name) == []


@cluster
def test_an_index_template_of_the_user_is_composed_of_both(
    client: Any, index_name: str, custom: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = f"{index_name}@mappings"
    monkeypatch.setattr(component_templates, "MAPPINGS", ours)
    try:
        assert install_component_template(client, dry_run=True)
        with pytest.raises(IndexMissing):
            _ = ElasticsearchStore(Gateway(client), index_name).config
        [request] = install_component_template(client)
        assert (request.method, request.path) == ("PUT", f"/_component_template/{ours}")
        assert request.body["version"] == load("mappings", "simhash@mappings.json")["version"]
        client.indices.put_index_template(
            name=index_name,
            index_patterns=[index_name],
            priority=500,
            composed_of=[ours, component_templates.CUSTOM],
            ignore_missing_component_templates=[component_templates.CUSTOM],
        )
        client.indices.create(index=index_name)
        assert ElasticsearchStore(Gateway(client), index_name).config.scheme == Scheme()
        assert install(client, index_name) == []
        client.indices.delete(index=index_name)
        custom(settings=SETTINGS)
        client.indices.create(index=index_name)
        settings = client.indices.get_settings(index=index_name)[index_name]["settings"]
        assert settings["index"]["refresh_interval"] == "7s"
    finally:
        lenient = client.options(ignore_status=404)
        lenient.indices.delete_index_template(name=index_name)
        lenient.cluster.delete_component_template(name=ours)


class _Refusing(Gateway):
    """A gateway whose every request is answered with one status."""

    def __init__(self, status: int) -> None:
        super().__init__(connect("http://localhost:9200"))
        self._status = status

    def request(self, *_: Any, **__: Any) -> Any:
        raise RequestRejected("No.", status=self._status)


def test_a_template_that_may_not_be_read_is_skipped_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert custom_template(_Refusing(404)) == {}
        assert caplog.text == ""
        assert custom_template(_Refusing(403)) == {}
    assert "simhash@custom" in caplog.text
    assert "manage_index_templates" in caplog.text
    with pytest.raises(RequestRejected):
        custom_template(_Refusing(500))


def test_objects_are_merged_and_fields_replaced() -> None:
    base = {"properties": {"a": {"type": "keyword", "doc_values": False}}}
    custom = {"mappings": {"dynamic": "strict", "properties": {"a": {"type": "keyword"}}}}
    body = with_custom(base, custom)
    assert body == {
        "mappings": {"dynamic": "strict", "properties": {"a": {"type": "keyword"}}},
    }
    assert base == {"properties": {"a": {"type": "keyword", "doc_values": False}}}
    assert with_custom(mapping(Scheme()), {}) == {"mappings": mapping(Scheme())}


@cluster
def test_the_command_shows_the_template(cluster_url: str) -> None:
    from click.testing import CliRunner

    from es_simhash.cli.main import cli

    run = CliRunner().invoke
    done = run(cli, ["install", "--component-template", "--dry-run", "--url", cluster_url])
    first, _, body = done.output.partition("\n")
    assert first == "PUT /_component_template/simhash@mappings"
    assert "simhash" in json.loads(body)["template"]["mappings"]["properties"]
    refused = run(cli, ["install", "--url", cluster_url])
    assert refused.exit_code == 2
    assert "INDEX" in refused.output
