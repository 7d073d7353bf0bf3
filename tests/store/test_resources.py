"""The files that hold what is created in the cluster."""

import json
from pathlib import Path

import pytest

from es_simhash.store import fields
from es_simhash.store.resources import template

FOLDER = Path(__file__).parents[2] / "mappings"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_versioned_described_and_managed(path: Path) -> None:
    name, _, kind = path.name.removesuffix(".json").partition("@")
    assert name.startswith("simhash")
    content = json.loads(path.read_text("utf-8"))
    assert content["version"] >= 1
    assert content["_meta"]["managed"] is True
    assert content["_meta"]["description"]
    assert list(content["template"]) == [kind]


def test_templates_are_put_together() -> None:
    state = template("simhash-state@mappings", "simhash-state@settings")
    assert state.keys() == {"mappings", "settings"}
    assert state["mappings"]["properties"].keys() >= {"kind", "ids", "run", "at"}


def test_the_sidecar_maps_what_backfill_writes() -> None:
    source = template("simhash-sidecar@mappings")["mappings"]["properties"][fields.SOURCE]
    assert set(source["properties"]) == {
        fields.INDEX,
        fields.ROUTING,
        fields.SEQ_NO,
        fields.PRIMARY_TERM,
    }
