"""Changes of documents in the version that was read, and what becomes of each."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.elasticsearch.updates import change_documents, require_accepted
from es_simhash.store.installation.install import install
from es_simhash.store.rows import WriteResult
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster


@pytest.fixture
def versions(client: Any, index_name: str) -> dict[str, DocumentVersion]:
    """Three documents, of which the second was written again and the third deleted since."""
    install(client, index_name, semantics=None)
    read = {}
    for id in ("same", "newer", "gone"):
        written = client.index(index=index_name, id=id, document={"text": id})
        ref = DocumentRef(index_name, id)
        read[id] = DocumentVersion(ref, written["_seq_no"], written["_primary_term"])
    client.index(index=index_name, id="newer", document={"text": "again"})
    client.delete(index=index_name, id="gone")
    return read


def test_only_the_version_that_was_read_is_changed(
    client: Any, index_name: str, versions: dict[str, DocumentVersion]
) -> None:
    changes = [Change(version, {"family": "f"}) for version in versions.values()]
    results = change_documents(Gateway(client), changes, "simhash")
    assert [result.status for result in results] == ["written", "conflict", "missing"]
    stored = {id: client.get(index=index_name, id=id)["_source"] for id in ("same", "newer")}
    assert stored == {"same": {"text": "same", "simhash": {"family": "f"}},
                      "newer": {"text": "again"}}  # fmt: skip


def test_only_the_version_that_was_read_is_deleted(
    client: Any, index_name: str, versions: dict[str, DocumentVersion]
) -> None:
    changes = [Change(versions["same"], None), Change(versions["newer"], None)]
    results = change_documents(Gateway(client), changes, "simhash", index=index_name)
    assert [result.status for result in results] == ["written", "conflict"]
    assert not client.exists(index=index_name, id="same")
    assert client.exists(index=index_name, id="newer")


@pytest.mark.parametrize("members", [{"family": "f", "representative": None}, None])
def test_a_change_whose_answer_was_lost_is_written(
    client: Any,
    index_name: str,
    versions: dict[str, DocumentVersion],
    proxy: Proxy,
    members: dict[str, Any] | None,
) -> None:
    lost = proxy.lose_a_bulk_request(client)
    changes = [Change(versions[id], members) for id in ("newer", "same")]
    quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
    with connect(proxy.url) as asked:
        results = change_documents(Gateway(asked, quick), changes, "simhash")
    assert [next(iter(item.values()))["status"] for item in lost[0]["items"]] == [409, 200]
    # The first conflicts with another writer, the second with itself.
    assert results == [WriteResult("conflict"), WriteResult("written")]


def test_a_change_is_not_written_where_the_document_has_another_value(
    client: Any, index_name: str, versions: dict[str, DocumentVersion], proxy: Proxy
) -> None:
    busy = []

    def hook(path: str, body: bytes) -> Any:
        if "_bulk" not in path or busy:
            return None
        client.update(index=index_name, id="same", doc={"simhash": {"family": "other"}})
        busy.append(client.delete(index=index_name, id="newer"))
        return 503, b"{}"

    proxy.hook = hook
    changes = [Change(versions[id], {"family": "f"}) for id in ("same", "newer")]
    changes.append(Change(versions["same"], None))
    quick = RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=1)
    with connect(proxy.url) as asked:
        results = change_documents(Gateway(asked, quick), changes, "simhash")
    assert [result.status for result in results] == ["conflict", "missing", "conflict"]


def test_a_change_that_is_rejected_says_of_which_document(
    versions: dict[str, DocumentVersion],
) -> None:
    change = Change(versions["same"], {})
    results = [WriteResult("rejected", "no room")]
    with pytest.raises(ClusterError, match=r"^Document 'same' is rejected: no room\. Run"):
        require_accepted([change], results)
    assert require_accepted([change], [WriteResult("written")]) == [WriteResult("written")]
