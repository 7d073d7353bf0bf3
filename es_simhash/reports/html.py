"""A report as one HTML file to mail: no script, nothing loaded from elsewhere."""

from collections.abc import Iterator, Sequence
from itertools import chain

from es_simhash.copies.report import CopiesReport, Copy
from es_simhash.copies.sentences import copy_line, counts_line, left_out_lines, pair_line
from es_simhash.reports.charts import Part, share_bar, size_chart, size_ranges
from es_simhash.reports.model import IndexReport, LargeFamily, NewVersion, ReportedDocument
from es_simhash.reports.sentences import coverage_lines, headline, lead, parts, percent
from es_simhash.text.html import html_page, html_text

# Characters of a title, and of a passage.
_MAX_TITLE, _MAX_PASSAGE = 120, 400
_MAX_PAIRS, _MAX_BOILERPLATE = 10, 8


def report_html(report: IndexReport) -> str:
    """Return a report as one HTML page.

    Args:
        report: Of an index.
    """
    body = chain(
        _header(report),
        ["<main>"],
        _shares(report),
        _sizes(report),
        _largest(report.largest),
        _newest(report),
        _copies(report.copies),
        ["</main>"],
        _footer(report),
    )
    return html_page(f"{headline(report)} – {report.status.index}", body, style="report.css")


def _header(report: IndexReport) -> Iterator[str]:
    yield "<header>"
    yield (
        f'<p class="dim">Index <bdi>{html_text(report.status.index)}</bdi>, '
        f"{html_text(report.at)}</p>"
    )
    yield f"<h1>{html_text(headline(report))}</h1>"
    yield f"<p>{html_text(lead(report))}</p>"
    yield "</header>"


def _shares(report: IndexReport) -> Iterator[str]:
    found = parts(report)
    if not found:
        return
    total = sum(part.documents for part in found)
    yield '<section aria-labelledby="shares"><h2 id="shares">Versions, copies, unique</h2>'
    yield share_bar(found, "All documents in parts; the table below has the numbers")
    yield '<table class="shares"><caption>Documents of the index</caption>'
    yield (
        '<thead><tr><th scope="col">part</th><th scope="col" class="number">documents</th>'
        '<th scope="col" class="number">share</th></tr></thead><tbody>'
    )
    yield from (_share_row(part, total) for part in found)
    yield "</tbody></table></section>"


def _share_row(part: Part, total: int) -> str:
    return (
        f'<tr><th scope="row"><span class="key {part.style}"></span>{part.name}'
        f'<small>{part.about}</small></th><td class="number">{part.documents:,}</td>'
        f'<td class="number">{percent(part.documents, total)}</td></tr>'
    )


def _sizes(report: IndexReport) -> Iterator[str]:
    if report.sizes is None or not report.sizes.families:
        return
    ranges = size_ranges(report.sizes.counts)
    yield '<section aria-labelledby="sizes"><h2 id="sizes">Sizes of families</h2>'
    yield "<p>Documents that are versions of each other are one family.</p>"
    yield '<div class="sizes">'
    yield size_chart(ranges, "Families by their sizes; the table beside it has the numbers")
    yield "<table><caption>Families of two documents and more</caption>"
    yield (
        '<thead><tr><th scope="col">size</th><th scope="col" class="number">families</th>'
        '<th scope="col" class="number">documents</th></tr></thead><tbody>'
    )
    for each in ranges:
        yield (
            f'<tr><th scope="row">{each.label}</th><td class="number">{each.families:,}</td>'
            f'<td class="number">{each.documents:,}</td></tr>'
        )
    yield "</tbody></table></div></section>"


def _largest(families: Sequence[LargeFamily]) -> Iterator[str]:
    if not families:
        return
    yield '<section aria-labelledby="largest"><h2 id="largest">The largest families</h2>'
    yield "<table><caption>Each with the document that represents it</caption>"
    yield from _head("documents", "representative")
    for family in families:
        dates = _dates(family)
        yield (
            f'<tr><td class="number">{family.documents:,}</td>'
            f"<td>{_document(family.representative, dates)}</td></tr>"
        )
    yield "</tbody></table></section>"


def _dates(family: LargeFamily) -> str:
    if family.oldest is None or family.newest is None:
        return ""
    oldest, newest = _day(family.oldest), _day(family.newest)
    return oldest if oldest == newest else f"{oldest} to {newest}"


def _newest(report: IndexReport) -> Iterator[str]:
    found = report.newest
    if found is None or (report.sizes is not None and not report.sizes.versions):
        return
    yield '<section aria-labelledby="newest"><h2 id="newest">The newest versions</h2>'
    if not found.versions:
        yield (
            f"<p>None of the {found.examined:,} newest documents is newer than another of its "
            "family.</p></section>"
        )
        return
    yield f"<p>Of the {found.examined:,} newest documents, those with an older version; the newest "
    yield "of each family.</p>"
    yield "<table><caption>The newest first</caption>"
    yield from _head("date", "document")
    yield from map(_version_row, found.versions)
    yield "</tbody></table></section>"


def _version_row(version: NewVersion) -> str:
    others = version.family_documents - 1
    count = "1 other version" if others == 1 else f"{others:,} other versions"
    date = html_text(_day(version.document.context.date or ""))
    about = f"{count}, the oldest of {_day(version.oldest)}"
    return (
        f'<tr><td class="number">{date}</td>'
        f"<td>{_document(version.document, about, dated=False)}</td></tr>"
    )


def _head(first: str, second: str) -> Iterator[str]:
    yield (
        f'<thead><tr><th scope="col" class="number">{first}</th><th scope="col">{second}</th>'
        "</tr></thead><tbody>"
    )


def _document(document: ReportedDocument, about: str, *, dated: bool = True) -> str:
    """Return the title of a document, with its id and more below it."""
    context = document.context
    title = _shortened(context.title or document.id, _MAX_TITLE)
    shown = f'<bdi dir="auto">{html_text(title)}</bdi>'
    if context.link is not None and context.link.startswith(("https://", "http://")):
        shown = f'<a href="{html_text(context.link)}" rel="noreferrer">{shown}</a>'
    details = [html_text(each) for each in (context.owner, about) if each]
    if context.title:
        details.insert(0, f"<bdi>{html_text(document.id)}</bdi>")
    if dated and not about and context.date:
        details.append(html_text(_day(context.date)))
    return f"{shown}<small>{', '.join(details)}</small>" if details else shown


def _day(date: str) -> str:
    """Return a date without its time of day."""
    return date.partition("T")[0]


def _copies(report: CopiesReport | None) -> Iterator[str]:
    if report is None:
        return
    yield '<section aria-labelledby="copies"><h2 id="copies">Who copied whom</h2>'
    yield f"<p>{html_text(counts_line(report))}</p>"
    yield '<ol class="pairs">'
    shown: set[str] = set()
    for copy in report.copies[:_MAX_PAIRS]:
        yield _pair(copy, shown)
    yield "</ol>"
    if len(report.copies) > _MAX_PAIRS:
        more = len(report.copies) - _MAX_PAIRS
        yield f"<p>{more:,} more pairs are listed by <code>es-simhash copies</code>.</p>"
    yield "</section>"
    yield from _boilerplate(report)


def _pair(copy: Copy, shown: set[str]) -> str:
    """Return a pair with its longest passage, unless that was shown already."""
    text = copy.passages[0].b.text if copy.passages else ""
    passage = html_text(_shortened(text, _MAX_PASSAGE))
    quote = f'<blockquote dir="auto">{passage}</blockquote>'
    if passage in shown:
        quote = '<p class="dim">The passage is the one that a pair above shares.</p>'
    shown.add(passage)
    return (
        f"<li>{html_text(pair_line(copy))}<br>"
        f'<small class="dim">{html_text(copy_line(copy))}</small>{quote}</li>'
    )


def _boilerplate(report: CopiesReport) -> Iterator[str]:
    if not report.boilerplate:
        return
    what = "values" if report.between else "families"
    yield '<section aria-labelledby="boilerplate"><h2 id="boilerplate">Shared boilerplate</h2>'
    yield "<p>Passages that many have, so that they make no two documents related.</p>"
    yield "<table><caption>Those that most have first</caption>"
    yield from _head(what, "passage")
    for passage in report.boilerplate[:_MAX_BOILERPLATE]:
        text = html_text(_shortened(passage.text, _MAX_PASSAGE))
        yield (
            f'<tr><td class="number">{passage.groups:,}</td><td><bdi dir="auto">{text}</bdi>'
            f"<small>{passage.documents:,} documents, as in <bdi>{html_text(passage.id)}</bdi>"
            "</small></td></tr>"
        )
    yield "</tbody></table></section>"


def _footer(report: IndexReport) -> Iterator[str]:
    lines = coverage_lines(report)
    if report.copies is not None:
        lines += left_out_lines(report.copies)
    yield "<footer>"
    if lines:
        yield "<h2>What is not in this report</h2><ul>"
        yield from (f"<li>{html_text(line)}</li>" for line in lines)
        yield "</ul>"
    yield (
        '<p class="dim">Made by es-simhash from the fingerprints of the index. Versions are '
        "documents that share most of their text, in whole or in part.</p></footer>"
    )


def _shortened(text: str, max_characters: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"
