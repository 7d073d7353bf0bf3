"""The dashboard and the alerts: every query is PromQL, and asks for what the service has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from es_simhash.cli.run_metrics import RunCounts, RunMetrics
from es_simhash.service.monitoring import FOLDER_VARIABLE, REFUSALS, exposition
from tests.docker.test_images import ROOT
from tests.support.service import Serve

DASHBOARD = json.loads((ROOT / "docker" / "grafana" / "dashboard.json").read_text("utf-8"))
ALERTS = yaml.safe_load((ROOT / "docker" / "prometheus" / "alerts.yml").read_text("utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
# Whether a target was reached, and the labels of targets: what Prometheus adds itself.
OWN_METRICS, OWN_LABELS = {"up"}, {"job", "instance"}


def queries() -> list[str]:
    """Return every query, those of Grafana with values in place of its variables."""
    panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    filled = [text.replace("$__rate_interval", "5m").replace("$job", ".*") for text in panels]
    return [*filled, *(rule["expr"] for rule in RULES)]


# Where the grammar has expressions, and how they are grouped.
PARTS = ("args", "expr", "lhs", "rhs", "param", "vector_selector", "modifier")


def nodes(node: Any) -> Iterator[Any]:
    """Yield an expression and all within it."""
    yield node
    for name in PARTS:
        value = getattr(node, name, None)
        for part in value if isinstance(value, list) else [value]:
            if part is not None:
                yield from nodes(part)


def asked(query: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the metrics of a query, each with the labels that it is matched or grouped by."""
    found = list(nodes(promql_parser.parse(query)))
    grouped = {label for node in found for label in getattr(node, "labels", None) or ()}
    for node in found:
        if type(node).__name__ == "VectorSelector":
            labels = {matcher.name for matcher in node.matchers.matchers}
            yield node.name, {*labels, *grouped} - OWN_LABELS


def test_the_parser_sees_metrics_and_labels() -> None:
    (seen,) = asked('sum by (route) (rate(a_total{status=~"5..", job="x"}[5m]))')
    assert seen == ("a_total", {"status", "route"})
    with pytest.raises(ValueError, match="unclosed"):
        list(asked("sum(rate(a_total[5m])"))


@pytest.mark.cluster
def test_every_metric_that_is_asked_for_is_one_of_the_service(
    serve: Serve, tenants: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(tenants)
    paths = client.get("/v1/openapi.json").json()["paths"]
    (related,) = (path for path in paths if path.endswith("/related/{id}"))
    assert client.get(related.replace("{id}", "a1")).status_code == 200
    # What was not refused yet has no sample, and a single process no workers.
    REFUSALS.labels("any")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    several = text_string_to_metric_families(exposition().decode())
    monkeypatch.delenv(FOLDER_VARIABLE)
    families = [
        *text_string_to_metric_families(client.get("/metrics").text),
        *(family for family in several if family.name == "es_simhash_worker_deaths"),
    ]
    # What runs count, in files of their own.
    with RunMetrics(tmp_path / "runs.prom", "sweep", "a").run(RunCounts):
        pass
    runs = (tmp_path / "runs.prom").read_text("utf-8")
    families += text_string_to_metric_families(runs)
    have = {sample.name: set(sample.labels) for family in families for sample in family.samples}
    for query in queries():
        for metric, labels in asked(query):
            if metric not in OWN_METRICS:
                assert metric in have, query
                assert labels <= have[metric], query
    # And what the service counts is shown.
    shown = {metric for query in queries() for metric, _ in asked(query)}
    counted = {
        family.name
        for family in families
        if family.name.startswith("es_simhash_")
        and not family.name.startswith("es_simhash_run")
        and not family.name.endswith("_created")
    }
    assert [name for name in counted if not any(each.startswith(name) for each in shown)] == []


def test_panels_say_what_they_show_and_lie_side_by_side() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    for panel in panels:
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(panel))) - {"__rate_interval"}
        assert used <= variables


def test_every_alert_has_a_name_a_severity_and_advice() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+m", rule["for"])
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert set(rule["annotations"]) == {"summary", "description"}
