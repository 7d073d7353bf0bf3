"""Changes as a page of HTML that needs nothing else: no script, no font, no request."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from es_simhash.differences.model import Changes, KeyChange
from es_simhash.differences.rendering.pieces import Piece, counted_key_changes, pieces
from es_simhash.relation.model import Span
from es_simhash.text.html import html_page, html_text

# Characters of what is equal that are shown at a change; the rest is folded.
_SHOWN = 700
# Key changes that are shown; the rest is folded.
_ROWS = 20
_TAGS = {"delete": "del", "insert": "ins"}


def changes_html(changes: Changes, name_a: str, name_b: str) -> str:
    """Return the page.

    Args:
        changes: What changed.
        name_a: Name of the older text.
        name_b: Name of the newer text.
    """
    body = (
        f"<header>\n<h1><bdi>{html_text(name_a)}</bdi> → <bdi>{html_text(name_b)}</bdi></h1>\n"
        f'<p class="summary">{html_text(str(changes.summary))}</p>\n</header>\n'
        f"{_key_changes(changes)}"
        f'<main dir="auto">{"".join(_body(list(pieces(changes))))}</main>'
    )
    return html_page(f"{name_a} → {name_b}", [body], style="changes.css")


def _key_changes(changes: Changes) -> str:
    rows = [_row(change, count) for change, count in counted_key_changes(changes)]
    if not rows:
        return ""
    shown, more = rows[:_ROWS], rows[_ROWS:]
    folded = ""
    if more:
        folded = f"<details><summary>{len(more)} more</summary>\n{_table(more)}</details>\n"
    return (
        '<section class="key">\n<h2>Numbers, dates and names</h2>\n'
        f"{_table(shown)}{folded}</section>\n"
    )


def _table(rows: Sequence[str]) -> str:
    return f"<table>\n{''.join(rows)}</table>\n"


def _row(change: KeyChange, count: int) -> str:
    times = f"× {count}" if count > 1 else ""
    return (
        f"<tr><th>{change.kind}</th><td>{_side(change.a, 'del')}</td><td>→</td>"
        f"<td>{_side(change.b, 'ins')}</td><td>{times}</td></tr>\n"
    )


def _side(span: Span | None, tag: str) -> str:
    return "–" if span is None else f"<{tag}><bdi>{html_text(span.text)}</bdi></{tag}>"


def _body(found: Sequence[Piece]) -> Iterator[str]:
    """Yield the running text; moved blocks are boxes."""
    for number, group in groupby(
        enumerate(found),
        key=lambda item: item[1].move and item[1].mark != "moved_away" and item[1].move.number,
    ):
        members = [piece for _, piece in group]
        if number:
            yield from _moved(members)
        else:
            yield from _running(members)


def _moved(members: Sequence[Piece]) -> Iterator[str]:
    move = members[0].move
    assert move is not None
    yield (
        f'<div class="moved" id="here-{move.number}">'
        f'<a href="#away-{move.number}">moved here: see where it was</a>'
    )
    yield from (_marked(piece) for piece in members if piece.mark != "moved_here")
    yield "</div>"


def _running(members: Sequence[Piece]) -> Iterator[str]:
    for place, piece in enumerate(members):
        if piece.mark == "moved_away" and piece.move is not None:
            number = piece.move.number
            yield (
                f'<div class="away" id="away-{number}">'
                f'<a href="#here-{number}">moved away: see where it is</a>'
                f"<s>{html_text(piece.text)}</s></div>"
            )
        elif piece.mark == "equal" and len(piece.text) > 2 * _SHOWN:
            yield from _folded(piece.text, place > 0, place + 1 < len(members))
        else:
            yield _marked(piece)


def _marked(piece: Piece) -> str:
    tag = _TAGS.get(piece.mark)
    return f"<{tag}>{html_text(piece.text)}</{tag}>" if tag else html_text(piece.text)


def _folded(text: str, follows: bool, precedes: bool) -> Iterator[str]:
    """Yield a long equal stretch with its middle folded, cut at white space."""
    start = _cut(text, _SHOWN) if follows else 0
    end = _cut(text, len(text) - _SHOWN) if precedes else len(text)
    words = len(text[start:end].split())
    what = f"{words:,} unchanged words" if words > 1 else f"{end - start:,} unchanged characters"
    yield html_text(text[:start])
    yield f"<details><summary>{what}</summary>{html_text(text[start:end])}</details>"
    yield html_text(text[end:])


def _cut(text: str, place: int) -> int:
    """Return a place behind a line break, or white space, near another."""
    for mark in ("\n", " "):
        found = text.rfind(mark, max(0, place - _SHOWN // 2), place)
        if found >= 0:
            return found + 1
    return place
