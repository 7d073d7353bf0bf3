"""Who copied whom, and shared boilerplate, as HTML."""

from collections.abc import Iterator

from es_simhash.maintenance.copies.report import CopiesReport, Copy
from es_simhash.maintenance.copies.sentences import copy_line, counts_line, pair_line
from es_simhash.maintenance.reports.links import ReportLinks
from es_simhash.maintenance.reports.markup import linked, shortened, table_head
from es_simhash.relation.model import DocumentContext
from es_simhash.text.html import html_text

_MAX_PASSAGE = 400
_MAX_PAIRS, _MAX_BOILERPLATE = 10, 8


def copies_sections(report: CopiesReport | None, links: ReportLinks) -> Iterator[str]:
    """Yield the pairs with the longest passages, and the passages that most have.

    Args:
        report: Of copied passages; None for nothing.
        links: Where documents and pairs lead to.
    """
    if report is None:
        return
    yield '<section aria-labelledby="copies"><h2 id="copies">Who copied whom</h2>'
    yield f"<p>{html_text(counts_line(report))}</p>"
    yield '<ol class="pairs">'
    shown: set[str] = set()
    for copy in report.copies[:_MAX_PAIRS]:
        yield _pair(copy, shown, links)
    yield "</ol>"
    if len(report.copies) > _MAX_PAIRS:
        more = len(report.copies) - _MAX_PAIRS
        yield f"<p>{more:,} more pairs are listed by <code>es-simhash copies</code>.</p>"
    yield "</section>"
    yield from _boilerplate(report, links)


def _pair(copy: Copy, shown: set[str], links: ReportLinks) -> str:
    """Return a pair with its longest passage, unless that was shown already."""
    text = copy.passages[0].b.text if copy.passages else ""
    passage = html_text(shortened(text, _MAX_PASSAGE))
    quote = f'<blockquote dir="auto">{passage}</blockquote>'
    if passage in shown:
        quote = '<p class="dim">The passage is the one that a pair above shares.</p>'
    shown.add(passage)
    return (
        f"<li>{linked(html_text(pair_line(copy)), links.pair(copy.a.id, copy.b.id))}<br>"
        f'<small class="dim">{html_text(copy_line(copy))}</small>{quote}</li>'
    )


def _boilerplate(report: CopiesReport, links: ReportLinks) -> Iterator[str]:
    if not report.boilerplate:
        return
    what = "values" if report.between else "families"
    yield '<section aria-labelledby="boilerplate"><h2 id="boilerplate">Shared boilerplate</h2>'
    yield "<p>Passages that many have, so that they make no two documents related.</p>"
    yield "<table><caption>Those that most have first</caption>"
    yield from table_head(what, "passage")
    for passage in report.boilerplate[:_MAX_BOILERPLATE]:
        text = html_text(shortened(passage.text, _MAX_PASSAGE))
        id = f"<bdi>{html_text(passage.id)}</bdi>"
        place = linked(id, links.document(passage.id, DocumentContext()))
        yield (
            f'<tr><td class="number">{passage.groups:,}</td><td><bdi dir="auto">{text}</bdi>'
            f"<small>{passage.documents:,} documents, as in {place}</small></td></tr>"
        )
    yield "</tbody></table></section>"
