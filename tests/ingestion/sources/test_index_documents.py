"""Another index, of this cluster or of one that a profile names, as a source."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.ingestion.sources.index_documents import IndexDocuments
from es_simhash.store.elasticsearch.gateway import Gateway
from tests.cli.conftest import Run, call, run  # noqa: F401

pytestmark = pytest.mark.cluster


def test_documents_of_an_index_are_written_with_their_ids_and_routings(
    client: Any,
    index_name: str,
    call: Run,  # noqa: F811
    cluster_url: str,
    tmp_path: Path,
) -> None:
    lines = [
        json.dumps(
            {"_id": f"d{n}", "_routing": f"r{n % 2}", "text": f"Text of number {n}.", "n": n}
        )
        for n in range(30)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "es-simhash.toml").write_text(f'[profiles.old]\nurl = "{cluster_url}"\n', "utf-8")
    near = f"{index_name}-near"
    for name, path in ((index_name, "a.jsonl"), (near, f"index:{index_name}")):
        assert call("install", name).status == 0
        done = call("ingest", name, path, "--quiet")
        assert done.out.startswith("30 written, 0 unchanged, 0 failed"), done
    client.indices.refresh(index=near)
    found = []
    for name in (index_name, near):
        hits = client.search(index=name, size=100, sort="_doc", fields=["simhash.*"])["hits"][
            "hits"
        ]
        found.append({hit["_id"]: (hit["_routing"], hit["_source"], hit["fields"]) for hit in hits})
    assert found[0] == found[1]
    again = call("ingest", near, f"index:old/{index_name}", "--quiet")
    assert again.out.startswith("0 written, 30 unchanged, 0 failed"), again
    missing = call("ingest", near, "index:nowhere-at-all", "--quiet")
    assert "nowhere-at-all" in missing.err
    assert missing.status == 1
    unknown = call("ingest", near, "index:odl/a", "--quiet")
    assert "odl" in unknown.err
    assert unknown.status == 1


def test_what_is_read_of_an_index_is_no_checkpoint(client: Any, index_name: str) -> None:
    from es_simhash.ingestion.bulk.document_batches import BatchLimits, Checkpoint

    client.indices.create(index=index_name)
    client.index(
        index=index_name, id="a", document={"text": "T", "simhash": {"x": 1}}, refresh=True
    )
    source = IndexDocuments("index:a", index_name, lambda: Gateway(client), "simhash")
    assert source.size() is None
    assert not source.is_unchanged(Checkpoint("index:a", 1, 1, ""))
    (batch,) = source.batches(BatchLimits(), None)
    assert batch.original(0) == b'{"text":"T","_id":"a"}'
    assert batch.checkpoint is None
