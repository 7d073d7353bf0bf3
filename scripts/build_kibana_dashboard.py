"""Write the dashboard of examples/kibana: saved objects of Kibana, a line of JSON each.

    python -m scripts.build_kibana_dashboard

Panels are Vega over searches of Elasticsearch, so that the tests can send what Kibana sends.
"""

import json
from typing import Any

from scripts.build_site import ROOT

DASHBOARD = ROOT / "examples" / "kibana" / "dashboard.ndjson"
INDEX, DATE = "articles", "published"
# Versions of saved objects since which Kibana migrates them: those of 8.0.
_CORE, _VEGA, _VIEW = "8.0.0", "8.0.0", "8.0.0"
_VIEW_ID = "es-simhash-articles"
_IS_SUPERSEDED = {"term": {"simhash.representative": False}}


def panels() -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite specification of each panel, by its title."""
    families = {"cardinality": {"field": "simhash.family"}}
    return {
        # A document that has no version is a family by itself, which nothing else represents.
        "Families": _spec(
            {"size": 0, "query": _IS_SUPERSEDED, "aggs": {"families": families}},
            "aggregations",
            {"type": "text", "fontSize": 48},
            {"text": {"field": "families.value", "type": "quantitative"}},
        ),
        "Versions a day": _spec(
            {
                "size": 0,
                "query": _IS_SUPERSEDED,
                "aggs": {"days": {"date_histogram": {"field": DATE, "calendar_interval": "day"}}},
            },
            "aggregations.days.buckets",
            {"type": "bar"},
            {
                "x": {"field": "key", "type": "temporal", "title": "day"},
                "y": {"field": "doc_count", "type": "quantitative", "title": "versions"},
            },
        ),
        "Largest families": _spec(
            {
                "size": 0,
                "aggs": {
                    "families": {
                        "terms": {"field": "simhash.family", "size": 10, "min_doc_count": 2}
                    }
                },
            },
            "aggregations.families.buckets",
            {"type": "bar"},
            {
                "y": {"field": "key", "type": "nominal", "sort": "-x", "title": "family"},
                "x": {"field": "doc_count", "type": "quantitative", "title": "documents"},
            },
        ),
    }


def _spec(
    body: dict[str, Any], part: str, mark: dict[str, Any], encoding: dict[str, Any]
) -> dict[str, Any]:
    # Without `%context%` Kibana adds no filter and no time: the panels are of the whole index.
    url = {"index": INDEX, "body": body}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"url": url, "format": {"property": part}},
        "mark": mark,
        "encoding": encoding,
    }


def saved_objects() -> list[dict[str, Any]]:
    """Return the saved objects: the data view, the panels, and the dashboard of them."""
    view = _object(
        "index-pattern",
        _VIEW_ID,
        {"title": INDEX, "name": "es-simhash: articles", "timeFieldName": DATE},
        _VIEW,
    )
    titled = {f"es-simhash-{title.lower().replace(' ', '-')}": title for title in panels()}
    shown = [
        _object(
            "visualization",
            id,
            {
                "title": title,
                "visState": _dumped(_vis_state(title, panels()[title])),
                "uiStateJSON": "{}",
                "kibanaSavedObjectMeta": {"searchSourceJSON": "{}"},
            },
            _VEGA,
        )
        for id, title in titled.items()
    ]
    return [view, *shown, _dashboard(titled)]


def _vis_state(title: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "vega",
        "aggs": [],
        "params": {"spec": json.dumps(spec, indent=2)},
    }


def _dashboard(titled: dict[str, str]) -> dict[str, Any]:
    places = ((0, 0, 12, 12), (12, 0, 36, 12), (0, 12, 48, 16))
    grid = [
        {
            "type": "visualization",
            "panelIndex": str(number),
            "panelRefName": f"panel_{number}",
            "gridData": dict(zip("xywhi", (*place, str(number)), strict=True)),
            "embeddableConfig": {},
        }
        for number, place in enumerate(places)
    ]
    source = {
        "query": {"language": "kuery", "query": ""},
        "filter": [],
        "indexRefName": "kibanaSavedObjectMeta.searchSourceJSON.index",
    }
    attributes = {
        "title": "es-simhash: versions",
        "description": "Families of several documents, versions a day, and the largest families.",
        "panelsJSON": _dumped(grid),
        "optionsJSON": _dumped({"useMargins": True, "hidePanelTitles": False}),
        "timeRestore": False,
        "kibanaSavedObjectMeta": {"searchSourceJSON": _dumped(source)},
    }
    panels = [
        {"type": "visualization", "id": id, "name": f"panel_{number}"}
        for number, id in enumerate(titled)
    ]
    view = {"type": "index-pattern", "id": _VIEW_ID, "name": source["indexRefName"]}
    return _object("dashboard", "es-simhash-versions", attributes, _VEGA, [view, *panels])


def _object(
    kind: str,
    id: str,
    attributes: dict[str, Any],
    version: str,
    references: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "type": kind,
        "id": id,
        "attributes": attributes,
        "references": references or [],
        "coreMigrationVersion": _CORE,
        "migrationVersion": {kind: version},
    }


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def content() -> str:
    """Return the file."""
    return "".join(f"{_dumped(each)}\n" for each in saved_objects())


if __name__ == "__main__":
    DASHBOARD.write_text(content(), "utf-8")
