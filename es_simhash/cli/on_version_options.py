"""Options of what to do with versions of documents that are there."""

from typing import Any

import click

from es_simhash.cli.options import Command
from es_simhash.deduplication.rules import ACTIONS, KEEPS, OnVersion
from es_simhash.relation.model import VERSION_KINDS

OFF = "off"
_OPTIONS = (
    click.option(
        "--on-version",
        type=click.Choice([OFF, *ACTIONS]),
        default=OFF,
        show_default=True,
        help="What to do with a version of a document that is there.",
    ),
    click.option(
        "--version-kinds",
        default=",".join(OnVersion.kinds),
        show_default=True,
        help=f"Kinds of relations that count, of {', '.join(VERSION_KINDS)}; "
        "contains is a text that holds the other.",
    ),
    click.option(
        "--version-score",
        type=click.FloatRange(0, 1),
        default=OnVersion.min_score,
        show_default=True,
        help="Least score that counts; versions have at least 0.6.",
    ),
    click.option(
        "--keep",
        type=click.Choice(KEEPS),
        default=OnVersion.keep,
        show_default=True,
        help="Which of the two --on-version replace keeps.",
    ),
    click.option(
        "--date-field",
        help="Field of the date: for --keep newest, and for who came first in a sweep.",
    ),
    click.option(
        "--audit",
        help="Log of the decisions: a file, or index:NAME; default: INDEX.audit.jsonl here.",
    ),
)


def on_version_options(command: Command) -> Command:
    """Add the options; `on_version_of` takes what they give."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def on_version_of(options: dict[str, Any]) -> tuple[OnVersion | None, dict[str, Any]]:
    """Return the rules the options say, None for off, and the options that are not about them.

    Raises:
        InputError: They contradict each other.
    """
    rest = dict(options)
    action = rest.pop("on_version")
    kinds = tuple(each.strip() for each in rest.pop("version_kinds").split(","))
    rules = {"kinds": kinds, "min_score": rest.pop("version_score")}
    rules |= {name: rest.pop(name) for name in ("keep", "date_field", "audit")}
    return (None if action == OFF else OnVersion(action, **rules)), rest
