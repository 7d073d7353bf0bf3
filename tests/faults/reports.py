"""What commands report, compared with what they changed: the index before and after a run."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SUMMARY = re.compile(
    r"(?P<written>\d+) written, (?P<unchanged>\d+) unchanged, (?P<without_text>\d+) without text, "
    r"(?P<gone>\d+) deleted during the run, (?P<failed>\d+) failed"
)
_REMOVING = frozenset({"skip", "replace"})


@dataclass(frozen=True)
class Left:
    """What is in an index, and what the command printed that left it.

    Attributes:
        sources: Fields of each document by its id, without ours.
        originals: What documents are marked as versions of.
        family_of: Name of the family of each document that has one.
        groups: Documents that are connected by decisions.
        fingerprinted: Ids of the documents with fingerprints.
        printed: What the command printed.
    """

    sources: Mapping[str, Any]
    originals: Mapping[str, str]
    family_of: Mapping[str, str]
    groups: frozenset[frozenset[str]]
    fingerprinted: frozenset[str]
    printed: str = ""

    @property
    def families(self) -> frozenset[frozenset[str]]:
        """The families by their members."""
        names = set(self.family_of.values())
        return frozenset(self.members(name) for name in names)

    def members(self, name: str) -> frozenset[str]:
        """Return the members of a family."""
        return frozenset(id for id, family in self.family_of.items() if family == name)


@dataclass(frozen=True)
class Reported:
    """A run that is done: what it changed, and what its report is compared with.

    Attributes:
        before: The index before it.
        after: The index after it, and what it printed.
        records: Records of the audit log, by all runs.
        first: The index before the first run, which the last may have resumed; None if they are
            one.
    """

    before: Left
    after: Left
    records: Sequence[Mapping[str, Any]] = ()
    first: Left | None = None

    @property
    def fingerprinted(self) -> int:
        """Documents that got fingerprints, also of those that went after that."""
        missing = self.before.sources.keys() - self.before.fingerprinted
        return len(missing - (self.after.sources.keys() - self.after.fingerprinted))

    @property
    def flagged(self) -> frozenset[str]:
        """Documents that were marked as versions of another one, or of none any more."""
        return self._changed(self.before.originals, self.after.originals)

    @property
    def regrouped(self) -> frozenset[str]:
        """Documents that have another family than before, or one and none at the other time."""
        return self._changed(self.before.family_of, self.after.family_of)

    @property
    def regrouped_at_all(self) -> frozenset[str]:
        """The same, by this run and those that it resumed."""
        first = self.first or self.before
        return self.regrouped | self._changed(first.family_of, self.after.family_of)

    def _changed(self, before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[str]:
        """Return the documents that were there all the time and have another value than before."""
        stayed = self.before.sources.keys() & self.after.sources.keys()
        return frozenset(id for id in stayed if before.get(id) != after.get(id))

    @property
    def removed(self) -> int:
        """Documents that are gone."""
        return len(self.before.sources.keys() - self.after.sources.keys())


def differences(command: str, run: Reported) -> Iterator[str]:
    """Yield in what the report of a command differs from what the run changed."""
    if command in _COMPARED:
        yield from _COMPARED[command](run)


def _of_backfill(run: Reported) -> Iterator[str]:
    summary = _SUMMARY.search(run.after.printed)
    if summary is None:
        yield f"no summary: {run.after.printed!r}"
        return
    counts = {name: int(count) for name, count in summary.groupdict().items()}
    yield from _of_counts(counts, run)


def _of_counts(counts: Mapping[str, int], run: Reported) -> Iterator[str]:
    """Compare the counts of documents that got fingerprints, each of which has a text."""
    expected = dict.fromkeys(("without_text", "gone", "failed"), 0)
    expected["written"] = run.fingerprinted
    if differing := {name for name, count in expected.items() if counts[name] != count}:
        yield f"{sorted(differing)} of {counts}, in the index {expected}"


def _of_families(run: Reported) -> Iterator[str]:
    report = json.loads(run.after.printed)
    yield from _of_groups(report, run)
    if not len(run.regrouped) <= report["written"] <= len(run.regrouped_at_all):
        yield f"families of {report['written']} written, in the index {sorted(run.regrouped)}"


def _of_groups(report: Mapping[str, Any], run: Reported) -> Iterator[str]:
    for family in report["families"]:
        # A sweep removes documents after it has found their families.
        reported = set(family["members"]) & run.after.sources.keys()
        stored = run.after.members(family["family"])
        if reported != stored:
            yield f"family {sorted(reported)}, in the index {sorted(stored)}"


def _of_sweep(run: Reported) -> Iterator[str]:
    report = json.loads(run.after.printed)
    yield from _of_counts(report["enriched"], run)
    if report["families"] is not None:
        yield from _of_groups(report["families"], run)
    decisions = Counter(report["decisions"])
    removed = sum(decisions[action] for action in _REMOVING)
    flagged = decisions.total() - removed
    if (removed, flagged) != (run.removed, len(run.flagged)):
        yield f"{dict(decisions)}; removed {run.removed}, flagged {sorted(run.flagged)}"
    ours = {(each["id"], each["action"]) for each in run.records if each["run"] == report["run"]}
    if Counter(action for _, action in ours) != decisions:
        yield f"decisions {dict(decisions)}, in the audit log {sorted(ours)}"


def _of_undo(run: Reported) -> Iterator[str]:
    report = json.loads(run.after.printed)
    restored = len(run.after.sources.keys() - run.before.sources.keys())
    unmarked = run.flagged | run.regrouped
    lost = len({_removed_id(each) for each in run.records if each.get("document") is not None})
    expected = {"restored": restored, "present": lost - restored, "failed": []}
    if differing := {name for name, count in expected.items() if report[name] != count}:
        yield f"{sorted(differing)} of {report}, in the index {expected}"
    if report["unmarked"] != len(unmarked):
        yield f"unmarked {report['unmarked']}, in the index {sorted(unmarked)}"


def _removed_id(record: Mapping[str, Any]) -> str:
    return str(record["other" if record["action"] == "replace" else "id"])


_COMPARED: Mapping[str, Callable[[Reported], Iterator[str]]] = {
    "backfill": _of_backfill,
    "families": _of_families,
    "sweep": _of_sweep,
    "undo": _of_undo,
}
