"""The versions of a document in a terminal: their names, and what their order is."""

import click

from es_simhash.cli.output import listed
from es_simhash.differences.history import Blame, History, Version
from es_simhash.text.escaping import one_line

# Ids in one line; JSON lists all.
_MAX_UNDATED = 6

date_field_option = click.option(
    "--date-field",
    show_default="the date field of the index, see `es-simhash config`",
    help="Date field that orders the versions.",
)


def version_label(version: Version) -> str:
    """Return the date and the id of a version as one line."""
    return " ".join(filter(None, (version.date, one_line(version.id))))


def order_line(found: History | Blame) -> str:
    """Return what the order of the versions is, as the end of a sentence."""
    if found.date_field is None:
        return "in the order of their ids, as no date field is set"
    order = f"by {one_line(found.date_field)}"
    if found.undated:
        names = listed(found.undated, _MAX_UNDATED)
        order += f"; without a date, and first, by id: {names}"
    return order
