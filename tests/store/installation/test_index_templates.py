"""Indices that do not exist yet: the fields are composed into the index templates of the user."""

import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import Index, InputError, MappingConflict, Scheme
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.index_templates import (
    IndexTemplate,
    data_streams,
    exception_for,
    matching_template,
    templates_of_streams,
)
from es_simhash.store.installation.install import complete_fields, install, install_in_template
from es_simhash.store.mapping_meta import schemes_of
from tests.support.data_streams import DataStream
from tests.support.shelf import text

cluster = pytest.mark.cluster


def template(*patterns: str, **body: Any) -> IndexTemplate:
    return IndexTemplate("theirs", {"index_patterns": list(patterns), **body}, {})


def test_backing_indices_say_whose_they_are() -> None:
    names = [".ds-logs-a-2026.11.23-000002", ".ds-logs-a-2026.11.24-000003", "plain", ".ds-odd"]
    assert list(data_streams({name: {} for name in names})) == ["logs-a"]


def test_a_template_is_composed_once_and_keeps_what_it_has() -> None:
    mine = template("logs-*", composed_of=["a@mappings"], priority=5, data_stream={})
    component, whole = mine.composed({"properties": {}})
    assert component[0] == "/_component_template/theirs-simhash@mappings"
    assert component[1]["template"] == {"mappings": {"properties": {}}}
    assert whole == (
        "/_index_template/theirs",
        {**mine.body, "composed_of": ["a@mappings", "theirs-simhash@mappings"]},
    )
    again = IndexTemplate("theirs", whole[1], {})
    assert [path for path, _ in again.composed({})] == [component[0]]


def test_an_index_beside_a_data_stream_needs_a_template_only_where_one_would_take_it() -> None:
    assert exception_for("logs-simhash", template("logs-*")) is None
    assert exception_for("logs-simhash", template("logs", data_stream={})) is None
    found = exception_for("logs-simhash", template("x", "logs-*", data_stream={}, priority=7))
    assert found is not None
    assert found[0] == "/_index_template/logs-simhash@template"
    assert (found[1]["index_patterns"], found[1]["priority"]) == (["logs-simhash"], 8)


class _Refusing(Gateway):
    """A gateway to a cluster that answers nothing but an error."""

    def __init__(self, status: int) -> None:
        self._status = status

    def request(self, *_: Any, **__: Any) -> Any:
        raise RequestRejected("No.", status=self._status)


def test_templates_that_may_not_be_read_are_left_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    backing: dict[str, dict[str, Any]] = {".ds-logs-a-2026.11.23-000002": {}}
    with caplog.at_level(logging.WARNING):
        assert templates_of_streams(_Refusing(403), {"plain": {}}) == []
        assert caplog.text == ""
        assert templates_of_streams(_Refusing(403), backing) == []
    assert "data stream 'logs-a'" in caplog.text
    assert "install --template NAME" in caplog.text
    with pytest.raises(RequestRejected):
        templates_of_streams(_Refusing(500), backing)


@cluster
def test_the_next_index_of_a_data_stream_has_the_fields(client: Any, stream: DataStream) -> None:
    stream.put("a", text(1))
    index = Index(client, stream.name)
    planned = index.install(dry_run=True)
    assert [request.path for request in planned] == [
        f"/{stream.indices[0]}/_mapping",
        f"/_component_template/{stream.name}-simhash@mappings",
        f"/_index_template/{stream.name}",
        f"/_index_template/{stream.name}-simhash@template",
    ]
    assert "simhash" not in client.indices.get_mapping(index=stream.name).body[stream.indices[0]]
    assert index.install() == planned
    assert index.install() == []
    before = client.indices.get_index_template(name=stream.name)["index_templates"][0]
    assert before["index_template"]["index_patterns"] == [f"{stream.name}*"]
    assert before["index_template"]["template"]["mappings"]["properties"]["text"]
    stream.roll()
    mappings = Gateway(client).mappings(stream.name)
    assert len(mappings) == 2
    schemes = schemes_of(stream.name, mappings)
    assert schemes.left_out == ()
    assert schemes.semantics == DEFAULT_SEMANTICS
    first, second = (mapping["properties"]["simhash"] for mapping in mappings.values())
    assert first == second


@pytest.fixture
def index_template(client: Any, discard: Any) -> Iterator[str]:
    """An index template without data streams, for indices of its name and more."""
    name = f"test-{uuid.uuid4().hex}"
    mappings = {"_meta": {"owner": "library"}, "properties": {"shelf": {"type": "keyword"}}}
    client.indices.put_index_template(
        name=name, index_patterns=[f"{name}-*"], template={"mappings": mappings}, priority=700
    )
    yield name
    discard(*(f"{name}-{part}" for part in ("one", "two")))
    client.indices.delete_index_template(name=name)
    client.options(ignore_status=404).cluster.delete_component_template(
        name=f"{name}-simhash@mappings"
    )


@cluster
def test_an_index_made_from_a_template_needs_no_install(client: Any, index_template: str) -> None:
    assert len(install_in_template(client, index_template, dry_run=True)) == 2
    assert len(install_in_template(client, index_template)) == 2
    assert install_in_template(client, index_template) == []
    # Another method is added to the component alone.
    (request,) = install_in_template(client, index_template, scheme=["token-simhash"])
    assert request.path.startswith("/_component_template/")
    client.indices.create(index=f"{index_template}-one")
    mapping = Gateway(client).mappings(f"{index_template}-one")[f"{index_template}-one"]
    assert mapping["_meta"]["owner"] == "library"
    assert mapping["properties"]["shelf"] == {"type": "keyword"}
    members = mapping["properties"]["simhash"]["properties"]
    assert set(members["schemes"]["properties"]) == {"token-simhash"}
    assert install(client, f"{index_template}-one", scheme=["token-simhash"]) == []


@cluster
def test_a_template_that_cannot_take_the_fields_is_one_sentence(
    client: Any, index_template: str
) -> None:
    with pytest.raises(InputError, match="Index template 'no-such' does not exist"):
        install_in_template(client, "no-such")
    install_in_template(client, index_template)
    with pytest.raises(MappingConflict, match=f"'{index_template}' holds scheme "):
        install_in_template(client, index_template, scheme=Scheme(blocks=16))
    client.indices.put_index_template(
        name=index_template,
        index_patterns=[f"{index_template}-*"],
        template={"mappings": {"properties": {"simhash": {"type": "keyword"}}}},
        priority=700,
    )
    with pytest.raises(MappingConflict, match=r"maps .*simhash"):
        install_in_template(client, index_template)


@cluster
def test_of_several_templates_the_one_with_the_highest_priority_counts(
    client: Any, index_template: str
) -> None:
    gateway = Gateway(client)
    found = matching_template(gateway, f"{index_template}-one")
    assert found is not None
    assert (found.name, found.priority) == (index_template, 700)
    assert matching_template(gateway, f"no-{index_template}") is None


@cluster
def test_fields_are_completed_as_the_other_indices_have_them(
    client: Any, index_name: str, discard: Any, requests_of: list[str]
) -> None:
    one, two, other = (f"{index_name}-{part}" for part in ("1", "2", "3"))
    discard(one, two, other)
    install(client, one, scheme=["token-simhash"], semantics=None)
    client.indices.create(index=two)
    client.indices.update_aliases(actions=[{"add": {"indices": [one, two], "alias": index_name}}])
    config = Index(client, index_name).config
    assert [each.index for each in config.left_out] == [two]
    mappings = complete_fields(client, index_name, config)
    assert mappings == Gateway(client).mappings(index_name)
    assert mappings[one] == mappings[two]
    requests_of.clear()
    assert complete_fields(client, index_name, config) == mappings
    assert requests_of == [f"GET /{index_name}/_mapping"]
    # Fields that were written without a mapping cannot serve.
    client.index(index=other, document={"simhash": {"blocks": 3}}, refresh=True)
    client.indices.put_alias(index=other, name=index_name)
    with pytest.raises(MappingConflict, match=f"{other}' maps .*blocks"):
        complete_fields(client, index_name, config)
