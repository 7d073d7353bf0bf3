"""A sidecar without what its index has no longer."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from es_simhash.cli.main import cli
from es_simhash.errors import ClusterError, IndexMissing, MappingConflict
from es_simhash.maintenance.backfills import prune as module
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backfills.prune import PruneReport, prune

pytestmark = pytest.mark.cluster

ONE = BackfillSettings(processes=1)


@pytest.fixture
def sidecar(
    client: Any, index_name: str, write: Any, documents: Any, discard: Callable[..., None]
) -> Iterator[str]:
    """A sidecar of an index of six documents, two of which are deleted by now."""
    name = f"{index_name}-sidecar"
    write(index_name, documents(6))
    assert all(each.ok for each in backfill(client, index_name, sidecar=name, settings=ONE))
    ids = sorted(each["_id"] for each in hits_of(client, index_name))
    for id in ids[:2]:
        client.delete(index=index_name, id=id, refresh=False)
    yield name
    discard(name)


def hits_of(client: Any, index: str) -> list[dict[str, Any]]:
    client.indices.refresh(index=index)
    found: list[dict[str, Any]] = client.search(index=index, size=100)["hits"]["hits"]
    return found


def ids_of(client: Any, index: str) -> set[str]:
    return {each["_id"] for each in hits_of(client, index)}


def test_what_is_gone_is_deleted_and_nothing_else(
    client: Any, index_name: str, sidecar: str
) -> None:
    client.index(index=sidecar, id="mine", document={"title": "Of the user."})
    assert prune(client, index_name, sidecar, dry_run=True) == PruneReport(deleted=2, foreign=1)
    assert len(ids_of(client, sidecar)) == 7
    assert prune(client, index_name, sidecar) == PruneReport(deleted=2, foreign=1)
    assert ids_of(client, sidecar) == ids_of(client, index_name) | {"mine"}
    assert prune(client, index_name, sidecar) == PruneReport(deleted=0, foreign=1)


@pytest.mark.long
def test_one_id_in_many_indices_hides_no_other(
    client: Any, index_name: str, sidecar: str, write: Callable[..., None]
) -> None:
    alias, others = f"{index_name}-alias", [f"{index_name}-{number}" for number in range(5)]
    try:
        shared = sorted(ids_of(client, index_name))[0]
        for other in others:
            write(other, {shared: {"text": "The same id in each of them."}})
        client.indices.put_alias(index=[index_name, *others], name=alias)
        list(backfill(client, alias, sidecar=sidecar, settings=ONE))
        assert prune(client, alias, sidecar) == PruneReport(deleted=2)
        assert ids_of(client, sidecar) == ids_of(client, index_name)
    finally:
        client.indices.delete(index=others, ignore_unavailable=True)


def test_a_sidecar_of_another_index_is_left_alone(
    client: Any, index_name: str, sidecar: str, write: Callable[..., None]
) -> None:
    other = f"{index_name}-other"
    try:
        write(other, {"x": {"text": "A text of another index."}})
        with pytest.raises(MappingConflict, match=f"the sidecar of '{index_name}', not of"):
            prune(client, other, sidecar)
        with pytest.raises(MappingConflict, match="no sidecar"):
            prune(client, sidecar, other)
    finally:
        client.indices.delete(index=other, ignore_unavailable=True)
    assert len(ids_of(client, sidecar)) == 6


def test_an_index_that_is_gone_takes_nothing_along(
    client: Any, index_name: str, sidecar: str
) -> None:
    client.indices.delete(index=index_name)
    with pytest.raises(IndexMissing):
        prune(client, index_name, sidecar)
    assert len(ids_of(client, sidecar)) == 6


def test_what_is_written_again_meanwhile_is_left(
    client: Any, index_name: str, sidecar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = module._delete

    def after_a_write(gateway: Any, orphans: Any) -> list[str]:
        row, gone = orphans
        client.index(index=sidecar, id=row.id, document=source_of(client, sidecar, row.id))
        client.delete(index=sidecar, id=gone.id)
        return delete(gateway, orphans)

    before = ids_of(client, sidecar)
    with monkeypatch.context() as patched:
        patched.setattr(module, "_delete", after_a_write)
        assert prune(client, index_name, sidecar) == PruneReport(deleted=0, changed=2)
    assert len(before - ids_of(client, sidecar)) == 1
    assert prune(client, index_name, sidecar) == PruneReport(deleted=1)


def source_of(client: Any, index: str, id: str) -> dict[str, Any]:
    source: dict[str, Any] = client.get(index=index, id=id)["_source"]
    return source


def test_a_rejected_deletion_is_an_error(client: Any, index_name: str, sidecar: str) -> None:
    client.indices.put_settings(index=sidecar, settings={"index.blocks.write": True})
    with pytest.raises(ClusterError, match="rejects deletions"):
        prune(client, index_name, sidecar)
    client.indices.put_settings(index=sidecar, settings={"index.blocks.write": False})
    assert len(ids_of(client, sidecar)) == 6


Command = Callable[..., Result]


@pytest.fixture
def command(cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `es-simhash backfill` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(
        cli, ["backfill", *arguments, "--url", cluster_url]
    )


def test_the_command(client: Any, index_name: str, sidecar: str, command: Command) -> None:
    arguments = (index_name, "--sidecar", sidecar, "--prune")
    would = command(*arguments, "--dry-run")
    assert "2 documents of " in would.stdout
    assert "Would delete 2 documents of " in would.stdout
    assert len(ids_of(client, sidecar)) == 6
    done = command(*arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Deleted 2 documents of " in done.stdout
    assert ids_of(client, sidecar) == ids_of(client, index_name)
    alone = command(index_name, "--prune")
    assert alone.exit_code == 1
    assert "--prune requires a sidecar index. Set --sidecar." in alone.stderr
    wrong = command(sidecar, "--sidecar", index_name, "--prune")
    assert wrong.exit_code == 1
    assert "is no sidecar" in wrong.stderr


def test_the_command_prunes_although_documents_fail(
    client: Any, index_name: str, sidecar: str, command: Command
) -> None:
    client.index(index=index_name, id="bad", document={"text": 5}, refresh=True)
    client.index(index=sidecar, id="mine", document={"title": "Of the user."})
    done = command(index_name, "--sidecar", sidecar, "--prune")
    assert done.exit_code == 1
    assert "1 document failed." in done.stderr
    assert "Deleted 2 documents of " in done.stdout
    assert "Left 1 that no backfill wrote." in done.stdout
    assert ids_of(client, sidecar) == ids_of(client, index_name) - {"bad"} | {"mine"}
