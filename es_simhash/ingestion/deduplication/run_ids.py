"""Ids of runs in audit logs, and how a person names them."""

import uuid
from collections.abc import Iterable

from es_simhash.errors import InputError

_DIGITS = 12
# Runs that an error names.
_MAX_RUNS_NAMED = 5


def new_run() -> str:
    """Return the id of a new run, 12 hexadecimal digits."""
    return uuid.uuid4().hex[:_DIGITS]


def find_run(name: str, runs: Iterable[str], where: str) -> str:
    """Return the one run that a name stands for: its id, or the beginning of it.

    Args:
        name: What the person gave.
        runs: The ids of all runs.
        where: Where these are, for the errors.

    Raises:
        InputError: There is no such run, or there are several.
    """
    known = list(runs)
    if name in known:
        return name
    matching = [run for run in known if name and run.startswith(name)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        named = ", ".join(sorted(matching)[:_MAX_RUNS_NAMED])
        raise InputError(
            f"Run {name!r} is ambiguous: {named}{' …' if len(matching) > _MAX_RUNS_NAMED else ''} "
            "begin with it. Give more digits."
        )
    raise InputError(f"There is no run {name!r} in {where}. Check the id.")
