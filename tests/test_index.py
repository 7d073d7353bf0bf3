"""`Index` carries the verbs: each is the function of its room, for the client, name and config."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import Index, IndexConfig, SidecarIndex
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.undo import undo
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.families.dismissals_and_joins import (
    dismiss,
    join,
    lift_undone,
    manual_pairs,
)
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import install
from es_simhash.store.installation.proposal import propose_settings

VERBS: dict[str, Callable[..., Any]] = {
    "backfill": backfill,
    "configure": configure,
    "copies": find_copies,
    "dismiss": dismiss,
    "estimate": estimate,
    "families": find_families,
    "ingest": ingest,
    "install": install,
    "join": join,
    "lift_undone": lift_undone,
    "manual_pairs": manual_pairs,
    "propose_settings": propose_settings,
    "settings": document_settings,
    "sweep": sweep,
    "undo": undo,
}
# What the index itself has.
GIVEN = {"self", "client", "index", "config", "simhash_field"}
TEXT = "The harbour opens at six in the morning. Boats wait outside until the light is green."


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_takes_what_its_function_takes(name: str) -> None:
    method = inspect.signature(getattr(Index, name)).parameters
    function = inspect.signature(VERBS[name]).parameters
    expected = [parameter for key, parameter in function.items() if key not in GIVEN]
    got = [parameter for key, parameter in method.items() if key not in GIVEN]
    assert [(each.name, each.kind) for each in got] == [(each.name, each.kind) for each in expected]
    if name != "install":  # whose scheme is by default that of the config
        assert got == expected


@pytest.mark.long
@pytest.mark.cluster
def test_the_verbs_use_the_configuration_of_the_index(client: Any, index_name: str) -> None:
    index = Index(client, index_name, IndexConfig(text_field="body", simhash_field="fp"))
    assert index.install()
    assert index.install() == []
    documents = [
        {"_id": id, "body": f"{TEXT} {id}", "published": "2026-03-01"} for id in ("a", "b")
    ]
    assert [outcome.status for outcome in index.ingest(documents)] == ["written", "written"]
    client.indices.refresh(index=index_name)
    assert "fp" in client.get(index=index_name, id="a")["_source"]
    assert index.configure({"text": "body", "representative": "longest"})[index_name].text == "body"
    assert index.settings().representative == "longest"
    assert index.propose_settings().date == "published"
    assert index.estimate().documents == 0
    assert list(index.backfill()) == []
    assert [family.members for family in index.families().families] == [("a", "b")]
    index.dismiss("a", "b")
    assert [pair.ids for pair in index.manual_pairs()] == [("a", "b")]
    assert index.join(["a", "b"], replace=True)[0].reason == "joined"
    assert index.sweep().conflicted == ()
    client.indices.delete(index=f"{index_name}-simhash")


@pytest.mark.cluster
def test_an_index_that_was_opened_before_knows_what_was_configured(
    client: Any, index_name: str
) -> None:
    index = Index(client, index_name)
    index.install()
    assert index.config.documents.title is None
    list(index.ingest([{"_id": "a", "text": TEXT, "headline": "Harbour"}]))
    client.indices.refresh(index=index_name)
    index.configure({"title": "headline"})
    assert index.config.documents.title == "headline"


@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize(
    "verb",
    [
        lambda index: index.copies(),
        lambda index: index.families(),
        lambda index: list(index.ingest([{"_id": "b", "text": TEXT}])),
        lambda index: index.sweep(),
        lambda index: index.family("a"),
    ],
    ids=["copies", "families", "ingest", "sweep", "family"],
)
def test_what_a_sidecar_cannot_do_names_its_index(
    client: Any, index_name: str, verb: Callable[[Index], object]
) -> None:
    client.index(index=index_name, id="a", document={"text": TEXT}, refresh=True)
    sidecar = f"{index_name}-side"
    try:
        assert len(list(Index(client, index_name).backfill(sidecar=sidecar))) == 1
        client.indices.refresh(index=sidecar)
        index = SidecarIndex(client, sidecar)
        assert index.explain("a", "a").kind == "exact"
        with pytest.raises(EsSimhashError, match=f"sidecar of '{index_name}'"):
            verb(index)
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)
