"""A report of copied passages as one HTML file: no script, nothing loaded from elsewhere."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_TOKENS
from es_simhash.maintenance.copies.copies_report import (
    Boilerplate,
    CopiedPassage,
    CopiesReport,
    Copy,
    CopySide,
)
from es_simhash.maintenance.copies.sentences import (
    copy_line,
    counts_line,
    left_out_lines,
    pair_line,
)
from es_simhash.pages.rendering import html_page, html_text
from es_simhash.relation.shared_passages import marked_words

# More pairs make a page that browsers open slowly; JSON has all.
_MAX_PAIRS = 1000
# Characters of a passage whose equal runs are marked.
_MARKED = 20_000


def copies_html(report: CopiesReport, index: str) -> str:
    """Return a report as one HTML page.

    Args:
        report: Of the search.
        index: Name of the index, for the title.
    """
    title = f"Copied passages in {index}"
    return html_page(title, _body(report, title), style="copies.css")


def _body(report: CopiesReport, title: str) -> Iterator[str]:
    yield "<main>"
    yield f"<h1>{html_text(title)}</h1>"
    yield f"<p>{html_text(counts_line(report))}</p>"
    for line in left_out_lines(report):
        yield f'<p class="dim">{html_text(line)}</p>'
    for number, copy in enumerate(report.copies[:_MAX_PAIRS], 1):
        yield from _pair(number, copy)
    if len(report.copies) > _MAX_PAIRS:
        yield f"<p>{len(report.copies) - _MAX_PAIRS} more pairs; --format json lists all.</p>"
    yield from _boilerplate(report)
    yield "</main>"


def _pair(number: int, copy: Copy) -> Iterator[str]:
    yield f"<h2>{number}. {html_text(pair_line(copy))}</h2>"
    yield f'<p class="dim">{html_text(copy_line(copy))}</p>'
    yield from _passages(copy, copy.passages[:1])
    rest = copy.passages[1:]
    if rest:
        yield f"<details><summary>{len(rest)} more</summary>"
        yield from _passages(copy, rest)
        yield "</details>"


def _passages(copy: Copy, passages: Sequence[CopiedPassage]) -> Iterator[str]:
    for passage in passages:
        a, b = _sides(passage)
        how = "word for word" if not passage.changed else f"{passage.changed:.0%} changed"
        yield "<table><tr>"
        yield f"<th>{_place(copy.a, passage.a.start, passage.a.end)}</th>"
        yield f"<th>{_place(copy.b, passage.b.start, passage.b.end)}, {passage.kind}, {how}</th>"
        yield f'</tr><tr><td dir="auto">{a}</td><td dir="auto">{b}</td></tr></table>'


def _place(side: CopySide, start: int, end: int) -> str:
    date = "" if side.date is None else f", {side.date}"
    return f"{html_text(side.id)}{html_text(date)}, characters {start}–{end}"


def _sides(passage: CopiedPassage) -> tuple[str, str]:
    """Return both texts of a passage, with the runs marked that the other has as well."""
    if not passage.changed or max(len(passage.a.text), len(passage.b.text)) > _MARKED:
        return html_text(passage.a.text), html_text(passage.b.text)
    a, b = (_marked(words) for words in marked_words(passage.as_shared()))
    return a, b


def _marked(words: Sequence[tuple[str, bool]]) -> str:
    runs = []
    for is_shared, group in groupby(words, key=itemgetter(1)):
        run = [word for word, _ in group]
        text = html_text(" ".join(run))
        # Single words that both have say nothing.
        runs.append(f"<mark>{text}</mark>" if is_shared and len(run) >= SHINGLE_TOKENS else text)
    return " ".join(runs)


def _boilerplate(report: CopiesReport) -> Iterator[str]:
    if not report.boilerplate and not report.short_boilerplate:
        return
    yield "<h2>Boilerplate, left out</h2>"
    yield f'<p class="dim">Passages that many have; {report.short_boilerplate} short phrases are '
    yield "not listed.</p>"
    what = "values" if report.between else "families"
    yield f'<table><tr><th style="width: 9rem">{what}, documents</th><th>passage</th></tr>'
    for passage in report.boilerplate:
        yield _row(passage)
    yield "</table>"


def _row(passage: Boilerplate) -> str:
    where = f"{passage.id}, characters {passage.start}–{passage.end}"
    text = f'{html_text(passage.text)}\n<span class="dim">{html_text(where)}</span>'
    return f'<tr><td>{passage.groups}, {passage.documents}</td><td dir="auto">{text}</td></tr>'
