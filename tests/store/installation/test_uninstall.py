"""What was put into an index is removed, what cannot be is named, and other fields stay."""

import uuid
from typing import Any

import pytest

from es_simhash import Index, IndexConfig, MappingConflict
from es_simhash.errors import ClusterError
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install_in_template
from es_simhash.store.installation.uninstall import uninstall
from tests.support.data_streams import DataStream
from tests.support.shelf import text

pytestmark = pytest.mark.cluster


@pytest.fixture
def name(discard: Any) -> str:
    name = f"test-{uuid.uuid4().hex}"
    discard(name, f"{name}-simhash", f"{name}-near")
    return name


def sources(client: Any, name: str) -> list[dict[str, Any]]:
    client.indices.refresh(index=name)
    return [hit["_source"] for hit in client.search(index=name, size=100)["hits"]["hits"]]


def has_state(client: Any, name: str) -> bool:
    return bool(client.indices.exists(index=f"{name}-simhash", expand_wildcards="all"))


@pytest.mark.long
def test_documents_mapping_and_state_have_nothing_of_it_and_a_second_run_does_nothing(
    client: Any, name: str
) -> None:
    client.indices.create(index=name, mappings={"_meta": {"owner": "library"}})
    client.index(index=name, id="r", routing="x", document={"text": text(1), "n": 1.0})
    client.index(index=name, id="e", document={"text": "", "n": 2})
    client.index(index=name, id="plain", document={"n": 3})
    index = Index(client, name)
    index.install()
    assert {outcome.ok for outcome in index.backfill()} == {True}
    index.dismiss("r", "e")
    planned = index.uninstall(dry_run=True)
    assert planned.documents == 2
    assert [(request.method, request.path) for request in planned.requests] == [
        ("DELETE", f"/{name}-simhash"),
        ("PUT", f"/{name}/_mapping"),
    ]
    assert has_state(client, name)
    assert index.uninstall() == planned
    assert not has_state(client, name)
    assert sorted(sources(client, name), key=lambda source: source["n"]) == [
        {"text": text(1), "n": 1.0, "simhash": None},
        {"text": "", "n": 2, "simhash": None},
        {"n": 3},
    ]
    mapping = Gateway(client).mappings(name)[name]
    assert mapping["_meta"] == {"owner": "library"}
    assert any("simhash" in sentence and "re-index" in sentence for sentence in planned.left)
    again = index.uninstall()
    assert (again.documents, again.requests) == (0, ())
    with pytest.raises(MappingConflict, match="has no fingerprint fields"):
        _ = index.config
    # And back again.
    index.install()
    assert sorted(outcome.status for outcome in index.backfill())[:2] == ["without_text", "written"]


def test_an_index_that_has_none_is_refused(client: Any, name: str) -> None:
    client.index(index=name, id="1", document={"text": text(1)}, refresh=True)
    with pytest.raises(MappingConflict, match="has no fingerprint fields"):
        uninstall(client, name)


@pytest.mark.long
def test_fingerprints_of_another_field_stay_with_what_is_kept_of_them(
    client: Any, name: str
) -> None:
    client.index(index=name, id="1", document={"text": text(1)})
    client.index(index=name, id="2", document={"text": text(2)}, refresh=True)
    both = [Index(client, name, IndexConfig(simhash_field=f)) for f in ("simhash", "deep.other")]
    for index in both:
        index.install()
        list(index.backfill())
        index.dismiss("1", "2")
    removed = both[1].uninstall()
    assert removed.documents == 2
    assert any("-simhash" in sentence and "other fields" in sentence for sentence in removed.left)
    assert all(source["deep.other"] is None for source in sources(client, name))
    assert [pair.ids for pair in both[0].manual_pairs()] == [("1", "2")]
    assert both[1].manual_pairs() == []
    assert both[0].config.simhash_field == "simhash"
    both[0].uninstall()
    assert not has_state(client, name)


def test_a_sidecar_is_deleted_unless_it_has_documents_of_somebody(client: Any, name: str) -> None:
    client.index(index=name, id="1", document={"text": text(1)}, refresh=True)
    sidecar = f"{name}-near"
    assert all(each.ok for each in Index(client, name).backfill(sidecar=sidecar))
    client.index(index=sidecar, id="theirs", document={"n": 1}, refresh=True)
    with pytest.raises(MappingConflict, match="1 document that no backfill wrote"):
        uninstall(client, sidecar)
    client.delete(index=sidecar, id="theirs", refresh=True)
    assert uninstall(client, sidecar, dry_run=True).documents == 1
    uninstall(client, sidecar)
    assert not client.indices.exists(index=sidecar)
    assert sources(client, name) == [{"text": text(1)}]


@pytest.mark.long
def test_the_template_of_a_data_stream_is_as_before(client: Any, stream: DataStream) -> None:
    stream.put("a", text(1))
    index = Index(client, stream.name)
    index.install()
    list(index.backfill())
    index.uninstall()
    (entry,) = client.indices.get_index_template(name=stream.name)["index_templates"]
    assert entry["index_template"]["composed_of"] == []
    quiet = client.options(ignore_status=404)
    for path in (
        f"/_component_template/{stream.name}-simhash@mappings",
        f"/_index_template/{stream.name}-simhash@template",
    ):
        assert (
            quiet.perform_request("GET", path, headers={"accept": "application/json"}).meta.status
            == 404
        )
    new = stream.roll()
    assert (
        "simhash" not in client.indices.get_mapping(index=new).body[new]["mappings"]["properties"]
    )


def test_a_template_that_another_index_needs_is_left_and_named(client: Any, discard: Any) -> None:
    name = f"test-{uuid.uuid4().hex}"
    first, second = f"{name}-one", f"{name}-two"
    client.indices.put_index_template(name=name, index_patterns=[f"{name}-*"], priority=700)
    discard(first, second)
    try:
        install_in_template(client, name)
        for each in (first, second):
            client.indices.create(index=each)
        left = uninstall(client, first).left
        assert any(repr(name) in sentence and repr(second) in sentence for sentence in left)
        composed = f"{name}-simhash@mappings"
        requests = uninstall(client, second).requests
        assert ("DELETE", f"/_component_template/{composed}") in [
            (request.method, request.path) for request in requests
        ]
    finally:
        client.indices.delete_index_template(name=name)
        client.options(ignore_status=404).cluster.delete_component_template(
            name=f"{name}-simhash@mappings"
        )


def test_a_template_may_name_an_index_that_does_not_exist(
    client: Any, name: str, discard: Any
) -> None:
    first, second = f"{name}-app", f"{name}-metrics"
    client.indices.put_index_template(name=name, index_patterns=[first, second], priority=700)
    discard(first)
    try:
        install_in_template(client, name)
        client.indices.create(index=first)
        requests = [(request.method, request.path) for request in uninstall(client, first).requests]
        assert ("DELETE", f"/_component_template/{name}-simhash@mappings") in requests
    finally:
        client.indices.delete_index_template(name=name)
        client.options(ignore_status=404).cluster.delete_component_template(
            name=f"{name}-simhash@mappings"
        )


class _Gateway(Gateway):
    """A gateway that answers some requests otherwise."""

    def __init__(self, client: Any, answers: dict[str, Any]) -> None:
        super().__init__(client)
        self._answers = answers

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        for part, answer in self._answers.items():
            if part in path:
                if isinstance(answer, Exception):
                    raise answer
                return answer
        return super().request(method, path, body, **options)


def test_templates_that_may_not_be_read_are_named(client: Any, name: str) -> None:
    Index(client, name).install()
    gateway = _Gateway(client, {"_index_template": RequestRejected("No.", status=403)})
    left = uninstall(gateway, name, dry_run=True).left
    assert any("manage_index_templates" in sentence for sentence in left)
    with pytest.raises(RequestRejected):
        uninstall(_Gateway(client, {"_index_template": RequestRejected("x", status=500)}), name)


def test_the_setting_that_names_the_pipeline_goes_first_and_what_is_shared_on_demand(
    client: Any, name: str
) -> None:
    index = Index(client, name)
    index.install()
    setting = {"index.default_pipeline": "simhash@pipeline"}
    ours = _Gateway(client, {f"{name}/_settings": {name: {"settings": setting}}})
    (first, *_) = uninstall(ours, name, dry_run=True).requests
    assert (first.method, first.path) == ("PUT", f"/{name}/_settings")
    assert first.body == {"index.default_pipeline": None}
    paths = [
        request.path for request in uninstall(client, name, shared=True, dry_run=True).requests
    ]
    assert paths[-2:] == [
        "/_ingest/pipeline/simhash@pipeline",
        "/_component_template/simhash@mappings",
    ]
    used = _Gateway(client, {"/*/_settings": {"theirs": {"settings": setting}}})
    report = uninstall(used, name, shared=True, dry_run=True)
    assert [request.path for request in report.requests][-1].startswith("/_component_template")
    assert any("'theirs'" in sentence for sentence in report.left)


def test_writers_that_keep_adding_fields_are_named(client: Any, name: str) -> None:
    index = Index(client, name)
    index.install()
    list(index.ingest([{"id": "1", "text": text(1)}]))

    class Busy(Gateway):
        def bulk(self, actions: Any, *, index: str | None = None) -> Any:
            return [{"status": 409, "error": {"reason": "changed"}} for _ in actions]

    with pytest.raises(ClusterError, match="Other writers"):
        uninstall(Busy(client), name)

    class Full(Gateway):
        def bulk(self, actions: Any, *, index: str | None = None) -> Any:
            return [{"status": 403, "error": {"reason": "blocked"}} for _ in actions]

    with pytest.raises(ClusterError, match="Document '1' is rejected: blocked"):
        uninstall(Full(client), name)
