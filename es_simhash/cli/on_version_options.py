"""Options of what to do with versions of existing documents."""

from typing import Any

import click

from es_simhash.cli.options import Command, described_options, options_of
from es_simhash.ingestion.deduplication.version_rules import ACTIONS, OnVersion

_OFF = "off"


def on_version_options(command: Command) -> Command:
    """Add the options; `on_version_of` takes their values."""
    action = {"type": click.Choice([_OFF, *ACTIONS]), "default": _OFF}
    return described_options(OnVersion, omit=("lease",), action=action)(command)


def on_version_of(values: dict[str, Any]) -> OnVersion | None:
    """Take the rules out of the values of a command; None for off.

    Raises:
        InputError: They contradict each other.
    """
    if values["on_version"] == _OFF:
        values["on_version"] = ACTIONS[0]
        options_of(OnVersion, values)
        return None
    return options_of(OnVersion, values)
