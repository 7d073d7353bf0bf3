"""Two texts side by side as a page of HTML that needs nothing else: no script, no request."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from es_simhash.differences.difference import Changes, KeyChange
from es_simhash.differences.rendering.hunks import counted_key_changes
from es_simhash.differences.rendering.rows import Bit, Row, row_of, rows
from es_simhash.differences.rendering.strip import strip
from es_simhash.differences.rendering.timeline import Address, timeline_section
from es_simhash.differences.version_timeline import Timeline
from es_simhash.pages.rendering import html_page, html_text
from es_simhash.relation.relation import Relation, SharedPassage, Span

# Characters of equal rows in a line that are shown; those between the first and the last are
# folded.
_SHOWN = 700
# Key changes, and shared passages, that are shown; the rest is folded.
_ROWS, _PASSAGES = 20, 12
_MAX_PASSAGE = 120


def changes_html(
    changes: Changes,
    name_a: str,
    name_b: str,
    relation: Relation | None = None,
    timeline: Timeline | None = None,
    address: Address | None = None,
) -> str:
    """Return the page.

    Args:
        changes: What changed.
        name_a: Name of the older text.
        name_b: Name of the newer text.
        relation: Of the older text to the newer one, for how much they share; None without.
        timeline: Of the two, where they are versions of one document; None without.
        address: Returns where a server compares two documents, given the ids of the older and the
            newer one; None without a server.
    """
    head, sections = changes_parts(changes, name_a, name_b, relation, timeline, address)
    body = f"<header>\n{head}</header>\n<main>\n{sections}</main>"
    return html_page(f"{name_a} → {name_b}", [body], style="changes.css")


def changes_parts(
    changes: Changes,
    name_a: str,
    name_b: str,
    relation: Relation | None = None,
    timeline: Timeline | None = None,
    address: Address | None = None,
) -> tuple[str, str]:
    """Return the heading of the page, and what is below it; see `changes_html`."""
    found = list(rows(changes))
    passages = _shared(relation)
    links = _links(found, passages)
    sections = [
        _key_changes(changes),
        "" if timeline is None else timeline_section(timeline, address),
        _strip_section(changes, passages),
        _passages(passages, links),
        _texts(found, name_a, name_b, {place for link in links for place in link}),
    ]
    return _header(changes, name_a, name_b, relation), "".join(sections)


def texts_first(changes: Changes, name_a: str, name_b: str, relation: Relation | None) -> str:
    """Return both texts side by side, and below them what they share; see `changes_html`."""
    found = list(rows(changes))
    passages = _shared(relation)
    links = _links(found, passages)
    linked = {place for link in links for place in link}
    return (
        f"{_texts(found, name_a, name_b, linked)}{_passages(passages, links)}"
        f"{_strip_section(changes, passages)}{_key_changes(changes)}"
    )


def _header(changes: Changes, name_a: str, name_b: str, relation: Relation | None) -> str:
    coverage = ""
    if relation is not None and relation.kind != "semantic":
        shares = relation.coverage
        coverage = (
            f'<p class="summary">{shares.of_query:.0%} of A appears in B, '
            f"{shares.of_hit:.0%} of B appears in A</p>\n"
        )
    return (
        f"<h1><bdi>{html_text(name_a)}</bdi> → <bdi>{html_text(name_b)}</bdi></h1>\n"
        f'<p class="summary">{html_text(str(changes.summary))}</p>\n{coverage}'
    )


def _key_changes(changes: Changes) -> str:
    found = [_key_row(change, count) for change, count in counted_key_changes(changes)]
    if not found:
        return ""
    shown, more = found[:_ROWS], found[_ROWS:]
    folded = ""
    if more:
        folded = (
            f"<details><summary>{len(more)} more</summary>\n"
            f"{_table(more, 'Further numbers, dates and names')}</details>\n"
        )
    return (
        '<section class="keys" aria-labelledby="keys">\n'
        '<h2 id="keys">Numbers, dates and names</h2>\n'
        f"{_table(shown, 'From the older text to the newer one')}{folded}</section>\n"
    )


def _table(found: Sequence[str], caption: str) -> str:
    return f"<table>\n<caption>{caption}</caption>\n{''.join(found)}</table>\n"


def _key_row(change: KeyChange, count: int) -> str:
    times = f"× {count}" if count > 1 else ""
    return (
        f'<tr><th scope="row">{change.kind}</th><td>{_key_side(change.a, "del")}</td><td>→</td>'
        f"<td>{_key_side(change.b, 'ins')}</td><td>{times}</td></tr>\n"
    )


def _key_side(span: Span | None, tag: str) -> str:
    return "–" if span is None else f"<{tag}><bdi>{html_text(span.text)}</bdi></{tag}>"


def _strip_section(changes: Changes, passages: Sequence[SharedPassage]) -> str:
    picture = strip(changes, passages)
    if not picture:
        return ""
    names = [("kept", "in both"), ("moved", "moved"), ("reworded", "reworded")]
    keys = " ".join(
        f'<span><span class="key {style}"></span>{name}</span>'
        for style, name in names
        if f'class="{style}"' in picture
    )
    return (
        '<section aria-labelledby="where">\n<h2 id="where">Where the common parts lie</h2>\n'
        f'<div class="strips"><span>A</span>{picture}<span class="low">B</span></div>\n'
        f'<p class="legend">{keys or "none"}</p>\n</section>\n'
    )


def _shared(relation: Relation | None) -> list[SharedPassage]:
    """Return the passages that two texts share, in the order of the older one."""
    if relation is None:
        return []
    shared = [passage for passage in relation.evidence if passage.kind != "nearest"]
    return sorted(shared, key=lambda passage: passage.query.start)


def _links(found: Sequence[Row], passages: Sequence[SharedPassage]) -> list[tuple[int, int]]:
    """Return for each passage the rows in which it begins, in A and in B."""
    return [
        (row_of(found, passage.query.start, "a"), row_of(found, passage.hit.start, "b"))
        for passage in passages
    ]


def _passages(passages: Sequence[SharedPassage], links: Sequence[tuple[int, int]]) -> str:
    if not passages:
        return ""
    items = [_passage(passage, *link) for passage, link in zip(passages, links, strict=True)]
    folded = ""
    if items[_PASSAGES:]:
        more = "".join(items[_PASSAGES:])
        folded = (
            f"<details><summary>{len(items) - _PASSAGES} more</summary>"
            f'<ol start="{_PASSAGES + 1}">{more}</ol></details>\n'
        )
    return (
        '<section class="passages" aria-labelledby="passages">\n'
        '<h2 id="passages">Shared passages</h2>\n'
        f"<ol>{''.join(items[:_PASSAGES])}</ol>\n{folded}</section>\n"
    )


def _passage(passage: SharedPassage, row_a: int, row_b: int) -> str:
    how = f"{passage.kind}, {passage.changed:.0%} changed" if passage.changed else "word for word"
    line = " ".join(passage.hit.text.split())
    text = line if len(line) <= _MAX_PASSAGE else f"{line[: _MAX_PASSAGE - 1]}…"
    return (
        f'<li><bdi dir="auto">{html_text(text)}</bdi> <small>{how}; '
        f'<a href="#row-{row_a}">in A</a>, <a href="#row-{row_b}">in B</a></small></li>'
    )


def _texts(found: Sequence[Row], name_a: str, name_b: str, linked: set[int]) -> str:
    """Return the rows; those that are linked to have an id."""
    numbered = list(enumerate(found))
    parts: list[str] = []
    for is_equal, group in groupby(numbered, key=lambda item: item[1].kind == "equal"):
        run = list(group)
        shown = [_row(row, number if number in linked else None) for number, row in run]
        parts += _folded([row for _, row in run], shown) if is_equal else shown
    return (
        '<section aria-labelledby="texts">\n<h2 id="texts">Side by side</h2>\n'
        '<p class="legend"><span><del>only in A</del></span> <span><ins>only in B</ins></span></p>'
        f'\n<div class="row names"><div><b>A</b> <bdi>{html_text(name_a)}</bdi></div>'
        f"<div><b>B</b> <bdi>{html_text(name_b)}</bdi></div></div>\n{''.join(parts)}</section>\n"
    )


def _folded(found: Sequence[Row], shown: Sequence[str]) -> Iterator[str]:
    """Yield equal rows; of many, those between the first and the last are folded."""
    between = "".join(bit.text for row in found[1:-1] for bit in row.b)
    if len(between) <= _SHOWN:
        yield from shown
        return
    words = len(between.split())
    what = f"{words:,} unchanged words" if words > 1 else f"{len(between):,} unchanged characters"
    yield shown[0]
    yield f"<details><summary>{what}</summary>{''.join(shown[1:-1])}</details>\n"
    yield shown[-1]


def _row(row: Row, number: int | None) -> str:
    at = "" if number is None else f' id="row-{number}"'
    return (
        f'<div class="row {row.kind}"{at}>{_side(row, row.a, "A", "del")}'
        f"{_side(row, row.b, 'B', 'ins')}</div>\n"
    )


def _side(row: Row, bits: Sequence[Bit], name: str, tag: str) -> str:
    if not bits:
        return '<div class="nothing"></div>'
    # The end of a paragraph is the end of the row.
    text = "".join(_marked(bit, tag) for bit in bits).strip("\r\n")
    return f'<div dir="auto" data-side="{name}">{_move_link(row)}{text}</div>'


def _marked(bit: Bit, tag: str) -> str:
    """Return a stretch as HTML; the white space around what differs is not marked."""
    words = bit.text.strip()
    if not bit.is_edit or not words:
        return html_text(bit.text)
    start = bit.text.index(words)
    before, after = bit.text[:start], bit.text[start + len(words) :]
    return f"{html_text(before)}<{tag}>{html_text(words)}</{tag}>{html_text(after)}"


def _move_link(row: Row) -> str:
    """Return the link from one place of a moved block to the other."""
    if row.move is None:
        return ""
    number = row.move.number
    if row.kind == "moved_away":
        return f'<a id="away-{number}" href="#here-{number}">moved away: see where it is</a>'
    return f'<a id="here-{number}" href="#away-{number}">moved here: see where it was</a>'
