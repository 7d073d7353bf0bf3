"""Deciding what becomes of documents that came since and are of the family of another."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from es_simhash.backfills.documents import Task
from es_simhash.deduplication.audit import default_audit, open_audit
from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.choice import best_original, decide_version
from es_simhash.deduplication.decision import Decision, IncomingDocument, Original
from es_simhash.deduplication.effects import delete_replaced, finish_replacements, is_conflict
from es_simhash.deduplication.recorder import Recorder
from es_simhash.deduplication.rules import OnVersion, RunContext
from es_simhash.deduplication.stored_documents import StoredDocument, StoredDocuments
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import InputError
from es_simhash.families.report import Family
from es_simhash.families.snapshot import Key
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.storage import fields
from es_simhash.storage.paths import nested_path
from es_simhash.storage.references import DocumentRef
from es_simhash.sync.arrivals import Arrival

# Documents that are read, and decided, at once; each may be long.
_BATCH = 50
_TAKES_OUT = ("skip", "replace")


@dataclass
class _Members:
    """A family while its documents are decided: those of it that are versions of no other."""

    name: str
    first: dict[Key, tuple[Original, StoredDocument]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Member:
    """A document of a family; `arrival` is None when an earlier sweep has seen it."""

    family: _Members
    key: Key
    routing: str | None
    arrival: Arrival | None


@dataclass(frozen=True)
class _Made:
    """A decision, with the document it is about and its original as they were read."""

    decision: Decision
    stored: StoredDocument
    original: StoredDocument


class FamilyPolicy:
    """Decides members of families by the rules of ingest; use it as a context manager.

    Args:
        client: Of the cluster.
        index: An index with our fields.
        task: How these are made.
        rules: What counts as a version, and what is to be done.
        retry: How long requests to a busy cluster are retried.

    Attributes:
        decisions: Versions by what was done with them.
        left: Ids of versions that somebody changed meanwhile.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        task: Task,
        rules: OnVersion,
        retry: RetryPolicy,
    ) -> None:
        self.decisions: Counter[str] = Counter()
        self.left: list[str] = []
        self._rules = rules
        self._context = RunContext(index, task.config, rules, uuid.uuid4().hex[:12])
        self._gateway = Gateway.of(client, retry)
        self._documents = StoredDocuments(self._gateway, self._context)
        self._recorder = Recorder(self._context)
        self._audit = open_audit(rules.audit or default_audit(index), self._gateway)

    def __enter__(self) -> "FamilyPolicy":
        return self

    def __exit__(self, *error: object) -> None:
        self._audit.close()

    @property
    def audit(self) -> str:
        """Name of the audit log."""
        return self._audit.name

    @property
    def run(self) -> str:
        """Id of this run in the log."""
        return self._context.run

    def finish(self) -> None:
        """End the deletions that a sweep had begun which was killed."""
        if self._rules.action == "replace":
            finish_replacements(self._documents, self._audit.read())

    def decide(self, families: Iterable[Family], came: Mapping[Key, Arrival]) -> None:
        """Decide the documents that came, the first of them first.

        Args:
            families: Families that may have some.
            came: The documents that came.
        """
        members = _in_order(families, came)
        while batch := list(islice(members, _BATCH)):
            made = list(self._decided(batch))
            self._audit.write([self._record(each, each.original) for each in made])
            self._carry_out(made)
        self._gateway.refresh(self._context.index)

    def _decided(self, batch: Sequence[_Member]) -> Iterator[_Made]:
        for place, (member, stored, prints) in enumerate(self._read(batch)):
            document = self._incoming(place, stored, prints)
            first = member.family.first
            known = replace(document.as_original(), ref=stored.ref)
            if member.arrival is None:
                first[member.key] = known, stored
                continue
            originals = [original for original, _ in first.values()]
            found = best_original(document, originals, self._rules)
            if found is None:
                first[member.key] = known, stored
                continue
            relation, original = found
            decision = decide_version(
                document, relation, original, self._rules, exists=not member.arrival.is_new
            )
            if decision.action == "write":
                # What was there before is never taken out, whatever its text is now.
                decision = replace(decision, action="flag")
            if decision.action == "link":
                decision = replace(decision, family=member.family.name)
            key = Key(str(original.ref.index), original.id)
            made = _Made(decision, stored, first[key][1])
            if decision.action == "replace":
                del first[key]
                first[member.key] = known, stored
            yield made

    def _read(
        self, batch: Sequence[_Member]
    ) -> Iterator[tuple[_Member, StoredDocument, TextFingerprints]]:
        """Yield members that are versions of nothing yet, and whose text was not changed since."""
        refs = [DocumentRef(each.key.index, each.key.id, each.routing) for each in batch]
        documents = self._documents.read_fields(refs, self._wanted())
        undecided = [
            (member, stored)
            for member, stored in zip(batch, documents, strict=True)
            if stored is not None and not stored.duplicate_of
        ]
        if undecided:
            texts = [stored.text for _, stored in undecided]
            prints = fingerprint_batch(texts, self._context.config.scheme)
            for (member, stored), each in zip(undecided, prints, strict=True):
                if each.content_hash == stored.content_hash:
                    yield member, stored, each

    def _wanted(self) -> list[str] | None:
        """Return the fields to read; all of a document that may have to be put back."""
        if self._rules.action in _TAKES_OUT:
            return None
        names = (fields.CONTENT_HASH, fields.FAMILY, fields.DUPLICATE_OF)
        dates = [self._rules.date_field] if self._rules.date_field else []
        config = self._context.config
        return [config.text_field, *map(config.path, names), *dates]

    def _incoming(
        self, place: int, stored: StoredDocument, prints: TextFingerprints
    ) -> IncomingDocument:
        return IncomingDocument(
            stored.ref.id,
            place,
            prints,
            stored.to_json(),
            b"{}",
            exists=True,
            text_field=self._context.config.text_field,
            date_field=self._rules.date_field,
        )

    def _record(self, made: _Made, original: StoredDocument) -> Record:
        """Return the record of a decision; `undo` finds the document by where it is."""
        record = self._recorder.record(made.decision, original, {})
        ref = made.stored.ref
        place = {"in": ref.index, **({} if ref.routing is None else {"routing": ref.routing})}
        return Record({**record.head, **place}, record.document)

    def _carry_out(self, made: Sequence[_Made]) -> None:
        rest = [each for each in made if each.decision.action != "replace"]
        actions = [self._lines(each) for each in rest]
        results = self._gateway.bulk(actions, index=self._context.index)
        for each, result in zip(rest, results, strict=True):
            if is_conflict(result):
                self.left.append(each.decision.id)
            else:
                self.decisions[each.decision.action] += 1
        for each in made:
            if each.decision.action == "replace":
                self._delete_original(each)
                self.decisions["replace"] += 1

    def _lines(self, made: _Made) -> list[dict[str, object]]:
        if made.decision.action == "skip":
            return [{"delete": made.stored.target}]
        doc = nested_path(self._context.config.simhash_field, made.decision.simhash_fields)
        return [{"update": made.stored.target}, {"doc": doc}]

    def _delete_original(self, made: _Made) -> None:
        def record(changed: StoredDocument) -> None:
            self._audit.write([self._record(made, changed)])

        delete_replaced(self._documents, made.decision, made.original, record)


def _in_order(families: Iterable[Family], came: Mapping[Key, Arrival]) -> Iterator[_Member]:
    """Yield the documents of families that have new ones: the old, then the new as they came."""
    for family in families:
        members = _Members(family.name)
        places = zip(family.indices, family.members, family.routings, strict=True)
        found = [
            _Member(members, key, routing, came.get(key))
            for index, id, routing in places
            for key in [Key(index, id)]
        ]
        if any(each.arrival for each in found):
            yield from sorted(found, key=_place)


def _place(member: _Member) -> tuple[bool, tuple[float, int], Key]:
    arrival = member.arrival
    return arrival is not None, arrival.order if arrival else (0.0, 0), member.key


def require_one_index(rules: OnVersion, indices: Iterable[str]) -> None:
    """Refuse to take documents out of one of several indices: `undo` writes to one name.

    Raises:
        InputError: There are several.
    """
    names = sorted(indices)
    if rules.action in _TAKES_OUT and len(names) > 1:
        raise InputError(
            f"--on-version {rules.action} takes documents out of one index, this name stands for "
            f"{', '.join(names)}; use flag or link."
        )
