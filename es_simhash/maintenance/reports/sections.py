"""The sections of a report as HTML: a chart, a table of the same numbers, and documents."""

from collections.abc import Iterator, Sequence

from es_simhash.maintenance.copies.sentences import left_out_lines
from es_simhash.maintenance.reports.charts import (
    Part,
    ScoreRange,
    score_chart,
    score_ranges,
    share_bar,
    size_chart,
    size_ranges,
)
from es_simhash.maintenance.reports.links import ReportLinks
from es_simhash.maintenance.reports.markup import linked, shortened, table_head
from es_simhash.maintenance.reports.model import (
    IndexReport,
    LargeFamily,
    NewVersion,
    ReportedDocument,
    ScoreSample,
)
from es_simhash.maintenance.reports.sentences import (
    coverage_lines,
    headline,
    lead,
    parts,
    percent,
    sample_line,
)
from es_simhash.relation.model import KINDS
from es_simhash.text.html import html_text

_MAX_TITLE = 120


def heading(report: IndexReport) -> Iterator[str]:
    """Yield the headline of a report, and what follows from it."""
    yield (
        f'<p class="dim">Index <bdi>{html_text(report.status.index)}</bdi>, '
        f"{html_text(report.at)}</p>"
    )
    yield f"<h1>{html_text(headline(report))}</h1>"
    yield f'<p class="lead">{html_text(lead(report))}</p>'


def sections(report: IndexReport, links: ReportLinks) -> Iterator[str]:
    """Yield the sections of a report.

    Args:
        report: Of an index.
        links: Where its figures lead to.
    """
    yield from shares(report, links)
    yield from _sizes(report, links)
    yield from _scores(report.scores, links)
    yield from _largest(report.largest, links)
    yield from _newest(report, links)


def footer(report: IndexReport) -> Iterator[str]:
    """Yield what is not in a report, and what it was made of."""
    lines = coverage_lines(report)
    if report.copies is not None:
        lines += left_out_lines(report.copies)
    if lines:
        yield "<h2>What is not in this report</h2><ul>"
        yield from (f"<li>{html_text(line)}</li>" for line in lines)
        yield "</ul>"
    yield (
        '<p class="dim">Made by es-simhash from the fingerprints of the index. Versions are '
        "documents that share most of their text, in whole or in part.</p>"
    )


def shares(report: IndexReport, links: ReportLinks) -> Iterator[str]:
    """Yield the section of all documents in parts."""
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
    yield from (_share_row(part, total, links) for part in found)
    yield "</tbody></table></section>"


def _share_row(part: Part, total: int, links: ReportLinks) -> str:
    name = linked(part.name, links.part(part) if part.documents else None)
    return (
        f'<tr><th scope="row"><span class="key {part.style}"></span>{name}'
        f'<small>{part.about}</small></th><td class="number">{part.documents:,}</td>'
        f'<td class="number">{percent(part.documents, total)}</td></tr>'
    )


def _sizes(report: IndexReport, links: ReportLinks) -> Iterator[str]:
    if report.sizes is None or not report.sizes.families:
        return
    ranges = size_ranges(report.sizes.counts)
    yield '<section aria-labelledby="sizes"><h2 id="sizes">Sizes of families</h2>'
    yield "<p>Documents that are versions of each other are one family.</p>"
    yield '<div class="sizes">'
    yield size_chart(ranges, "Families by their sizes; the table next to it has the numbers")
    yield "<table><caption>Families of two documents and more</caption>"
    yield from _ranges_head("size", "families", "documents")
    for each in ranges:
        label = linked(each.label, links.sizes(each) if each.families else None)
        yield (
            f'<tr><th scope="row">{label}</th><td class="number">{each.families:,}</td>'
            f'<td class="number">{each.documents:,}</td></tr>'
        )
    yield "</tbody></table></div></section>"


def _scores(sample: ScoreSample | None, links: ReportLinks) -> Iterator[str]:
    if sample is None:
        return
    yield '<section aria-labelledby="scores"><h2 id="scores">Distribution of scores</h2>'
    yield f"<p>{sample_line(sample)}</p>"
    if sample.pairs:
        ranges = score_ranges([(pair.kind, pair.score) for pair in sample.pairs])
        yield '<div class="sizes">'
        yield score_chart(ranges, "Pairs by their scores; the table next to it has the numbers")
        yield "<table><caption>Pairs of related documents</caption>"
        yield from _ranges_head("score", "pairs", "kinds")
        yield from (_score_row(each, links) for each in ranges)
        yield "</tbody></table></div>"
    yield "</section>"


def _score_row(each: ScoreRange, links: ReportLinks) -> str:
    label = linked(each.label, links.scores(each) if each.pairs else None)
    kinds = ", ".join(f"{each.kinds[kind]:,} {kind}" for kind in KINDS if each.kinds.get(kind))
    return (
        f'<tr><th scope="row">{label}</th><td class="number">{each.pairs:,}</td>'
        f"<td><small>{kinds}</small></td></tr>"
    )


def _ranges_head(first: str, second: str, third: str) -> Iterator[str]:
    is_number = "" if third == "kinds" else ' class="number"'
    yield (
        f'<thead><tr><th scope="col">{first}</th><th scope="col" class="number">{second}</th>'
        f'<th scope="col"{is_number}>{third}</th></tr></thead><tbody>'
    )


def _largest(families: Sequence[LargeFamily], links: ReportLinks) -> Iterator[str]:
    if not families:
        return
    yield '<section aria-labelledby="largest"><h2 id="largest">The largest families</h2>'
    yield "<table><caption>Each with the document that represents it</caption>"
    yield from table_head("documents", "representative")
    for family in families:
        size = linked(f"{family.documents:,}", links.family(family.name))
        yield (
            f'<tr><td class="number">{size}</td>'
            f"<td>{_document(family.representative, html_text(_dates(family)), links)}</td></tr>"
        )
    yield "</tbody></table></section>"


def _dates(family: LargeFamily) -> str:
    if family.oldest is None or family.newest is None:
        return ""
    oldest, newest = _day(family.oldest), _day(family.newest)
    return oldest if oldest == newest else f"{oldest} to {newest}"


def _newest(report: IndexReport, links: ReportLinks) -> Iterator[str]:
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
    yield from table_head("date", "document")
    yield from (_version_row(version, links) for version in found.versions)
    yield "</tbody></table></section>"


def _version_row(version: NewVersion, links: ReportLinks) -> str:
    others = version.family_documents - 1
    count = "1 other version" if others == 1 else f"{others:,} other versions"
    context = version.document.context
    address = None if context.family is None else links.family(context.family)
    date = html_text(_day(context.date or ""))
    about = f"{linked(count, address)}, the oldest of {html_text(_day(version.oldest))}"
    return (
        f'<tr><td class="number">{date}</td>'
        f"<td>{_document(version.document, about, links, dated=False)}</td></tr>"
    )


def _document(
    document: ReportedDocument, about: str, links: ReportLinks, *, dated: bool = True
) -> str:
    """Return the title of a document, with its id and more, which is HTML, below it."""
    context = document.context
    title = shortened(context.title or document.id, _MAX_TITLE)
    address = links.document(document.id, context)
    shown = linked(f'<bdi dir="auto">{html_text(title)}</bdi>', address)
    details = [html_text(context.owner)] if context.owner else []
    details += [about] if about else []
    if context.title:
        details.insert(0, f"<bdi>{html_text(document.id)}</bdi>")
    if dated and not about and context.date:
        details.append(html_text(_day(context.date)))
    return f"{shown}<small>{', '.join(details)}</small>" if details else shown


def _day(date: str) -> str:
    """Return a date without its time of day."""
    return date.partition("T")[0]
