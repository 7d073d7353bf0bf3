"""A report as one HTML file to mail: no script, nothing loaded from elsewhere."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

from es_simhash.maintenance.copies.copies_report import CopiesReport, Copy
from es_simhash.maintenance.copies.sentences import (
    copy_line,
    counts_line,
    left_out_lines,
    pair_line,
)
from es_simhash.maintenance.reports.figures import (
    Part,
    ScoreRange,
    SizeRange,
    score_chart,
    score_ranges,
    share_bar,
    size_chart,
    size_ranges,
)
from es_simhash.maintenance.reports.index_report import (
    IndexReport,
    LargeFamily,
    NewVersion,
    ReportedDocument,
    ScoreSample,
)
from es_simhash.pages.rendering import html_page, html_text
from es_simhash.relation.relation import KINDS, DocumentContext


def report_html(report: IndexReport) -> str:
    """Return a report as one HTML page.

    Args:
        report: Of an index.
    """
    links = MailedLinks()
    body = chain(
        ["<header>", *heading(report), "</header>", "<main>"],
        sections(report, links),
        copies_sections(report.copies, links),
        ["</main>", "<footer>", *footer(report), "</footer>"],
    )
    return html_page(f"{headline(report)} – {report.status.index}", body, style="report.css")


class ReportLinks(Protocol):
    """Addresses of what is behind a figure; each may be None, for no link."""

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the address of a document."""

    def family(self, name: str) -> str | None:
        """Return the address of a family."""

    def pair(self, a: str, b: str) -> str | None:
        """Return the address of the comparison of two documents."""

    def part(self, part: Part) -> str | None:
        """Return the address of the documents of a part of all documents."""

    def sizes(self, sizes: SizeRange) -> str | None:
        """Return the address of the families of some sizes."""

    def scores(self, scores: ScoreRange) -> str | None:
        """Return the address of the pairs of some scores."""


class MailedLinks:
    """Links of a report that is read without a server: to the web pages of its documents alone."""

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the document's own address, if it is one of the web."""
        link = context.link or ""
        return link if link.startswith(("https://", "http://")) else None

    def family(self, name: str) -> None:
        """Return no address."""

    def pair(self, a: str, b: str) -> None:
        """Return no address."""

    def part(self, part: Part) -> None:
        """Return no address."""

    def sizes(self, sizes: SizeRange) -> None:
        """Return no address."""

    def scores(self, scores: ScoreRange) -> None:
        """Return no address."""


def linked(html: str, address: str | None) -> str:
    """Return HTML as a link to an address; as it is without one."""
    if address is None:
        return html
    return f'<a href="{html_text(address)}" rel="noreferrer">{html}</a>'


def table_head(first: str, second: str) -> Iterator[str]:
    """Yield the head of a table of a number and something else, and the start of its body."""
    yield (
        f'<thead><tr><th scope="col" class="number">{first}</th><th scope="col">{second}</th>'
        "</tr></thead><tbody>"
    )


def shortened(text: str, max_characters: int) -> str:
    """Return text as one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"


def percent(part: int, whole: int) -> str:
    """Return a share in percent; 0% and 100% only when it is just that."""
    if not whole:
        return "0%"
    rounded = round(100 * part / whole)
    if part and not rounded:
        return "less than 1%"
    if part < whole and rounded == 100:
        return "more than 99%"
    return f"{rounded}%"


def headline(report: IndexReport) -> str:
    """Return what a report says, as one sentence without a full stop."""
    total, sizes = report.status.documents, report.sizes
    if not total:
        return "This index has no documents"
    documents = "This one document" if total == 1 else f"These {total:,} documents"
    if sizes is None:
        return f"{documents} have not been grouped into families yet"
    if not sizes.versions:
        if total == 1:
            return "The one document of this index has no other version"
        return f"None of these {_counted(report):,} documents is a version of another"
    share = percent(sizes.versions, _counted(report))
    return f"{share} of these {_counted(report):,} documents are versions of others"


def _counted(report: IndexReport) -> int:
    """Return the documents that shares are of: all, or those that were read in time."""
    assert report.sizes is not None
    return report.status.documents if report.sizes.is_complete else report.sizes.documents


def lead(report: IndexReport) -> str:
    """Return what follows from it, in a sentence or two."""
    sizes = report.sizes
    if not report.status.documents:
        return "Nothing was counted."
    if sizes is None:
        return (
            "Their fingerprints are there. Which of them are versions is known after "
            f"`es-simhash families {report.status.index}`."
        )
    if not sizes.versions:
        return "Each of them is the only one of its family."
    total = _counted(report)
    left = total - sizes.versions + sizes.families
    families = "1 family" if sizes.families == 1 else f"{sizes.families:,} families"
    return (
        f"They form {families}. With one document of each, {left:,} documents would remain "
        f"({percent(left, total)})."
    )


def parts(report: IndexReport) -> list[Part]:
    """Return all documents of an index, or those that were read in time, in parts."""
    sizes, exact = report.sizes, report.exact
    if sizes is None:
        return []
    further = sizes.versions - sizes.families
    # Of a sample, the same share of all is taken.
    copies = round(exact.copies * sizes.versions / exact.examined) if exact else 0
    copies = min(copies, further)
    about = "the same text as another of the family, but for case and spaces"
    if exact is not None and exact.examined < sizes.versions:
        about += "; estimated from a sample"
    found = [
        Part("unique", "Unique", "no other document is a version of them", sizes.unique),
        Part("first", "One of each family", "one document for each text that has versions",
             sizes.families),
        Part("version", "Further versions", "revised, extended, excerpted", further - copies),
        Part("copy", "Copies", about, copies),
    ]  # fmt: skip
    if sizes.is_complete:
        rest = max(0, report.status.documents - sizes.documents)
        found.append(Part("none", "Not grouped", "without fingerprints, or new", rest))
    return [part for part in found if part.documents or part.style in ("unique", "version")]


def sample_line(sample: ScoreSample) -> str:
    """Return what the distribution of scores was computed from."""
    documents = "1 document" if sample.documents == 1 else f"{sample.documents:,} documents"
    return (
        f"Of {documents}, drawn at random by a fixed seed, {sample.related:,} "
        f"({percent(sample.related, sample.documents)}) are related to another, in "
        f"{len(sample.pairs):,} pairs: of each document the 20 relations with the highest scores."
    )


def coverage_lines(report: IndexReport) -> list[str]:
    """Return what of the index is not in the report, a sentence for each reason."""
    status = report.status
    prints = status.fingerprints
    lines = []
    if prints.none:
        lines.append(
            f"{prints.none:,} documents have no fingerprints, and nothing is known of their "
            f"versions. Run `es-simhash backfill {status.index}`."
        )
    if prints.another:
        lines.append(
            f"{prints.another:,} documents have fingerprints of another scheme than "
            f"{prints.scheme}."
        )
    if status.failed:
        lines.append(f"{status.failed:,} documents were rejected by the ingest pipeline.")
    if status.empty:
        lines.append(f"{status.empty:,} documents have no words.")
    grouped = status.in_families
    if grouped and (waiting := status.documents - prints.none - grouped) > 0:
        lines.append(
            f"{waiting:,} documents with fingerprints have no family yet. Run "
            f"`es-simhash families {status.index}`."
        )
    if status.duplicates:
        lines.append(f"{status.duplicates:,} documents are flagged as duplicates.")
    return [*lines, *report.notes]


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
