"""Options of what to do with versions of existing documents."""

from typing import Any

import click

from es_simhash.cli.options import Command
from es_simhash.ingestion.deduplication.version_rules import ACTIONS, KEEPS, OnVersion
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.relation.thresholds import VERSION_SCORE

OFF = "off"
_OPTIONS = (
    click.option(
        "--on-version",
        type=click.Choice([OFF, *ACTIONS]),
        default=OFF,
        show_default=True,
        help="Action on a version of an existing document.",
    ),
    click.option(
        "--version-kinds",
        default=",".join(OnVersion.kinds),
        show_default=True,
        help="Kinds of relations that count as a version, separated by commas, of "
        f"{', '.join(VERSION_KINDS)}. `contains`: the new text contains the existing one.",
    ),
    click.option(
        "--version-score",
        type=click.FloatRange(0, 1),
        default=OnVersion.min_score,
        show_default=True,
        help=f"Minimum score of a version; versions start at {VERSION_SCORE}.",
    ),
    click.option(
        "--keep",
        type=click.Choice(KEEPS),
        default=OnVersion.keep,
        show_default=True,
        help="Which of the two documents `--on-version replace` keeps.",
    ),
    click.option(
        "--date-field",
        help="Date field of the mapping; needed by `--keep newest`, and orders the documents of a "
        "sweep.",
    ),
    click.option(
        "--audit",
        show_default="INDEX.audit.jsonl in the working directory",
        help="Audit log: a file, or index:NAME.",
    ),
)


def on_version_options(command: Command) -> Command:
    """Add the options; `on_version_of` takes their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def on_version_of(options: dict[str, Any]) -> tuple[OnVersion | None, dict[str, Any]]:
    """Return the rules of the options, None for off, and the remaining options.

    Raises:
        InputError: They contradict each other.
    """
    rest = dict(options)
    action = rest.pop("on_version")
    kinds = tuple(kind.strip() for kind in rest.pop("version_kinds").split(","))
    rules = {"kinds": kinds, "min_score": rest.pop("version_score")}
    rules |= {name: rest.pop(name) for name in ("keep", "date_field", "audit")}
    return (None if action == OFF else OnVersion(action, **rules)), rest
