"""Changes of documents in the version that was read, and what becomes of each."""

from typing import Any

import pytest

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.changes import Change
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.updates import change_documents, require_accepted
from es_simhash.store.installation.install import install
from es_simhash.store.rows import WriteResult

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


def test_a_change_that_is_rejected_says_of_which_document(
    versions: dict[str, DocumentVersion],
) -> None:
    change = Change(versions["same"], {})
    results = [WriteResult("rejected", "no room")]
    with pytest.raises(ClusterError, match=r"^Document 'same' is rejected: no room\. Run"):
        require_accepted([change], results)
    assert require_accepted([change], [WriteResult("written")]) == [WriteResult("written")]
