"""What is done with changed documents that are versions of another of their family."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from es_simhash.deduplication.actions import delete_replaced, is_outrun
from es_simhash.deduplication.audit import default_audit, open_audit
from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.choice import best, decided
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision, Item
from es_simhash.deduplication.recorder import Recorder, without_ours
from es_simhash.deduplication.recovery import finish_replacing
from es_simhash.deduplication.requests import Requests
from es_simhash.deduplication.rules import OnVersion
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.engine.gateway import Gateway
from es_simhash.errors import InputError
from es_simhash.families.report import Family
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.storage import fields
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.paths import nested_path
from es_simhash.storage.references import DocumentRef, DocumentVersion
from es_simhash.storage.source import stored_text, text_of
from es_simhash.sync.changes import ChangedDocument
from es_simhash.sync.members import Member, Original, members_in_order

# Documents that are read and decided together; each may be long.
_MEMBERS = 50
_REMOVING = ("skip", "replace")


@dataclass(frozen=True)
class _MemberDecision:
    """A decision, with the document it is about and the original as they were read."""

    decision: Decision
    fact: Fact
    original: Original


class FamilyPolicy:
    """Decides members of families by the rules of ingest; use it as a context manager.

    Args:
        gateway: To the cluster; it has a retry policy.
        index: Index with fingerprints.
        config: Of the index, with its scheme.
        rules: What counts as a version, and what is done with it.

    Attributes:
        decisions: Versions by what was done with them.
        conflicted: Ids of versions that another writer changed meanwhile.
    """

    def __init__(self, gateway: Gateway, index: str, config: IndexConfig, rules: OnVersion) -> None:
        self.decisions: Counter[str] = Counter()
        self.conflicted: list[str] = []
        self._config = config
        self._rules = rules
        run = uuid.uuid4().hex[:12]
        self._setting = Setting(
            index, config.text_field, config.simhash_field, config.scheme, rules, run
        )
        self._requests = Requests(gateway, index, config.simhash_field)
        self._facts = Facts(self._requests, self._setting)
        self._recorder = Recorder(self._setting, self._facts)
        self._audit = open_audit(rules.audit or default_audit(index), gateway)

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
        """Id of this run in the audit log."""
        return self._setting.run

    def recover(self) -> None:
        """Finish the deletions of a sweep that was killed."""
        if self._rules.action == "replace":
            finish_replacing(self._requests, self._facts, self._setting, self._audit.read())

    def decide(
        self, families: Iterable[Family], changes: Mapping[DocumentRef, ChangedDocument]
    ) -> None:
        """Decide the changed documents of families, in their order.

        Args:
            families: Families that may have changed documents.
            changes: The documents that were changed since the last sweep.
        """
        members = members_in_order(families, changes)
        while batch := list(islice(members, _MEMBERS)):
            decisions = list(self._decisions(batch))
            self._audit.write([self._record(made, made.original.fact) for made in decisions])
            self._apply(decisions)
        self._requests.refresh()

    def _decisions(self, batch: Sequence[Member]) -> Iterator[_MemberDecision]:
        """Yield the decisions for the changed documents of a batch that are versions."""
        for position, (member, fact, prints) in enumerate(self._read(batch)):
            item = self._item(position, fact, prints)
            document = Original(replace(item.known, index=member.ref.index), fact)
            made = self._decision(member, item, fact)
            if made is None or made.decision.action == "replace":
                member.originals.append(document)
            if made is not None:
                if made.decision.action == "replace":
                    member.originals.remove(made.original)
                yield made

    def _decision(self, member: Member, item: Item, fact: Fact) -> _MemberDecision | None:
        """Return the decision for one document; None for one that is an original."""
        if member.change is None:
            return None
        match = best(item, [original.known for original in member.originals], self._rules)
        if match is None:
            return None
        relation, known = match
        decision = decided(item, relation, known, self._rules, exists=not member.change.is_new)
        if decision.action == "write":
            # A document that existed before is never removed, whatever its text is now.
            decision = replace(decision, action="flag")
        if decision.action == "link":
            decision = replace(decision, family=member.family)
        original = next(each for each in member.originals if each.known is known)
        return _MemberDecision(decision, fact, original)

    def _read(self, batch: Sequence[Member]) -> Iterator[tuple[Member, Fact, TextFingerprints]]:
        """Yield members that are flagged as versions of nothing, and have the stored text."""
        facts = self._requests.documents(
            [(member.ref.index, member.ref.id) for member in batch],
            self._source_fields(),
            [member.ref.routing for member in batch],
        )
        unflagged = [
            (member, fact)
            for member, fact in zip(batch, facts, strict=True)
            if fact.get("found") and not self._stored(fact, fields.DUPLICATE_OF)
        ]
        texts = [
            stored_text(fact["_source"], self._config.text_field) or "" for _, fact in unflagged
        ]
        if texts:
            fingerprints = fingerprint_batch(texts, self._config.scheme)
            for (member, fact), prints in zip(unflagged, fingerprints, strict=True):
                if prints.content_hash == self._stored(fact, fields.CONTENT_HASH):
                    yield member, fact, prints

    def _source_fields(self) -> list[str] | None:
        """Return the fields to read; None for all of a document that may have to be restored."""
        if self._rules.action in _REMOVING:
            return None
        members = (fields.CONTENT_HASH, fields.FAMILY, fields.DUPLICATE_OF)
        dates = [self._rules.date_field] if self._rules.date_field else []
        return [self._config.text_field, *map(self._config.path, members), *dates]

    def _stored(self, fact: Fact, member: str) -> str | None:
        return text_of(fact["_source"], self._config.path(member))

    def _item(self, position: int, fact: Fact, prints: TextFingerprints) -> Item:
        return Item(
            fact["_id"],
            position,
            prints,
            without_ours(fact, self._setting),
            b"{}",
            exists=True,
            text_field=self._config.text_field,
            date_field=self._rules.date_field,
        )

    def _record(self, made: _MemberDecision, original: Fact) -> Record:
        """Return the record of a decision, with what `undo` needs to find the document."""
        record = self._recorder.record(made.decision, original, {})
        place = {"in": made.fact["_index"]}
        if "_routing" in made.fact:
            place["routing"] = made.fact["_routing"]
        return Record({**record.head, **place}, record.document)

    def _apply(self, decisions: Sequence[_MemberDecision]) -> None:
        """Update or delete the documents that were decided, and delete what was replaced."""
        updates = [made for made in decisions if made.decision.action != "replace"]
        results = self._requests.bulk(self._setting.index, [self._lines(made) for made in updates])
        for made, result in zip(updates, results, strict=True):
            if is_outrun(result):
                self.conflicted.append(made.decision.id)
            else:
                self.decisions[made.decision.action] += 1
        for made in decisions:
            if made.decision.action == "replace":
                self._delete_original(made)
                self.decisions["replace"] += 1

    def _lines(self, made: _MemberDecision) -> list[dict[str, object]]:
        place = {"_index": made.fact["_index"], "_id": made.fact["_id"]}
        action = {**place, **DocumentVersion.of_hit(made.fact).conditions}
        if made.decision.action == "skip":
            return [{"delete": action}]
        marks = nested_path(self._config.simhash_field, made.decision.marks)
        return [{"update": action}, {"doc": marks}]

    def _delete_original(self, made: _MemberDecision) -> None:
        def record(changed: Fact) -> None:
            self._audit.write([self._record(made, changed)])

        delete_replaced(self._requests, self._facts, made.decision, made.original.fact, record)


def require_one_index(rules: OnVersion, indices: Iterable[str]) -> None:
    """Check that documents are removed from one index only: `undo` restores to one name.

    Raises:
        InputError: There are several, and the rules remove documents.
    """
    names = sorted(indices)
    if rules.action in _REMOVING and len(names) > 1:
        raise InputError(
            f"Action {rules.action!r} removes documents from one index, this name stands for "
            f"{', '.join(names)}; use flag or link.",
            parameter="on_version",
        )
