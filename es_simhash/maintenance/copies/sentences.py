"""Sentences about copies in plain text, for the terminal and for HTML alike."""

from collections.abc import Sequence

from es_simhash.pairs.copies import CopiesReport, Copy, CopySide
from es_simhash.text.escaping import one_line

_MAX_IDS = 8


def pair_line(copy: Copy) -> str:
    """Return the two documents as one line, in the order of their dates if both are known."""
    a, b = side_line(copy.a), side_line(copy.b)
    if copy.order == "by_date":
        return f"{a} was first by date, then {b}"
    why = "of the same date" if copy.order == "same_date" else "order unknown without both dates"
    return f"{a} and {b}, {why}"


def side_line(side: CopySide) -> str:
    """Return a document with its owner and the date from which it has the shared text."""
    owner = f" ({', '.join(map(one_line, side.values))})" if side.values else ""
    date = "" if side.since is None else f", {side.since}"
    if side.since_id not in (None, side.id):
        date += f" as {one_line(side.since_id or '')}"
    return f"{one_line(side.id)}{owner}{date}"


def copy_line(copy: Copy) -> str:
    """Return how much two documents share, as one line."""
    passages = f"{len(copy.passages)} passages" if len(copy.passages) > 1 else "1 passage"
    line = (
        f"{copy.letters} letters in {passages}, the longest of {copy.longest}; "
        f"{copy.a.coverage:.0%} of the first text, {copy.b.coverage:.0%} of the second"
    )
    if copy.pairs > 1:
        line += f"; {copy.pairs - 1} more pairs of their versions"
    if copy.boilerplate:
        line += f"; {copy.boilerplate} passages of boilerplate left out"
    return line


def counts_line(report: CopiesReport) -> str:
    """Return the numbers of compared documents and of pairs as one line."""
    what = f"values of {report.between}" if report.between else "families"
    return (
        f"{report.compared} of {report.documents} documents compared, {report.groups} {what}: "
        f"{len(report.copies)} pairs share passages."
    )


def left_out_lines(report: CopiesReport) -> list[str]:
    """Return a line for each reason for which documents were not compared, or not fully."""
    left, lines = report.left_out, []
    if left.without_fingerprints:
        lines.append(
            f"{left.without_fingerprints} documents without fingerprints not compared. Run "
            "`es-simhash backfill`."
        )
    if left.without_words:
        lines.append(f"{left.without_words} documents without words not compared.")
    if left.changed:
        lines.append(
            f"{len(left.changed)} documents not compared, because their text is not the "
            f"fingerprinted one: {_listed(left.changed)}. Run "
            "`es-simhash backfill --check`, then this command again."
        )
    if left.without_value:
        lines.append(
            f"{len(left.without_value)} documents without a value of {report.between!r} not "
            f"compared: {_listed(left.without_value)}."
        )
    if left.without_family:
        lines.append(
            f"{len(left.without_family)} documents without a family not compared: "
            f"{_listed(left.without_family)}. Run `es-simhash families run`."
        )
    if report.unfamilied:
        lines.append(
            f"{report.unfamilied} documents without a family, grouped by their texts alone. Run "
            "`es-simhash families run` for exact families."
        )
    if report.undated:
        lines.append(f"{report.undated} compared documents have no date.")
    return lines


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(map(one_line, ids[:_MAX_IDS]))
    return f"{shown} ..." if len(ids) > _MAX_IDS else shown
