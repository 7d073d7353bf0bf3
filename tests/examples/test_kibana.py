"""Kibana: what its saved objects refer to and search for, ES|QL, and the index of Filebeat."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from elasticsearch.esql import ESQL

from es_simhash.maintenance.families.find_families import find_families
from scripts.build_kibana_dashboard import DASHBOARD, DATE, INDEX, content
from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise
from tests.support.page_blocks import blocks
from tests.support.page_shell import PageShell

pytestmark = pytest.mark.cluster

README = "examples/kibana/README.md"
TEXT = make_text(1, 200)
OTHER = make_text(9, 200)


def document(id: str, day: int, section: str, text: str) -> dict[str, Any]:
    return {"id": id, DATE: f"2026-03-{day:02}", "section": section, "text": text}


@pytest.fixture(scope="module")
def filled(cluster_url: str) -> Iterator[tuple[Any, str]]:
    """An index with a family of three in one section, of two in another, and what copies."""
    documents = [
        *(document(f"a{n}", n, "news", revise(TEXT, n, 0.03)) for n in (1, 2, 3)),
        *(document(f"b{n}", n, "sport", revise(OTHER, n, 0.03)) for n in (4, 5)),
        document("c", 6, "sport", f"{make_text(5, 1500)} {TEXT}"),
    ]
    with filled_index(cluster_url, documents) as (client, name):
        find_families(client, name)
        client.indices.refresh(index=name)
        yield client, name
        client.indices.delete(index=f"{name}-copies", ignore_unavailable=True)


@pytest.fixture(scope="module")
def objects() -> dict[str, dict[str, Any]]:
    """The saved objects by their ids."""
    lines = map(json.loads, DASHBOARD.read_text("utf-8").splitlines())
    return {each["id"]: each for each in lines}


@pytest.fixture(scope="module")
def specs(objects: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The specification of each panel by its title."""
    states = (
        json.loads(each["attributes"]["visState"])
        for each in objects.values()
        if each["type"] == "visualization"
    )
    return {state["title"]: json.loads(state["params"]["spec"]) for state in states}


def test_the_file_is_what_the_script_writes() -> None:
    assert DASHBOARD.read_text("utf-8") == content()


def test_every_reference_is_an_object_of_the_file(objects: dict[str, dict[str, Any]]) -> None:
    kinds = {id: each["type"] for id, each in objects.items()}
    for each in objects.values():
        assert {"type", "id", "attributes", "references"} <= each.keys()
        for reference in each["references"]:
            assert kinds[reference["id"]] == reference["type"]
    (dashboard,) = (each for each in objects.values() if each["type"] == "dashboard")
    names = {reference["name"]: reference for reference in dashboard["references"]}
    attributes = dashboard["attributes"]
    panels = json.loads(attributes["panelsJSON"])
    used = [names[panel["panelRefName"]]["type"] for panel in panels]
    assert used == ["visualization"] * 3
    source = json.loads(attributes["kibanaSavedObjectMeta"]["searchSourceJSON"])
    assert names[source["indexRefName"]]["type"] == "index-pattern"
    assert len(names) == len(panels) + 1
    # No panel lies on another, and none is wider than the grid of Kibana.
    cells = [
        (x, y)
        for grid in (panel["gridData"] for panel in panels)
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 48


def test_panels_show_what_their_searches_return(
    filled: tuple[Any, str], specs: dict[str, dict[str, Any]]
) -> None:
    client, name = filled
    shown = {}
    for title, spec in specs.items():
        url = spec["data"]["url"]
        assert url["index"] == INDEX
        found = client.search(index=name, body=url["body"]).body
        for part in spec["data"]["format"]["property"].split("."):
            found = found[part]
        rows = found if isinstance(found, list) else [found]
        columns = [channel["field"] for channel in spec["encoding"].values()]
        shown[title] = [[_value(row, column) for column in columns] for row in rows]
    assert shown["Families"] == [[2]]
    assert [count for _, count in shown["Versions a day"] if count] == [1, 1, 1]
    assert [count for _, count in shown["Largest families"]] == [3, 2]


def _value(row: Any, column: str) -> Any:
    for part in column.split("."):
        row = row[part]
    return row


def test_the_queries_are_those_of_the_builder_of_the_client() -> None:
    versions = (
        ESQL.from_(INDEX)
        .where("simhash.representative IS NULL OR simhash.representative")
        .keep("title", DATE, "simhash.family")
        .sort(f"{DATE} DESC")
        .limit(10)
    )
    days = (
        ESQL.from_(INDEX)
        .where("simhash.representative == false")
        .stats("versions = COUNT(*)", "families = COUNT_DISTINCT(simhash.family)")
        .by(f"day = DATE_TRUNC(1 day, {DATE})")
        .sort("day")
    )
    families = (
        ESQL.from_(INDEX)
        .where("simhash.family IS NOT NULL")
        .stats("documents = COUNT(*)", f"newest = MAX({DATE})")
        .by("simhash.family")
        .where("documents > 1")
        .sort("documents DESC")
        .limit(10)
    )
    copies = (
        ESQL.from_(f"{INDEX}-copies")
        .stats("pairs = COUNT(*)", "letters = SUM(letters)")
        .by("original", "copier")
        .sort("letters DESC")
    )
    written = [block.body.strip() for block in blocks(README) if block.body.startswith("FROM ")]
    assert written == [str(query) for query in (versions, days, families, copies)]


def test_copies_are_counted_by_section(filled: tuple[Any, str], cluster_url: str) -> None:
    client, name = filled
    shell = PageShell(client, cluster_url, {INDEX: name})
    for block in blocks(README):
        if block.is_run:
            shell.run(block)
    (answer,) = shell.answers.values()
    (original,) = answer["aggregations"]["original"]["buckets"]
    (copier,) = original["copier"]["buckets"]
    assert (original["key"], copier["key"]) == ("news", "sport")
    assert copier["letters"]["value"] > 1_000


def test_filebeat_writes_to_that_index_and_keeps_ids() -> None:
    settings = yaml.safe_load((DASHBOARD.parent / "filebeat.yml").read_text("utf-8"))
    output = settings["output.elasticsearch"]
    assert output["index"] == INDEX
    (parser,) = settings["filebeat.inputs"][0]["parsers"]
    assert parser["ndjson"]["document_id"] == "id"
    # An index of another name than Filebeat's needs both.
    assert settings["setup.template.enabled"] is settings["setup.ilm.enabled"] is False
    assert re.search(r"pipeline: simhash@pipeline", (DASHBOARD.parent / "filebeat.yml").read_text())
