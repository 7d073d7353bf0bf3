"""The family of two compared documents: a picture, the steps to other versions, and a table."""

import shlex
from collections.abc import Callable, Iterator

from es_simhash.differences.rendering.dots import dots
from es_simhash.differences.version_timeline import DatedVersion, Timeline
from es_simhash.pages.rendering import html_text

# Ids of an older and a newer document to the address of the page that compares them, if any.
Address = Callable[[str, str], str | None]
# Rows of a table that is open.
_OPEN = 8
_UNDATED = 12


def timeline_section(timeline: Timeline, address: Address | None = None) -> str:
    """Return the timeline as a section of the page that compares two documents.

    Args:
        timeline: Of the two.
        address: Returns where a server compares two documents, given their ids; None without a
            server, in which case the command is shown that does.
    """
    return (
        '<section class="timeline" aria-labelledby="timeline">\n'
        '<h2 id="timeline">Versions of this document</h2>\n'
        f"{_counted(timeline)}{dots(timeline)}{_undated(timeline)}"
        f"{_steps(timeline, address)}{_table(timeline, address)}</section>\n"
    )


def _counted(timeline: Timeline) -> str:
    count, read = timeline.documents, len(timeline.versions)
    words = f"{count:,} version{'s' if count != 1 else ''} by {timeline.date_field}"
    if count > read:
        words += f", of which {read:,} are shown: the newest, and A and B"
    return f'<p class="summary">{html_text(words)}</p>\n'


def _undated(timeline: Timeline) -> str:
    ids = timeline.undated
    if not ids:
        return ""
    names = ", ".join(_name(id) for id in ids[:_UNDATED])
    more = f" and {len(ids) - _UNDATED:,} more" if len(ids) > _UNDATED else ""
    return f'<p class="summary">Without a date: {names}{more}</p>\n'


def _name(id: str) -> str:
    return f"<bdi>{html_text(id)}</bdi>"


def _steps(timeline: Timeline, address: Address | None) -> str:
    """Return the steps to the version before the two, and to the one after them."""
    steps = [("Older", "prev", timeline.older), ("Newer", "next", timeline.newer)]
    items = [
        f"<li>{name}: {_step(timeline.index, pair, rel, address)}</li>\n"
        for name, rel, pair in steps
        if pair is not None
    ]
    if not items:
        return ""
    return f'<nav aria-label="Other versions"><ul>\n{"".join(items)}</ul></nav>\n'


def _step(
    index: str, pair: tuple[DatedVersion, DatedVersion], rel: str, address: Address | None
) -> str:
    older, newer = pair
    shown = f"{_name(older.id)} → {_name(newer.id)}"
    if address is None:
        return f"{shown}{_command(index, older.id, newer.id)}"
    where = address(older.id, newer.id)
    return shown if where is None else f'<a rel="{rel}" href="{html_text(where)}">{shown}</a>'


def _command(index: str, older: str, newer: str) -> str:
    """Return the command that compares two documents; none where it cannot be typed."""
    if not all(name.isprintable() for name in (index, older, newer)):
        return ""
    words = ["es-simhash", "changes", index, "--format", "html", "--", older, newer]
    return f' <code dir="ltr">{html_text(shlex.join(words))}</code>'


def _table(timeline: Timeline, address: Address | None) -> str:
    """Return all versions, the newest first, folded where they are many."""
    rows = "".join(_rows(timeline, address))
    count = len(timeline.versions)
    is_open = " open" if count <= _OPEN else ""
    return (
        f"<details{is_open}><summary>{count:,} versions as a table</summary>\n"
        "<table>\n<caption>The newest first</caption>\n"
        '<thead><tr><th scope="col">Date</th><th scope="col">Document</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></details>\n"
    )


def _rows(timeline: Timeline, address: Address | None) -> Iterator[str]:
    dated = timeline.dated
    marks = {timeline.b: "B", timeline.a: "A"}
    if timeline.a == timeline.b:
        marks = {timeline.a: "A and B"}
    undated = [version for version in timeline.versions if version.place is None]
    older: dict[DatedVersion, DatedVersion] = dict(zip(dated[1:], dated, strict=False))
    for version in [*reversed(dated), *undated]:
        mark = f" <b>{marks[version.id]}</b>" if version.id in marks else ""
        where = address(older[version].id, version.id) if address and version in older else None
        name = html_text(f"changes of {version.id}")
        link = where and f' <a href="{html_text(where)}" aria-label="{name}">changes</a>'
        date = html_text(version.date or "no date")
        yield f"<tr><td>{date}</td><td>{_name(version.id)}{mark}{link or ''}</td></tr>\n"
