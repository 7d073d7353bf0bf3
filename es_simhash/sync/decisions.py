"""Deciding what becomes of documents that came since and are of the family of another."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from es_simhash.deduplication.actions import delete_replaced, is_outrun, nested
from es_simhash.deduplication.audit import default_audit, open_audit
from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.choice import best, decided
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision, Item, Known
from es_simhash.deduplication.recorder import Recorder, without_ours
from es_simhash.deduplication.recovery import finish_replacing
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.rules import OnVersion
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.retry import RetryPolicy
from es_simhash.errors import InputError
from es_simhash.families.report import Family
from es_simhash.families.snapshot import Key
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.references import DocumentVersion
from es_simhash.storage.source import stored_text, text_of
from es_simhash.sync.arrivals import Arrival

# Documents that are read, and decided, at once; each may be long.
_BATCH = 50
_TAKES_OUT = ("skip", "replace")


@dataclass
class _Members:
    """A family while its documents are decided: those of it that are versions of no other."""

    name: str
    first: dict[Key, tuple[Known, Fact]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Member:
    """A document of a family; `arrival` is None when an earlier sweep has seen it."""

    family: _Members
    key: Key
    routing: str | None
    arrival: Arrival | None


@dataclass(frozen=True)
class _Made:
    """A decision, with the document it is about and the other as they were read."""

    decision: Decision
    fact: Fact
    other: Fact


class FamilyPolicy:
    """Decides members of families by the rules of ingest; use it as a context manager.

    Args:
        client: Of the cluster.
        index: An index with our fields.
        config: How these are made.
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
        config: IndexConfig,
        rules: OnVersion,
        retry: RetryPolicy,
    ) -> None:
        self.decisions: Counter[str] = Counter()
        self.left: list[str] = []
        self._rules = rules
        run = uuid.uuid4().hex[:12]
        self._setting = Setting(
            index, config.text_field, config.simhash_field, config.scheme, rules, run
        )
        self._requests = Requests(Gateway.of(client, retry), index, config.simhash_field)
        self._facts = Facts(self._requests, self._setting)
        self._recorder = Recorder(self._setting, self._facts)
        self._audit = open_audit(rules.audit or default_audit(index), client, retry)

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
        return self._setting.run

    def finish(self) -> None:
        """End the deletions that a sweep had begun which was killed."""
        if self._rules.action == "replace":
            finish_replacing(self._requests, self._facts, self._setting, self._audit.read())

    def decide(self, families: Iterable[Family], came: Mapping[Key, Arrival]) -> None:
        """Decide the documents that came, the first of them first.

        Args:
            families: Families that may have some.
            came: The documents that came.
        """
        members = _in_order(families, came)
        while batch := list(islice(members, _BATCH)):
            made = list(self._decided(batch))
            self._audit.write([self._record(each, each.other) for each in made])
            self._carry_out(made)
        self._requests.refresh()

    def _decided(self, batch: Sequence[_Member]) -> Iterator[_Made]:
        for place, (member, fact, prints) in enumerate(self._read(batch)):
            item = self._item(place, fact, prints)
            first = member.family.first
            known = replace(item.known, index=member.key.index)
            if member.arrival is None:
                first[member.key] = known, fact
                continue
            found = best(item, [each for each, _ in first.values()], self._rules)
            if found is None:
                first[member.key] = known, fact
                continue
            relation, other = found
            decision = decided(item, relation, other, self._rules, exists=not member.arrival.is_new)
            if decision.action == "write":
                # What was there before is never taken out, whatever its text is now.
                decision = replace(decision, action="flag")
            if decision.action == "link":
                decision = replace(decision, family=member.family.name)
            key = Key(str(other.index), other.id)
            made = _Made(decision, fact, first[key][1])
            if decision.action == "replace":
                del first[key]
                first[member.key] = known, fact
            yield made

    def _read(self, batch: Sequence[_Member]) -> Iterator[tuple[_Member, Fact, TextFingerprints]]:
        """Yield members that are versions of nothing yet, and whose text was not changed since."""
        facts = self._requests.documents(
            [(each.key.index, each.key.id) for each in batch],
            self._wanted(),
            [each.routing for each in batch],
        )
        found = [
            (member, fact)
            for member, fact in zip(batch, facts, strict=True)
            if fact.get("found") and not self._stored(fact, fields.DUPLICATE_OF)
        ]
        field = self._setting.text_field
        texts = [stored_text(fact["_source"], field) or "" for _, fact in found]
        if texts:
            prints = fingerprint_batch(texts, self._setting.scheme)
            for (member, fact), each in zip(found, prints, strict=True):
                if each.content_hash == self._stored(fact, fields.CONTENT_HASH):
                    yield member, fact, each

    def _wanted(self) -> list[str] | None:
        """Return the fields to read; all of a document that may have to be put back."""
        if self._rules.action in _TAKES_OUT:
            return None
        names = (fields.CONTENT_HASH, fields.FAMILY, fields.DUPLICATE_OF)
        dates = [self._rules.date_field] if self._rules.date_field else []
        return [self._setting.text_field, *map(self._setting.path, names), *dates]

    def _stored(self, fact: Fact, member: str) -> str | None:
        return text_of(fact["_source"], self._setting.path(member))

    def _item(self, place: int, fact: Fact, prints: TextFingerprints) -> Item:
        return Item(
            fact["_id"],
            place,
            prints,
            without_ours(fact, self._setting),
            b"{}",
            exists=True,
            text_field=self._setting.text_field,
            date_field=self._rules.date_field,
        )

    def _record(self, made: _Made, other: Fact) -> Record:
        """Return the record of a decision; `undo` finds the document by where it is."""
        record = self._recorder.record(made.decision, other, {})
        place = {"in": made.fact["_index"]}
        if "_routing" in made.fact:
            place["routing"] = made.fact["_routing"]
        return Record({**record.head, **place}, record.document)

    def _carry_out(self, made: Sequence[_Made]) -> None:
        rest = [each for each in made if each.decision.action != "replace"]
        results = self._requests.bulk(self._setting.index, [self._lines(each) for each in rest])
        for each, result in zip(rest, results, strict=True):
            if is_outrun(result):
                self.left.append(each.decision.id)
            else:
                self.decisions[each.decision.action] += 1
        for each in made:
            if each.decision.action == "replace":
                self._delete_other(each)
                self.decisions["replace"] += 1

    def _lines(self, made: _Made) -> list[dict[str, object]]:
        place = {"_index": made.fact["_index"], "_id": made.fact["_id"]}
        action = {**place, **DocumentVersion.of_hit(made.fact).conditions}
        if made.decision.action == "skip":
            return [{"delete": action}]
        return [{"update": action}, {"doc": nested(self._setting.field, made.decision.marks)}]

    def _delete_other(self, made: _Made) -> None:
        def record(changed: Fact) -> None:
            self._audit.write([self._record(made, changed)])

        delete_replaced(self._requests, self._facts, made.decision, made.other, record)


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
