"""Several writers at once, and sweeps among them: a checker reads their history.

In the manner of Jepsen (https://jepsen.io): each writer ingests the same texts, under ids of its
own and in an order of its own, while it meets faults, is killed and goes on. Another program writes
further copies without fingerprints, about which sweeps decide at the same time. Their history is
what the audit logs say of each decision; it is compared with what is in the index at the end.
"""

import json
import random
import shutil
import tempfile
import threading
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from tests.faults.collection import DATE
from tests.faults.commands import Commands, Ended, Settings
from tests.faults.faulty_proxy import ENDINGS, JUMPS, FaultyProxy, Plan, faulty_proxy
from tests.faults.trials import DISHONEST, LOST, WRONG, Tally
from tests.support.made_up_texts import make_text

FINDINGS = (LOST, WRONG, DISHONEST)
# What is done with copies at ingest, by how many writers at once, and what sweeps do with them.
KINDS = (
    ("skip", 2, None),
    ("flag", 4, "flag"),
    ("replace", 4, None),
    ("link", 2, "link"),
    ("skip", 4, "skip"),
    ("flag", 2, None),
    # Each is newer than some that another writer has.
    ("replace by date", 4, None),
)
_TEXTS, _OTHERS, _WORDS = 14, 4, 60
_ATTEMPTS, _FAULTY_ATTEMPTS = 12, 4
# What the other program writes: of so many of the texts, so many at once.
_SHARE, _AT_ONCE = 0.5, 3
# How often a run is ended, its clock set wrong, and a request meets another fault; and the requests
# among which the first two are.
_ENDED, _JUMPED, _FAULTY, _REQUESTS = 0.7, 0.3, 0.1, 30
# The field that tells which of the two documents of a decision an audit log has: a title would be a
# part of the text.
_MARK = "mark"
_DOCUMENTS, _AUDIT, _SWEEPS = "documents.jsonl", "audit.jsonl", "sweeps"


class Written(NamedTuple):
    """A document that a writer was given, and the number of its text."""

    text: str
    document: Mapping[str, Any]


@dataclass
class History:
    """What was written, what the audit logs say became of it, and what is there at the end.

    Attributes:
        written: All documents by id.
        removed: Of each document that a log has as a whole: what it went for, by each decision.
        present: Of each document that is there: what it is marked as a copy of; None for nothing.
        fields: Of each document that is there: its fields without ours.
    """

    written: dict[str, Written]
    removed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    present: Mapping[str, str | None] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def check(history: History) -> Iterator[tuple[str, str]]:
    """Yield each error of a history: a lost document, a text without exactly one winner."""
    winners = defaultdict(list)
    for id, original in history.present.items():
        if original is None and id in history.written:
            winners[history.written[id].text].append(id)
    for text in sorted({each.text for each in history.written.values()}):
        if len(winners[text]) != 1:
            yield WRONG, f"text {text} has {len(winners[text])} winners: {sorted(winners[text])}"
    for id, (text, document) in history.written.items():
        if id in history.present:
            if history.fields[id] != document:
                yield LOST, f"fields of {id}: {history.fields[id]}"
        elif id not in history.removed:
            yield LOST, f"{id} is in no audit log and not in the index"
        ends = _ends(history, id)
        if not ends or not ends <= set(winners[text]):
            yield WRONG, f"{id} leads to {sorted(ends)}, which did not win text {text}"


def _ends(history: History, id: str) -> set[str]:
    """Return the documents without an original that another went for, over any of its decisions."""
    ends, passed, ahead = set(), set(), [id]
    while ahead:
        each = ahead.pop()
        if each in passed or each not in history.written:
            continue
        passed.add(each)
        if each not in history.present:
            ahead += history.removed.get(each, ())
        elif (original := history.present[each]) is None:
            ends.add(each)
        else:
            ahead.append(original)
    return ends


def write_at_once(url: str, seed: int, count: int) -> Tally:
    """Let so many groups of writers write, and check the history of each."""
    tally = Tally()
    with connect(url) as client:
        for number in range(count):
            action, writers, swept = KINDS[number % len(KINDS)]
            title = f"{writers} writers, {action}" + (f", sweeps, {swept}" if swept else "")
            tally.trials[title] += 1
            with _group(client, url) as group:
                chosen = random.Random(f"{seed} {number} writers")
                group.run(chosen, action, writers, swept)
                for finding, what in group.found():
                    tally.find(finding, f"{title}, group {number} of seed {seed}: {what}")
                tally.injected += group.injected
                tally.runs += group.runs
                tally.documents += len(group.written)
    return tally


@contextmanager
def _group(client: Any, url: str) -> Iterator["Group"]:
    folder, index = Path(tempfile.mkdtemp(prefix="writers-")), f"writers-{uuid.uuid4().hex[:12]}"
    try:
        yield Group(client, url, index, folder)
    finally:
        client.indices.delete(index=f"{index},{index}-simhash", ignore_unavailable=True)
        shutil.rmtree(folder, ignore_errors=True)


class Group:
    """Writers of one index.

    Args:
        client: Of the engine.
        url: Of the engine.
        index: Name of the index.
        folder: Each writer works in a folder of its own in it.
    """

    def __init__(self, client: Any, url: str, index: str, folder: Path) -> None:
        self.written: dict[str, Written] = {}
        self.injected: Counter[str] = Counter()
        self.runs = 0
        self._client, self._url, self._index, self._folder = client, url, index, folder
        self._problems: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def run(self, chosen: random.Random, action: str, writers: int, swept: str | None) -> None:
        """Let all write until each is done; at last sweep what is left."""
        install(self._client, self._index, semantics=None)
        properties = {DATE: {"type": "date"}}
        self._client.indices.put_mapping(index=self._index, properties=properties)
        texts = {str(n): make_text(chosen.randrange(1 << 30), _WORDS) for n in range(_TEXTS)}
        with ExitStack() as stack:
            threads = []
            for writer in (f"writer {number}" for number in range(writers)):
                own = random.Random(chosen.random())
                documents = self._documents(own, writer, texts)
                proxy = stack.enter_context(faulty_proxy(self._url))
                given = writer, documents, action, own, proxy
                threads.append(threading.Thread(target=self._write, args=given))
            for thread in threads:
                thread.start()
            if swept is not None:
                self._write_plain_and_sweep(random.Random(chosen.random()), texts, swept, threads)
            for thread in threads:
                thread.join()
        if swept is not None:
            # What the writers wrote at last; the second processes what the first has changed.
            for _ in range(2):
                self._sweep(swept)

    def _documents(
        self, chosen: random.Random, writer: str, texts: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Return a document of each text, and some of this writer's own, in an order of its own."""
        own = {
            f"{writer}-{n}": make_text(chosen.randrange(1 << 30), _WORDS) for n in range(_OTHERS)
        }
        documents = []
        for number, text in {**texts, **own}.items():
            id = f"{number}-of-{writer}"
            date = f"2020-01-{1 + chosen.randrange(28):02}"
            document = {"id": id, "text": text, _MARK: id, DATE: date}
            self.written[id] = Written(number, document)
            documents.append(document)
        chosen.shuffle(documents)
        return documents

    def _write(
        self,
        writer: str,
        documents: Sequence[Mapping[str, Any]],
        action: str,
        chosen: random.Random,
        proxy: FaultyProxy,
    ) -> None:
        """Ingest as one of the writers, until it is done; the first times with faults."""
        folder, commands = self._folder / writer, Commands()
        folder.mkdir()
        lines = (json.dumps(each) + "\n" for each in documents)
        (folder / _DOCUMENTS).write_text("".join(lines), "utf-8")
        proxy.strike, proxy.jump = commands.strike, commands.jump
        line = ["ingest", self._index, _DOCUMENTS, "--quiet", "--processes", "1", *_rules(action)]
        for attempt in range(_ATTEMPTS):
            proxy.begin(_plan(chosen) if attempt < _FAULTY_ATTEMPTS else Plan(chosen))
            ended = self._run(commands, line, Settings(proxy.url, folder))
            if ended.status == 0:
                break
        else:
            self._note(DISHONEST, f"{writer} does not end: {ended}")
        with self._lock:
            self.injected += proxy.injected

    def _write_plain_and_sweep(
        self,
        chosen: random.Random,
        texts: Mapping[str, str],
        action: str,
        writers: Sequence[threading.Thread],
    ) -> None:
        """Write copies as another program does, some at a time, and sweep while others write."""
        numbers = [number for number in texts if chosen.random() < _SHARE]
        while numbers or any(writer.is_alive() for writer in writers):
            some, numbers = numbers[:_AT_ONCE], numbers[_AT_ONCE:]
            for number in some:
                id = f"{number}-of another program"
                document = {"id": id, "text": texts[number], _MARK: id, DATE: "2020-02-01"}
                self.written[id] = Written(number, document)
                self._client.index(index=self._index, id=id, document=document, refresh=True)
            self._sweep(action)

    def _sweep(self, action: str) -> None:
        folder = self._folder / _SWEEPS
        folder.mkdir(exist_ok=True)
        line = ["sweep", self._index, "--quiet", "--processes", "1", "--date-field", DATE]
        ended = self._run(Commands(), [*line, *_rules(action)], Settings(self._url, folder))
        if ended.status != 0:
            self._note(DISHONEST, f"sweep: {ended}")

    def _run(self, commands: Commands, line: Sequence[str], settings: Settings) -> Ended:
        ended = commands.run(line, settings)
        if "Traceback" in ended.err or (ended.status == 1 and "Error: " not in ended.err):
            self._note(DISHONEST, f"{line[0]}: {ended}")
        with self._lock:
            self.runs += 1
        return ended

    def _note(self, finding: str, what: str) -> None:
        with self._lock:
            self._problems.append((finding, what))

    def found(self) -> Iterator[tuple[str, str]]:
        """Yield what must not be, in the history and after all decisions were undone."""
        yield from self._problems
        yield from check(self._history())
        logs = [log for log in self._logs() if any(_records(log))]
        for log in logs:
            line = ["undo", self._index, _AUDIT, "--run", "all"]
            ended = Commands().run(line, Settings(self._url, log.parent))
            if ended.status != 0:
                yield DISHONEST, f"undo: {ended}"
        history = self._history()
        if missing := self.written.keys() - history.present.keys():
            yield LOST, f"undo: {missing}"
        if marked := {id for id, original in history.present.items() if original is not None}:
            yield WRONG, f"undo: still marked {marked}"

    def _history(self) -> History:
        self._client.indices.refresh(index=self._index)
        hits = self._client.search(index=self._index, size=1000)["hits"]["hits"]
        fields = {hit["_id"]: hit["_source"] for hit in hits}
        ours = {id: each.pop("simhash", {}) for id, each in fields.items()}
        present = {id: each.get("duplicate_of") for id, each in ours.items()}
        return History(self.written, self._removed(), present, fields)

    def _removed(self) -> dict[str, list[str]]:
        removed = defaultdict(list)
        for record in (record for log in self._logs() for record in _records(log)):
            if (document := record.get("document")) is not None:
                ids = record["id"], record["other"]
                is_new = document[_MARK] == record["id"]
                id, other = ids if is_new else ids[::-1]
                removed[id].append(other)
        return removed

    def _logs(self) -> list[Path]:
        return [folder / _AUDIT for folder in sorted(self._folder.iterdir())]


def _rules(kind: str) -> list[str]:
    action, *by_date = kind.split(" by ")
    keep = ["--keep", "newest", "--date-field", DATE] if by_date else []
    return ["--on-version", action, *keep, "--lose", "1", "--audit", _AUDIT]


def _plan(chosen: random.Random) -> Plan:
    """Return what is to happen to a run: some faults that pass, and often what ends it."""
    at = {}
    if chosen.random() < _ENDED:
        at[chosen.randrange(_REQUESTS)] = chosen.choice([*ENDINGS])
    if chosen.random() < _JUMPED:
        at[chosen.randrange(_REQUESTS)] = chosen.choice([*JUMPS])
    return Plan(chosen, share=_FAULTY, most=3, at=at)


def _records(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_text("utf-8").splitlines() if log.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            # A kill cut it off; the record was written again.
            continue
