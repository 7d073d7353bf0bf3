"""Sentences about copies in plain text, for the terminal and for HTML alike."""

from collections.abc import Sequence

from es_simhash.pairs.copies import CopiesReport, Copy, CopySide
from es_simhash.text.counting import counted, percent, plural
from es_simhash.text.escaping import one_line

_MAX_IDS = 8
# Characters of a title.
_MAX_TITLE = 80


def pair_line(copy: Copy) -> str:
    """Return the two documents as one line, in the order of their dates if both are known."""
    a, b = side_line(copy.a), side_line(copy.b)
    if copy.order == "by_date":
        return f"By date: {a}, then {b}"
    why = "of the same date" if copy.order == "same_date" else "order unknown without both dates"
    return f"{a} and {b}, {why}"


def side_line(side: CopySide) -> str:
    """Return a document with its owner and the date from which it has the shared text."""
    values = ", ".join(map(one_line, side.values))
    name, owner = one_line(side.id), f" ({values})" if values else ""
    if side.title:
        behind = ", ".join(filter(None, (name, values)))
        name, owner = _shortened(side.title), f" ({behind})"
    date = "" if side.since is None else f", {side.since}"
    if side.since_id not in (None, side.id):
        date += f" by its version {one_line(side.since_id or '')}"
    return f"{name}{owner}{date}"


def _shortened(title: str) -> str:
    line = one_line(title)
    return line if len(line) <= _MAX_TITLE else f"{line[: _MAX_TITLE - 1].rstrip()}…"


def copy_line(copy: Copy) -> str:
    """Return how much two documents share, as one line."""
    # An edited passage spans more than the equal words, which are the coverage of a relation.
    line = f"{counted(len(copy.passages), 'passage')} with {counted(copy.letters, 'equal letter')}"
    if len(copy.passages) > 1:
        line += f", {copy.longest:,} in the longest"
    of_first, of_second = percent(copy.a.coverage), percent(copy.b.coverage)
    line += f"; over {of_first} of the first text, {of_second} of the second"
    if copy.pairs > 1:
        line += f"; {counted(copy.pairs - 1, 'more pair')} of their versions"
    if copy.boilerplate:
        line += f"; {counted(copy.boilerplate, 'passage')} of boilerplate left out"
    return line


def counts_line(report: CopiesReport) -> str:
    """Return the numbers of compared documents and of pairs as one line."""
    pairs = len(report.copies)
    share = f"{counted(pairs, 'pair')} {plural(pairs, 'shares', 'share')} passages."
    if report.since is not None:
        new = counted(report.documents, "new document")
        return f"{report.compared:,} of {new} compared with all: {share}"
    groups = counted(report.groups, "family")
    if report.between:
        groups = f"{counted(report.groups, 'value')} of {report.between}"
    documents = counted(report.documents, "document")
    return f"{report.compared:,} of {documents} compared, {groups}: {share}"


def left_out_lines(report: CopiesReport) -> list[str]:
    """Return a line for each reason for which documents were not compared, or not fully."""
    left, lines = report.left_out, []
    if left.without_fingerprints:
        lines.append(
            f"{counted(left.without_fingerprints, 'document')} without fingerprints not compared. "
            "Run `es-simhash backfill`."
        )
    if left.without_words:
        lines.append(f"{counted(left.without_words, 'document')} without words not compared.")
    if left.changed:
        lines.append(
            f"{counted(len(left.changed), 'document')} not compared, with another text than the "
            f"fingerprinted one: {_listed(left.changed)}. Run "
            "`es-simhash backfill --check`, then this command again."
        )
    if left.without_value:
        lines.append(
            f"{counted(len(left.without_value), 'document')} without a value of "
            f"{report.between!r} not compared: {_listed(left.without_value)}."
        )
    if left.without_family:
        lines.append(
            f"{counted(len(left.without_family), 'document')} without a family not compared: "
            f"{_listed(left.without_family)}. Run `es-simhash families run`."
        )
    if report.unfamilied:
        lines.append(
            f"{counted(report.unfamilied, 'document')} without a family, grouped by text alone. "
            "Run `es-simhash families run` for exact families."
        )
    if report.undated:
        have = plural(report.undated, "has", "have")
        lines.append(f"{counted(report.undated, 'compared document')} {have} no date.")
    return lines


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(map(one_line, ids[:_MAX_IDS]))
    return f"{shown} ..." if len(ids) > _MAX_IDS else shown
