"""The runs of an audit log, their ids, and which of them a person means."""

import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from es_simhash.errors import InputError
from es_simhash.ingestion.deduplication.version_rules import DONE, REVERSIBLE

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


# Stands for every run of a log; no id of a run has these letters.
ALL_RUNS = "all"
_MAX_RUNS_LISTED = 5


@dataclass
class AuditRun:
    """What a log has of one run.

    Attributes:
        run: Its id.
        last: Time of its last record, in milliseconds since 1970.
        actions: Its decisions by their actions.
    """

    run: str
    last: int = 0
    actions: Counter[str] = field(default_factory=Counter)

    @property
    def can_be_undone(self) -> bool:
        """True when it changed or removed documents."""
        return any(self.actions[action] for action in REVERSIBLE)

    @property
    def summary(self) -> str:
        """Id, local time and counts."""
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.last / 1000))
        counts = [
            f"{count} {DONE.get(action, action)}" for action, count in sorted(self.actions.items())
        ]
        return f"{self.run} ({when}, {', '.join(counts)})"


def runs_of(heads: Iterable[Mapping[str, Any]]) -> list[AuditRun]:
    """Return the runs of records, the newest first.

    Args:
        heads: Heads of the records.
    """
    runs: dict[str, AuditRun] = {}
    for head in heads:
        run = runs.setdefault(head["run"], AuditRun(head["run"]))
        run.last = max(run.last, head["time"])
        run.actions[head["action"]] += 1
    return sorted(runs.values(), key=lambda run: -run.last)


def choose_runs(name: str | None, runs: Iterable[AuditRun], where: str) -> list[str]:
    """Return the ids of the runs that a person means.

    Args:
        name: Id of a run or the beginning of it, `all`, or None for the only one.
        runs: Those of the log.
        where: Where they are, for the errors.

    Raises:
        InputError: There is no such run, or there are several.
    """
    known = list(runs)
    if name is not None and name != ALL_RUNS:
        return [find_run(name, [run.run for run in known], where)]
    undoable = [run for run in known if run.can_be_undone]
    if len(undoable) > 1 and name is None:
        listed = "; ".join(run.summary for run in undoable[:_MAX_RUNS_LISTED])
        more = len(undoable) - _MAX_RUNS_LISTED
        raise InputError(
            f"There are {len(undoable)} runs in {where}: {listed}"
            f"{f'; and {more} earlier' if more > 0 else ''}. Name one, or {ALL_RUNS!r}. Set run.",
            parameter="run",
        )
    return [run.run for run in undoable]
