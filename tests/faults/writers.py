"""Several writers at once, and sweeps among them: a checker reads their history.

In the manner of Jepsen (https://jepsen.io): each writer ingests the same texts, under ids of its
own and in an order of its own, while it meets faults, is killed and goes on. Another program writes
further copies without fingerprints, about which sweeps decide at the same time; it has also changed
texts alone, whose earlier fingerprints and hashes are still there. In some groups two publishers
have each text, and a field keeps their documents apart. The history of a group is what the audit
logs say of each decision; it is compared with what is in the index at the end.
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

from es_simhash.ingestion.ingest import ingest
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from tests.faults.collection import DATE
from tests.faults.commands import Commands, Ended, Settings
from tests.faults.faulty_proxy import ENDINGS, JUMPS, FaultyProxy, Plan, faulty_proxy
from tests.faults.trials import DISHONEST, LOST, WRONG, Tally
from tests.support.made_up_texts import make_text

FINDINGS = (LOST, WRONG, DISHONEST)


class Kind(NamedTuple):
    """A kind of group.

    Attributes:
        action: What is done with copies at ingest; `by date` each is newer than some that another
            writer has.
        writers: How many write at once.
        swept: What sweeps do with copies meanwhile; None for no sweeps.
        is_apart: Whether a field keeps the documents of publishers apart.
        is_changed: Whether texts that were there have been changed alone.
    """

    action: str
    writers: int
    swept: str | None = None
    is_apart: bool = False
    is_changed: bool = False

    def __str__(self) -> str:
        return (
            f"{self.writers} writers, {self.action}"
            + (f", sweeps, {self.swept}" if self.swept else "")
            + (", publishers apart" if self.is_apart else "")
            + (", texts changed alone" if self.is_changed else "")
        )


KINDS = (
    Kind("skip", 2, is_changed=True),
    Kind("flag", 4, "flag"),
    Kind("replace", 4, is_apart=True),
    Kind("link", 2, "link"),
    Kind("skip", 4, "skip", is_apart=True),
    Kind("flag", 2, is_changed=True),
    Kind("replace by date", 4),
    Kind("skip", 2, "skip", is_changed=True),
    Kind("replace", 2, is_apart=True, is_changed=True),
    Kind("link", 4, "link", is_apart=True),
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
_PUBLISHER, _PUBLISHERS = "publisher", ("north", "south")
_DOCUMENTS, _AUDIT, _SWEEPS = "documents.jsonl", "audit.jsonl", "sweeps"


class Written(NamedTuple):
    """A document that was written, and the name of its text: one wins of all that have it."""

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
            kind = KINDS[number % len(KINDS)]
            tally.trials[str(kind)] += 1
            with _group(client, url, kind) as group:
                group.run(random.Random(f"{seed} {number} writers"))
                for finding, what in group.found():
                    tally.find(finding, f"{kind}, group {number} of seed {seed}: {what}")
                tally.injected += group.injected
                tally.runs += group.runs
                tally.documents += len(group.written)
    return tally


@contextmanager
def _group(client: Any, url: str, kind: Kind) -> Iterator["Group"]:
    folder, index = Path(tempfile.mkdtemp(prefix="writers-")), f"writers-{uuid.uuid4().hex[:12]}"
    try:
        yield Group(client, url, kind, index, folder)
    finally:
        client.indices.delete(index=f"{index},{index}-simhash", ignore_unavailable=True)
        shutil.rmtree(folder, ignore_errors=True)


class Group:
    """Writers of one index.

    Args:
        client: Of the engine.
        url: Of the engine.
        kind: What they do.
        index: Name of the index.
        folder: Each writer works in a folder of its own in it.
    """

    def __init__(self, client: Any, url: str, kind: Kind, index: str, folder: Path) -> None:
        self.written: dict[str, Written] = {}
        self.injected: Counter[str] = Counter()
        self.runs = 0
        self._client, self._url, self._kind = client, url, kind
        self._index, self._folder = index, folder
        self._problems: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def run(self, chosen: random.Random) -> None:
        """Let all write until each is done; at last sweep what is left."""
        install(self._client, self._index, semantics=None)
        properties = {DATE: {"type": "date"}, _PUBLISHER: {"type": "keyword"}}
        self._client.indices.put_mapping(index=self._index, properties=properties)
        if self._kind.is_apart:
            configure(self._client, self._index, {"within": _PUBLISHER})
        texts = {str(n): make_text(chosen.randrange(1 << 30), _WORDS) for n in range(_TEXTS)}
        if self._kind.is_changed:
            self._write_and_change(random.Random(chosen.random()), texts)
        with ExitStack() as stack:
            threads = []
            for writer in (f"writer {number}" for number in range(self._kind.writers)):
                own = random.Random(chosen.random())
                documents = self._documents(own, writer, texts)
                proxy = stack.enter_context(faulty_proxy(self._url))
                given = writer, documents, own, proxy
                threads.append(threading.Thread(target=self._write, args=given))
            for thread in threads:
                thread.start()
            if self._kind.swept is not None:
                self._write_plain_and_sweep(random.Random(chosen.random()), texts, threads)
            for thread in threads:
                thread.join()
        if self._kind.swept is not None:
            # What the writers wrote at last; the second processes what the first has changed.
            for _ in range(2):
                self._sweep()

    def _write_and_change(self, chosen: random.Random, texts: Mapping[str, str]) -> None:
        """Ingest some of the texts, and give their documents other texts as another program does.

        Nothing has the texts then; the fingerprints say otherwise.
        """
        numbers = [number for number in texts if chosen.random() < _SHARE]
        before = [
            self._document(chosen, number, texts[number], "the day before") for number in numbers
        ]
        assert all(each.ok for each in ingest(self._client, self._index, before))
        for number, document in zip(numbers, before, strict=True):
            changed = make_text(chosen.randrange(1 << 30), _WORDS)
            self._client.update(index=self._index, id=document["id"], doc={"text": changed})
            is_of = self._name(f"{number} changed", document)
            self.written[document["id"]] = Written(is_of, {**document, "text": changed})
        self._client.indices.refresh(index=self._index)

    def _document(
        self,
        chosen: random.Random,
        number: str,
        text: str,
        writer: str,
        date: str | None = None,
    ) -> dict[str, Any]:
        """Return a document of a text, and note it."""
        id = f"{number}-of-{writer}"
        date = date or f"2020-01-{1 + chosen.randrange(28):02}"
        publisher = chosen.choice(_PUBLISHERS)
        document = {"id": id, "text": text, _MARK: id, DATE: date, _PUBLISHER: publisher}
        self.written[id] = Written(self._name(number, document), document)
        return document

    def _name(self, number: str, document: Mapping[str, Any]) -> str:
        """Return the name of a text: each publisher has it for itself where they are apart."""
        return f"{number}, {document[_PUBLISHER]}" if self._kind.is_apart else number

    def _documents(
        self, chosen: random.Random, writer: str, texts: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Return a document of each text, and some of this writer's own, in an order of its own."""
        own = {
            f"{writer}-{n}": make_text(chosen.randrange(1 << 30), _WORDS) for n in range(_OTHERS)
        }
        documents = [
            self._document(chosen, number, text, writer)
            for number, text in {**texts, **own}.items()
        ]
        chosen.shuffle(documents)
        return documents

    def _write(
        self,
        writer: str,
        documents: Sequence[Mapping[str, Any]],
        chosen: random.Random,
        proxy: FaultyProxy,
    ) -> None:
        """Ingest as one of the writers, until it is done; the first times with faults."""
        folder, commands = self._folder / writer, Commands()
        folder.mkdir()
        lines = (json.dumps(each) + "\n" for each in documents)
        (folder / _DOCUMENTS).write_text("".join(lines), "utf-8")
        proxy.strike, proxy.jump = commands.strike, commands.jump
        line = ["ingest", self._index, _DOCUMENTS, "--quiet", "--processes", "1"]
        line += _rules(self._kind.action)
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
        writers: Sequence[threading.Thread],
    ) -> None:
        """Write copies as another program does, some at a time, and sweep while others write."""
        numbers = [number for number in texts if chosen.random() < _SHARE]
        while numbers or any(writer.is_alive() for writer in writers):
            some, numbers = numbers[:_AT_ONCE], numbers[_AT_ONCE:]
            for number in some:
                document = self._document(
                    chosen, number, texts[number], "another-program", "2020-02-01"
                )
                self._client.index(
                    index=self._index, id=document["id"], document=document, refresh=True
                )
            self._sweep()

    def _sweep(self) -> None:
        assert self._kind.swept is not None
        folder = self._folder / _SWEEPS
        folder.mkdir(exist_ok=True)
        line = ["sweep", self._index, "--quiet", "--processes", "1", "--date-field", DATE]
        line += _rules(self._kind.swept)
        ended = self._run(Commands(), line, Settings(self._url, folder))
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
