"""What the figures of a report lead to in the explorer."""

from es_simhash.maintenance.reports.figures import Part, ScoreRange, SizeRange
from es_simhash.relation.relation import DocumentContext
from es_simhash.service.explorer.addresses import Addresses
from es_simhash.service.explorer.report_links import ExplorerLinks


def test_each_figure_leads_to_what_was_counted() -> None:
    links = ExplorerLinks(Addresses("/explorer/overview"))
    back = "?back=%2Fexplorer%2Foverview"
    assert links.document("a/b", DocumentContext()) == f"/explorer/documents/a%2Fb{back}"
    assert links.family("f0") == f"/explorer/families/f0{back}"
    assert links.pair("a", "b") == f"/explorer/compare/a/b{back}"
    assert links.pair("a", "..") is None
    assert links.sizes(SizeRange("4–5", 1, 4, 4, 5)) == "/explorer/families/?from=4&to=5"
    assert links.scores(ScoreRange("0.6–0.7", 0.6, 0.7, {})) == "/explorer/pairs?from=0.6&to=0.7"
    addresses = {
        style: links.part(Part(style, "name", "about", 1)) for style in ("unique", "copy", "first")
    }
    assert addresses == {
        "unique": "/explorer/families/?from=1&to=1",
        "copy": "/explorer/pairs?kind=copies",
        "first": "/explorer/families/?from=2",
    }
