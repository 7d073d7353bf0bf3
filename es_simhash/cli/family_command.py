"""`es-simhash families show`: one version family, and how its texts changed in time."""

from collections.abc import Sequence
from typing import Annotated

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.commands import command
from es_simhash.cli.options import StoredTarget
from es_simhash.cli.output import listed
from es_simhash.cli.row_output import RowOutput
from es_simhash.cli.titles import named, title_columns
from es_simhash.constraints import constraints
from es_simhash.relation.family_history import FamilyHistory, FamilyMember, NearDocument
from es_simhash.relation.relation import DocumentContext
from es_simhash.text.counting import counted, percent, score_text
from es_simhash.text.escaping import one_line

# Ids in one line; JSON lists all.
_MAX_LISTED = 6
# Which columns are left out first where the terminal is narrow: those of a higher rank.
_PREVIOUS_RANK, _FIRST_RANK, _SCORE_RANK, _CHARACTERS_RANK, _NEAREST_RANK = 3, 4, 5, 6, 7


@command
def show_family(
    target: StoredTarget,
    id: str,
    *,
    date_field: str | None = None,
    newer_than: Annotated[str | None, constraints(metavar="DATE")] = None,
    output: RowOutput,
) -> None:
    """Show the version family of document ID of INDEX.

    ID may also be the name of a family. The members are listed in the order of their dates, with
    how much of the version before and of the first one each has kept, and with the member that is
    nearest to it. Documents that are near and not in the family follow, each with the reason.

    Args:
        date_field: Date field by which the members are ordered; None for the one of
            `es-simhash config`.
        newer_than: Show members with a later date only; Elasticsearch reads DATE, as in a range
            query.
    """
    # Help is printed without the client, which takes long to import.
    from es_simhash.cli.opened_index import opened

    with opened(target) as searched:
        history = searched.family(id, date_field=date_field, newer_than=newer_than)
    whole = history.to_dict()
    output.print(lambda: whole, lambda: whole["members"], lambda: _print(history))


def _print(history: FamilyHistory) -> None:
    console = Console()
    count = counted(history.documents, "document")
    shown = len(history.members)
    if shown < history.documents:
        count += f", {shown} shown"
    console.print(Text(f"Family {one_line(history.name)}: {count}"), highlight=False)
    if history.members:
        _print_members(history.members, console)
    if history.near:
        _print_near(history.near, console)
    _print_notes(history)


def _print_members(members: Sequence[FamilyMember], console: Console) -> None:
    columns = [
        Column("", ["*" if member.is_representative else "" for member in members]),
        Column("id", [member.id for member in members]),
        *title_columns([member.title for member in members], [member.date for member in members]),
        Column(
            "characters",
            [f"{member.characters:,}" for member in members],
            is_number=True,
            rank=_CHARACTERS_RANK,
        ),
        Column(
            "of previous",
            [_share(member.kept_from_previous) for member in members],
            is_number=True,
            rank=_PREVIOUS_RANK,
        ),
        Column(
            "of first",
            [_share(member.kept_from_first) for member in members],
            is_number=True,
            rank=_FIRST_RANK,
        ),
        Column(
            "score",
            ["" if member.score is None else score_text(member.score) for member in members],
            is_number=True,
            rank=_SCORE_RANK,
        ),
        Column("nearest", [_nearest(member) for member in members], rank=_NEAREST_RANK),
    ]
    print_columns(columns, console, "* represents the family")


def _nearest(member: FamilyMember) -> str:
    return (member.nearest or "") + (" (joined)" if member.joined else "")


def _print_near(near: Sequence[NearDocument], console: Console) -> None:
    console.print("Near, and not in the family:", highlight=False)
    for document in near:
        called = named(document.id, DocumentContext(title=document.title, date=document.date))
        console.print(Text.assemble("  ", (called, "bold")), soft_wrap=True)
        reason = (
            f"{document.kind} of {one_line(document.member)}, score {score_text(document.score)}: "
            f"{one_line(document.because)}"
        )
        console.print(Padding(Text(reason), (0, 0, 0, 4)))


def _print_notes(history: FamilyHistory) -> None:
    """Print what was not certain to standard error."""
    if history.undated:
        click.echo(
            f"{len(history.undated)} without a date in {history.date_field}, listed last: "
            f"{listed(history.undated, _MAX_LISTED)}.",
            err=True,
        )
    if history.several_dates:
        click.echo(
            f"{len(history.several_dates)} with several dates in {history.date_field}, of which "
            f"the latest counts: {listed(history.several_dates, _MAX_LISTED)}.",
            err=True,
        )
    if history.truncated:
        click.echo(
            "truncated: the family has more documents than were read; these are the "
            "representative and the newest.",
            err=True,
        )


def _share(share: float | None) -> str:
    return "" if share is None else percent(share)
