"""`es-simhash status`: documents counted by what they have."""

from typing import Any

import elasticsearch
import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.maintenance.diagnostics.index_state import count_documents, read_settings
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster


def test_documents_are_counted_by_their_schemes(
    client: Any, put: Any, bulk: Any, make_text: Any
) -> None:
    index = put({str(n): make_text(n) for n in range(6)} | {"e1": "", "e2": "?!"}, semantics=True)
    bulk({
        "old1": {"text": "a", "simhash": {"scheme": "one-before"}},
        "old2": {"text": "a", "simhash": {"scheme": "one-before", "semantic_scheme": "m0"}},
        "older": {"text": "a", "simhash": {"scheme": "two-before"}},
        "none": {"text": "a"},
        "failed": {"text": 5, "simhash": {"status": "failed", "error": "Field holds no text."}},
        "flagged": {"simhash": {"family": "f1", "duplicate_of": "0"}},
        "sibling": {"simhash": {"family": "f1"}},
        "alone": {"simhash": {"family": "f2"}},
    })  # fmt: skip
    found = count_documents(client, index)
    assert found.documents == 16
    assert (found.fingerprints.current, found.fingerprints.none) == (8, 5)
    assert found.fingerprints.others == {"one-before": 2, "two-before": 1}
    assert found.fingerprints.another == 3
    assert found.profiles is not None
    assert (found.profiles.current, found.profiles.others, found.profiles.none) == (
        8, {"m0": 1}, 7
    )  # fmt: skip
    assert (found.empty, found.failed) == (2, 1)
    assert (found.families, found.in_families, found.duplicates) == (2, 3, 1)
    assert found.bytes is None


def test_schemes_beyond_those_that_are_named_are_counted_too(
    client: Any, put: Any, bulk: Any, make_text: Any
) -> None:
    index = put({"a": make_text(1)})
    bulk({str(n): {"simhash": {"scheme": f"s{n}"}} for n in range(60)})
    found = count_documents(client, index).fingerprints
    assert (found.current, found.another, found.none) == (1, 60, 0)
    assert found.others["further schemes"] > 0


def test_an_index_without_semantic_fields_says_so(client: Any, put: Any, make_text: Any) -> None:
    assert count_documents(client, put({"a": make_text(1)})).profiles is None


def test_the_fields_are_measured_on_the_disk(client: Any, put: Any, make_text: Any) -> None:
    index = put({str(n): make_text(n, 400) for n in range(30)}, semantics=True)
    found = count_documents(client, index, with_size=True).bytes
    assert found is not None
    assert {"blocks", "shingles", "chunks", "concepts"} <= set(found)
    # 25 chunk fingerprints are more than one document fingerprint.
    assert found["chunks"] > found["fingerprint"]
    assert all("text" not in name for name in found)


def test_a_cluster_that_refuses_the_size_is_no_failure(
    client: Any, put: Any, make_text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = put({"a": make_text(1)})
    perform = client.transport.perform_request

    def refusing(method: str, target: str, **more: Any) -> Any:
        if "_disk_usage" in target:
            # As without the privilege: the API wants an index that is there.
            target = "/no-such-index/_disk_usage?run_expensive_tasks=true"
        return perform(method, target, **more)

    monkeypatch.setattr(client.transport, "perform_request", refusing)
    found = count_documents(client, index, with_size=True)
    assert (found.documents, found.bytes) == (1, None)


def test_indices_behind_an_alias_are_counted_together(
    client: Any, put: Any, make_text: Any
) -> None:
    index = put({"a": make_text(1)})
    second = f"{index}-second"
    try:
        install(client, second, semantics=None)
        client.index(index=second, id="b", document={"text": "c"}, refresh=True)
        found = count_documents(client, f"{index},{second}", with_size=True)
        assert (found.documents, found.fingerprints.none) == (2, 1)
        assert found.bytes
    finally:
        client.indices.delete(index=second)


def test_one_search_counts_everything(
    client: Any, put: Any, make_text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = put({"a": make_text(1)})
    sent: list[str] = []
    perform = client.transport.perform_request

    def recording(method: str, target: str, **more: Any) -> Any:
        sent.append(f"{method} {target.partition('?')[0]}")
        return perform(method, target, **more)

    monkeypatch.setattr(client.transport, "perform_request", recording)
    count_documents(client, index)
    assert sorted(sent) == [f"GET /{index}/_mapping", f"POST /{index}/_msearch"]


def test_the_command_prints_the_same_numbers(
    put: Any, make_text: Any, command: Any, cluster_url: str, bulk: Any
) -> None:
    index = put({str(n): make_text(n) for n in range(3)})
    bulk({"x": {"simhash": {"scheme": "\x1b[31mold"}}})
    status, found = command("status", index)
    assert status == 0
    assert (found["documents"], found["fingerprints"]["current"]) == (4, 3)
    assert sum(found["bytes"].values()) > 0
    shown = CliRunner().invoke(cli, ["status", index, "--url", cluster_url])
    assert f"index         {index}, 4 documents" in shown.output
    assert "1 with \\x1b[31mold" in shown.output
    assert "in addition to _source: " in shown.output
    assert "size" not in CliRunner().invoke(
        cli, ["status", index, "--no-size", "--url", cluster_url]
    ).output  # fmt: skip


def test_what_is_no_index_of_ours_is_refused_in_one_sentence(
    client: Any, index_name: str, cluster_url: str
) -> None:
    with pytest.raises(IndexMissing, match="does not exist"):
        count_documents(client, index_name)
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match=f"es-simhash install {index_name}"):
        count_documents(client, index_name)
    with pytest.raises(ClusterError):
        count_documents(elasticsearch.Elasticsearch("http://127.0.0.1:1", max_retries=0), "a")


def test_indices_that_lack_fields_are_named_as_they_are_called(
    client: Any, index_name: str
) -> None:
    name = f"{index_name}-港口"
    client.indices.create(index=name)
    try:
        assert read_settings(Gateway(client), name, IndexConfig()).outdated == (name,)
    finally:
        client.indices.delete(index=name)
