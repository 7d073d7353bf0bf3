"""Trials: a command meets faults until it is done, and what it leaves is compared with the truth.

The truth is what the same command leaves of the same documents without a fault, and the documents
themselves.
"""

import json
import random
import shutil
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.store.installation.install import install
from tests.faults.collection import DATE, NUMBER, is_rejected, make_collection
from tests.faults.commands import Commands, Ended, Settings
from tests.faults.faulty_proxy import BLOCKS, ENDINGS, JUMPS, ROLLOVER, FaultyProxy, Plan
from tests.faults.reports import Left, Reported, differences
from tests.support.aliases import make_alias, roll_over

DOCUMENTS, AUDIT = "documents.jsonl", "audit.jsonl"
# Different collections; the truth of each is found once for each command.
_COLLECTIONS = 4
_ATTEMPTS = 7
_CLEAN_ATTEMPTS = 3
# Share of the trials that write through an alias where they may, and of their runs that roll over.
_ROLLING, _ROLLED = 0.4, 0.6
_FILE_SIZES = (1, 600, 5_000, 9_000, 17_000, 40_000)
LOST, DOUBLED, WRONG, DISHONEST = "lost", "doubled", "wrong decisions", "dishonest exits"
FINDINGS = (LOST, DOUBLED, WRONG, DISHONEST)


@dataclass(frozen=True)
class Kind:
    """A command that is tried.

    Attributes:
        arguments: Those behind the index.
        state: Of the index before: `installed`, `plain` (documents without our fields),
            `ingested`, `grouped` (with families), or `swept` (the first half, the rest is plain).
        audits: Whether it writes an audit log.
        removes: Whether it removes documents.
        rolls: Whether some trials write through an alias that is rolled over.
    """

    arguments: tuple[str, ...]
    state: str
    audits: bool = False
    removes: bool = False
    rolls: bool = False

    @property
    def ingests(self) -> bool:
        """Whether it reads the documents from a file."""
        return self.arguments[0] == "ingest"


def _ingest(action: str) -> Kind:
    rules = ("--on-version", action, "--lose", "1", "--audit", AUDIT)
    common = (DOCUMENTS, "--format", "json", "--quiet", "--processes", "1")
    return Kind(("ingest", *common, *rules), "installed", True, action in ("skip", "replace"))


def _sweep(action: str, state: str) -> Kind:
    rules = ("--on-version", action, "--lose", "1", "--audit", AUDIT)
    removes = action in ("skip", "replace")
    # By their dates: a sweep that was killed has changed the order in which they were written.
    common = ("--format", "json", "--quiet", "--processes", "1", "--date-field", DATE)
    return Kind(("sweep", *common, *rules), state, True, removes, rolls=not removes)


KINDS = {
    "ingest": Kind(
        ("ingest", DOCUMENTS, "--format", "json", "--quiet", "--processes", "1"),
        "installed",
        rolls=True,
    ),
    # Each document is there already, and replaced.
    "ingest again": Kind(
        ("ingest", DOCUMENTS, "--format", "json", "--quiet", "--processes", "1"),
        "plain",
        rolls=True,
    ),
    "ingest on two processors": Kind(
        ("ingest", DOCUMENTS, "--format", "json", "--quiet", "--processes", "2"), "installed"
    ),
    **{f"ingest, {action}": _ingest(action) for action in ("flag", "link", "skip", "replace")},
    "backfill": Kind(("backfill", "--quiet", "--processes", "1"), "plain", rolls=True),
    "families": Kind(("families run", "--format", "json"), "ingested", rolls=True),
    "copies": Kind(("copies", "--format", "json", "--quiet", "--min-letters", "40"), "grouped"),
    "sweep, flag": _sweep("flag", "plain"),
    "sweep, link": _sweep("link", "swept"),
    "sweep, skip": _sweep("skip", "swept"),
}


@dataclass
class Tally:
    """What happened and what was found, over all trials."""

    injected: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    trials: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    documents: int = 0

    def find(self, finding: str, what: str) -> None:
        """Note something that must not be, and print it at once."""
        self.findings[finding] += 1
        self.problems.append(f"{finding}: {what}")
        print(f"  {self.problems[-1]}", file=sys.stderr, flush=True)


class Trials:
    """Runs trials on one engine, over one proxy.

    Args:
        client: Of the engine, without faults.
        proxy: Before the engine.
        commands: Starts the commands.
        seed: Decides what happens.
        first: Faults one of which meets the first run of each trial.
    """

    def __init__(
        self,
        client: Any,
        proxy: FaultyProxy,
        commands: Commands,
        seed: int,
        first: Sequence[str] = (),
    ) -> None:
        self.tally = Tally(injected=proxy.injected)
        self._first = first
        self._client, self._proxy, self._commands = client, proxy, commands
        self._seed = seed
        self._truths: dict[tuple[str, int], tuple[Left, int]] = {}
        self._proxy.strike, self._proxy.jump = commands.strike, commands.jump

    def run(self, number: int, name: str) -> None:
        """Run the trial of a number: all that is chosen in it follows from it and the seed."""
        chosen = random.Random(f"{self._seed} {number} {name}")
        collection = chosen.randrange(_COLLECTIONS)
        truth, requests = self._truth(name, collection)
        rolls = KINDS[name].rolls and not self._first and chosen.random() < _ROLLING
        self.tally.trials[name] += 1
        self._commands.set_clock()
        title = f"{name}{' of an alias' if rolls else ''}, trial {number} of seed {self._seed}"
        with self._trial(name, collection, title, rolls=rolls) as trial:
            trial.run_with_faults(chosen, requests, self._first)
            trial.compare(truth)
            trial.run_again()
            if trial.kind.audits:
                trial.undo(chosen)

    def _truth(self, name: str, collection: int) -> tuple[Left, int]:
        """Return what the command leaves without a fault, and how many requests that takes."""
        key = name, collection
        if key not in self._truths:
            with self._trial(name, collection, f"{name} without faults") as trial:
                before = trial.left("")
                ended = trial.run_once(trial.arguments, Plan(random.Random(0)))
                requests = self._proxy.requests
                trial.require_done(ended)
                trial.check_report(ended, before)
                self._truths[key] = trial.left(ended.out), requests
        return self._truths[key]

    @contextmanager
    def _trial(
        self, name: str, collection: int, title: str, *, rolls: bool = False
    ) -> Iterator["Trial"]:
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        index = f"faults-{uuid.uuid4().hex[:12]}"
        trial = Trial(self._client, self._proxy, self._commands, self.tally, KINDS[name], title)
        try:
            trial.prepare(index, folder, make_collection(collection), rolls=rolls)
            yield trial
        finally:
            self._client.indices.delete(
                index=[*self._client.indices.get_mapping(index=f"{index}*")]
            )
            shutil.rmtree(folder, ignore_errors=True)


class Trial:
    """One command on one index of its own."""

    def __init__(
        self,
        client: Any,
        proxy: FaultyProxy,
        commands: Commands,
        tally: Tally,
        kind: Kind,
        title: str,
    ) -> None:
        self.kind = kind
        self._client, self._proxy, self._commands = client, proxy, commands
        self._tally, self._title = tally, title
        self._index, self._folder = "", Path()
        self._documents: dict[str, dict[str, Any]] = {}
        self._seen: list[str] = []
        self._printed = ""
        self._rolls = False

    @property
    def arguments(self) -> list[str]:
        """The command line, with the index."""
        first, *rest = self.kind.arguments
        return [*first.split(), self._index, *rest]

    @property
    def _state(self) -> str:
        """The index of what is stored about the index."""
        return f"{self._index}-simhash"

    @property
    def accepted(self) -> dict[str, dict[str, Any]]:
        """The documents that the mapping takes, by id."""
        return {id: each for id, each in self._documents.items() if not is_rejected(each)}

    def prepare(
        self, index: str, folder: Path, documents: Sequence[dict[str, Any]], *, rolls: bool = False
    ) -> None:
        """Make the index, or an alias that is to be rolled over, and what the command reads."""
        self._index, self._folder, self._rolls = index, folder, rolls
        if rolls:
            make_alias(self._client, index)
        self._documents = {each["id"]: each for each in documents}
        lines = [json.dumps(each) + "\n" for each in documents]
        (folder / DOCUMENTS).write_text("".join(lines), "utf-8")
        install(self._client, index, semantics=None)
        properties = {NUMBER: {"type": "long"}, DATE: {"type": "date"}}
        self._client.indices.put_mapping(index=index, properties=properties)
        taken = list(self.accepted.values())
        if self.kind.state in ("ingested", "grouped"):
            assert all(each.ok for each in ingest(self._client, index, taken))
            self._client.indices.refresh(index=index)
            if self.kind.state == "grouped":
                find_families(self._client, index)
        elif self.kind.state == "plain":
            self._put(taken)
        elif self.kind.state == "swept":
            self._seen = [each["id"] for each in taken[::2]]
            self._put(taken[::2])
            sweep(self._client, index)
            self._put(taken[1::2])
        self._client.indices.refresh(index=index)
        self._proxy.block = self._block
        self._proxy.roll = lambda: roll_over(self._client, index)

    def run_with_faults(
        self, chosen: random.Random, requests: int, first: Sequence[str] = ()
    ) -> None:
        """Run the command until it is done, the first times with faults."""
        first_left: Left | None = None
        for attempt in range(_ATTEMPTS + _CLEAN_ATTEMPTS):
            is_clean = attempt >= _ATTEMPTS
            plan = Plan(chosen) if is_clean else make_plan(chosen, requests, attempt)
            if self._rolls and not is_clean:
                plan = rolling(plan, requests)
            if first and attempt == 0:
                plan.at = {chosen.randrange(requests): chosen.choice(first)}
            size = None
            if not is_clean and chosen.random() < 0.08:
                size = chosen.choice(_FILE_SIZES)
            before = self.left("")
            first_left = first_left or before
            ended = self.run_once(self.arguments, plan, size)
            if self._is_done(ended):
                self.check_report(ended, before, first_left)
                self._printed = ended.out
                return
        self._tally.find(DISHONEST, f"{self._title} does not end: {ended}")
        self._printed = ended.out

    def run_once(self, arguments: Sequence[str], plan: Plan, size: int | None = None) -> Ended:
        """Run a command by a plan, and check that its exit is honest."""
        self._proxy.begin(plan)
        before = self._proxy.injected.copy()
        ended = self._commands.run(arguments, Settings(self._proxy.url, self._folder, size))
        self._tally.runs += 1
        if size is not None and ended.status == 1 and "large" in ended.err.lower():
            self._proxy.count("full disk of the client")
        met = self._proxy.injected - before
        self._check_exit(ended, met)
        self._proxy.recover()
        for name in BLOCKS.values():
            self._block(name, False)
        return ended

    def require_done(self, ended: Ended) -> None:
        """Check that a command is done.

        Raises:
            RuntimeError: It is not, without a fault.
        """
        if not self._is_done(ended):
            raise RuntimeError(f"{self._title}: {ended}")

    def left(self, printed: str) -> Left:
        """Return what is in the index now."""
        self._client.indices.refresh(index=self._index)
        hits = self._client.search(index=self._index, size=1000)["hits"]["hits"]
        sources = {hit["_id"]: hit["_source"] for hit in hits}
        if len(hits) != len(sources):
            self._tally.find(DOUBLED, f"{self._title}: {len(hits)} documents, {len(sources)} ids")
        ours = {id: source.pop("simhash", {}) for id, source in sources.items()}
        families = {id: each["family"] for id, each in ours.items() if each.get("family")}
        originals = {
            id: each["duplicate_of"] for id, each in ours.items() if each.get("duplicate_of")
        }
        return Left(
            sources,
            originals,
            families,
            groups_of({**self._removed_for(), **originals}),
            frozenset(id for id, each in ours.items() if each.get("content_hash")),
            printed,
        )

    def compare(self, truth: Left) -> None:
        """Compare what is there with the truth."""
        left = self.left(self._printed)
        self._tally.documents += len(self._documents)
        removed = self._removed_for().keys()
        for id, document in self.accepted.items():
            if id not in left.sources:
                if id not in removed:
                    self._tally.find(LOST, f"{self._title}: {id}")
            elif left.sources[id] != document:
                self._tally.find(LOST, f"{self._title}: fields of {id}: {left.sources[id]}")
        for id in left.sources.keys() - self.accepted.keys():
            self._tally.find(DOUBLED, f"{self._title}: {id} is no document of the input")
        if (problem := self._differs(left, truth)) is not None:
            self._tally.find(WRONG, f"{self._title}: {problem}")

    def _differs(self, left: Left, truth: Left) -> str | None:
        """Say in what the decisions differ from the truth; None if in nothing."""
        if left.fingerprinted != truth.fingerprinted & left.sources.keys() | (
            left.sources.keys() - truth.sources.keys()
        ):
            return f"fingerprints of {set(left.fingerprinted ^ truth.fingerprinted)}"
        if self.kind.arguments[0] == "copies":
            return None if pairs_of(left.printed) == pairs_of(truth.printed) else left.printed
        if self.kind.state == "swept":
            return self._groups_differ(left, truth)
        if differing := truth.sources.keys() ^ left.sources.keys():
            return f"kept or removed {differing}"
        if left.originals != truth.originals:
            return f"originals {set(left.originals.items()) ^ set(truth.originals.items())}"
        if left.families != truth.families:
            return f"families {left.families ^ truth.families}"
        return None

    def _groups_differ(self, left: Left, truth: Left) -> str | None:
        """Say in what sweeps decided otherwise; None if in nothing.

        One that was killed has written to documents, so that the next flags what it would have
        removed, may choose another original of a group, and may flag what an earlier sweep has
        seen and no sweep without faults decides about. That is never removed.
        """
        flagged = (left.originals.keys() & set(self._seen)) - {*chain.from_iterable(truth.groups)}
        edges = {**self._removed_for(), **left.originals}
        groups = groups_of({id: other for id, other in edges.items() if id not in flagged})
        if groups != truth.groups:
            return f"groups {groups ^ truth.groups}"
        if removed := set(self._seen) - left.sources.keys():
            return f"removed {removed}, which were there before"
        for group in left.groups:
            if len(group & left.sources.keys() - left.originals.keys()) != 1:
                return f"not one original: {group}, {left.originals}"
        return None

    def run_again(self) -> None:
        """Run the command once more with nothing new: it writes nothing."""
        if self.kind.removes and not self.kind.ingests:
            # Families of what a sweep has removed are processed by the next.
            self.run_once(self.arguments, Plan(random.Random(0)))
        # A sweep stores up to where it has come, of what the one before it wrote as well.
        compared = [self._index] if self.arguments[0] == "sweep" else [self._index, self._state]
        before, known = {name: self._states(name) for name in compared}, self._records()
        gone = self._removed_for().keys()
        ended = self.run_once(self.arguments, Plan(random.Random(0)))
        if not self._is_done(ended):
            self._tally.find(DISHONEST, f"{self._title}, again: {ended}")
        for name, old in before.items():
            if (new := self._states(name)) != old:
                changed = {id for id in old | new if old.get(id) != new.get(id)}
                what = f"{name}, {changed}: {self._printed} {ended}"
                self._tally.find(WRONG, f"{self._title}, again, wrote {what}")
        further = self._records()[len(known) :]
        if self.kind.ingests and self.kind.removes:
            # What it has removed it reads again, and removes again.
            further = [each for each in further if each.get("document") is None]
        if further or self._removed_for().keys() != gone:
            self._tally.find(WRONG, f"{self._title}, again, decided {further}: {ended}")

    def undo(self, chosen: random.Random) -> None:
        """Undo all that was decided, in half of the trials with faults."""
        if not (self._folder / AUDIT).exists():
            return
        arguments = ["undo", self._index, AUDIT, "--run", "all", "--format", "json"]
        faulty = chosen.random() < 0.5
        for attempt in range(4 + _CLEAN_ATTEMPTS):
            is_clean = not faulty or attempt >= 4
            plan = Plan(chosen) if is_clean else make_plan(chosen, 8, attempt)
            before = self.left("")
            ended = self.run_once(arguments, plan)
            if ended.status == 0:
                self._compare_report("undo", before, ended)
                break
        else:
            self._tally.find(DISHONEST, f"{self._title}, undo: {ended}")
        left = self.left("")
        if left.sources != self.accepted:
            missing = self.accepted.keys() - left.sources.keys()
            self._tally.find(LOST, f"{self._title}, undo: {missing} or fields of others")
        if left.originals:
            self._tally.find(WRONG, f"{self._title}, undo: still flagged {left.originals}")

    def _check_exit(self, ended: Ended, met: Counter[str]) -> None:
        signals = {-int(ENDINGS[fault]) for fault in met if fault in ENDINGS}
        # A forked process runs nothing at its exit: there SIGTERM ends a command as in a container.
        signals |= {128 - number for number in signals}
        if "Traceback" in ended.err or "Exception ignored" in ended.err:
            self._tally.find(DISHONEST, f"{self._title}: a traceback: {ended}")
        elif ended.status == 1 and "Error: " not in ended.err:
            self._tally.find(DISHONEST, f"{self._title}: no reason: {ended}")
        elif ended.status == 130 and "Ctrl-C" not in met:
            self._tally.find(DISHONEST, f"{self._title}: nobody interrupted it: {ended}")
        elif ended.status not in (0, 1, 130) and ended.status not in signals:
            self._tally.find(DISHONEST, f"{self._title}: status {ended}")

    def _is_done(self, ended: Ended) -> bool:
        """Check whether a command has done all it could."""
        if not self.kind.ingests:
            return ended.status == 0
        # What the mapping rejects is in the dead letters, and the status says so.
        if ended.status != 1 or "documents failed" not in ended.err:
            return False
        report = json.loads(ended.out)
        rejected = len(self._documents) - len(self.accepted)
        return bool(report["failed"] == rejected and report["documents"] == len(self._documents))

    def check_report(self, ended: Ended, before: Left, first: Left | None = None) -> None:
        """Compare the report of a run that is done with the index, now and before the run."""
        if self.kind.ingests:
            self._check_ingest(ended)
        else:
            self._compare_report(self.arguments[0], before, ended, first)

    def _compare_report(
        self, command: str, before: Left, ended: Ended, first: Left | None = None
    ) -> None:
        run = Reported(before, self.left(ended.out), self._records(), first)
        for difference in differences(command, run):
            self._tally.find(DISHONEST, f"{self._title}, {command} reported {difference}: {ended}")

    def _check_ingest(self, ended: Ended) -> None:
        """Compare the report of an ingest with the index, and the dead letters with the input."""
        report = json.loads(ended.out)
        there = len(self.left("").sources)
        counts = {name: report[name] for name in ("skipped", "replaced", "conflicting", "failed")}
        kept = report["written"] + report["unchanged"]
        if kept != there or kept + sum(counts.values()) != len(self._documents):
            self._tally.find(DISHONEST, f"{self._title}: {there} documents, reported {report}")
        letters = self._folder / f"{self._index}.dead-letter.jsonl"
        lines = letters.read_text("utf-8").splitlines() if letters.exists() else []
        named = {each for each in self._documents if any(f'"{each}"' in line for line in lines)}
        if missing := self._documents.keys() - self.accepted.keys() - named:
            self._tally.find(LOST, f"{self._title}: {missing} not in the dead letters")

    def _removed_for(self) -> dict[str, str]:
        """Return the documents that the audit log has as a whole, each with what it went for."""
        removed = {}
        for record in self._records():
            if (document := record.get("document")) is not None:
                ids = record["id"], record["other"]
                id, other = ids if self._has(record["id"], document) else ids[::-1]
                removed[id] = other
        return removed

    def _records(self) -> list[dict[str, Any]]:
        """Return the records of the audit log."""
        audit, records = self._folder / AUDIT, []
        for line in audit.read_text("utf-8").splitlines() if audit.exists() else ():
            try:
                records.append(json.loads(line))
            except ValueError:
                # A kill cut it off; the record was written again.
                continue
        return records

    def _has(self, id: str, document: Mapping[str, Any]) -> bool:
        return bool(document.get("title") == self._documents[id]["title"])

    def _states(self, index: str) -> dict[str, tuple[int, int]]:
        """Return the state of each document of an index by its id."""
        if not self._client.indices.exists(index=index):
            return {}
        self._client.indices.refresh(index=index)
        found = self._client.search(index=index, size=1000, seq_no_primary_term=True, _source=False)
        hits = found["hits"]["hits"]
        return {hit["_id"]: (hit["_seq_no"], hit["_primary_term"]) for hit in hits}

    def _put(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Write documents as another program does."""
        operations: list[Mapping[str, Any]] = []
        for document in documents:
            operations += [{"index": {"_id": document["id"]}}, document]
        answer = self._client.bulk(index=self._index, operations=operations, refresh=True)
        assert not answer["errors"]

    def _block(self, name: str, on: bool) -> None:
        if on or self._proxy.injected.keys() & BLOCKS.keys():
            self._client.options(ignore_status=404).indices.put_settings(
                index=self._index, settings={f"index.blocks.{name}": on or None}
            )


def make_plan(chosen: random.Random, requests: int, attempt: int) -> Plan:
    """Return what is to happen to a run that takes so many requests without faults."""
    at: dict[int, str] = {}
    if chosen.random() < 0.3:
        at[chosen.randrange(max(requests, 1))] = chosen.choice([*JUMPS])
    number = chosen.randrange(max(requests, 1))
    if chosen.random() < (0.7 if attempt < 3 else 0.2):
        at[number] = chosen.choice([*ENDINGS])
    elif chosen.random() < 0.15:
        at[number] = chosen.choice([*BLOCKS])
    return Plan(chosen, chosen.choice([0.0, 0.1, 0.2, 0.3]), 12, at)


def rolling(plan: Plan, requests: int) -> Plan:
    """Return a plan in whose middle an alias is rolled over, mostly; no request is sent again then.

    What is sent again may be done already: in the index that was written to until then.
    """
    if plan.chosen.random() >= _ROLLED:
        return plan
    at = {number: fault for number, fault in plan.at.items() if fault not in BLOCKS}
    return Plan(plan.chosen, at={**at, plan.chosen.randrange(requests): ROLLOVER})


def pairs_of(printed: str) -> Any:
    """Return the pairs that `copies` printed, without times."""
    report = json.loads(printed)
    return report.get("pairs"), report.get("boilerplate")


def groups_of(others: Mapping[str, str]) -> frozenset[frozenset[str]]:
    """Return which documents are connected by decisions."""
    groups: dict[str, set[str]] = {}
    for id, other in others.items():
        joined = groups.get(id, {id}) | groups.get(other, {other})
        for member in joined:
            groups[member] = joined
    return frozenset(map(frozenset, groups.values()))
