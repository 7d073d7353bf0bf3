"""A report of copied passages as one HTML file: no script, nothing loaded from elsewhere."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter

from es_simhash.copies.report import Boilerplate, CopiedPassage, CopiesReport, Copy, CopySide
from es_simhash.copies.sentences import copy_line, counts_line, left_out_lines, pair_line
from es_simhash.fingerprints.scheme import SHINGLE_TOKENS
from es_simhash.relation.passages import marked_words
from es_simhash.text.escaping import printable

# More pairs make a page that browsers open slowly; JSON has all.
_MAX_PAIRS = 1000
# Characters of a passage whose equal runs are marked.
_MARKED = 20_000
_STYLE = """
:root { color-scheme: light dark; --line: #d0d4da; --dim: #5b6470; --mark: #ffe3a3; --box: #f6f7f9 }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a4048; --dim: #a0a8b3; --mark: #6b4e00; --box: #1d2126 }
  body { background: #14171a; color: #e6e8eb }
}
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; overflow-wrap: anywhere }
p { margin: .2rem 0 } .dim, th { color: var(--dim); font-weight: normal; font-size: .9rem }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; table-layout: fixed }
th, td { text-align: start; vertical-align: top; padding: .5rem .7rem }
th, td { border: 1px solid var(--line) }
td { background: var(--box); white-space: pre-wrap; overflow-wrap: anywhere }
mark { background: var(--mark); color: inherit; border-radius: 2px }
summary { cursor: pointer; color: var(--dim) } td.number { width: 6rem }
@media print { details { display: block } }
"""


def copies_html(report: CopiesReport, index: str) -> str:
    """Return a report as one HTML page.

    Args:
        report: Of the search.
        index: Name of the index, for the title.
    """
    return "\n".join(_page(report, f"Copied passages in {index}"))


def _page(report: CopiesReport, title: str) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield (
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    )
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{_text(title)}</h1>"
    yield f"<p>{_text(counts_line(report))}</p>"
    for line in left_out_lines(report):
        yield f'<p class="dim">{_text(line)}</p>'
    for number, copy in enumerate(report.copies[:_MAX_PAIRS], 1):
        yield from _pair(number, copy)
    if len(report.copies) > _MAX_PAIRS:
        yield f"<p>{len(report.copies) - _MAX_PAIRS} more pairs; --format json lists all.</p>"
    yield from _boilerplate(report)
    yield "</body>\n</html>\n"


def _pair(number: int, copy: Copy) -> Iterator[str]:
    yield f"<h2>{number}. {_text(pair_line(copy))}</h2>"
    yield f'<p class="dim">{_text(copy_line(copy))}</p>'
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
    return f"{_text(side.id)}{_text(date)}, characters {start}–{end}"


def _sides(passage: CopiedPassage) -> tuple[str, str]:
    """Return both texts of a passage, with the runs marked that the other has as well."""
    if not passage.changed or max(len(passage.a.text), len(passage.b.text)) > _MARKED:
        return _text(passage.a.text), _text(passage.b.text)
    a, b = (_marked(words) for words in marked_words(passage.as_shared()))
    return a, b


def _marked(words: Sequence[tuple[str, bool]]) -> str:
    runs = []
    for is_shared, group in groupby(words, key=itemgetter(1)):
        run = [word for word, _ in group]
        text = _text(" ".join(run))
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
    return (
        f"<tr><td>{passage.groups}, {passage.documents}</td>"
        f'<td dir="auto">{_text(passage.text)}\n<span class="dim">{_text(where)}</span></td></tr>'
    )


def _text(value: str) -> str:
    """Return text from anywhere as HTML shows it: escaped, control characters made visible."""
    lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(escape(printable(line.replace("\t", " "))) for line in lines)
