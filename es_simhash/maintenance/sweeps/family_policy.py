"""What is done with changed documents that are versions of another of their family."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.deduplication.audit_log import Audit, Record
from es_simhash.ingestion.deduplication.audit_runs import new_run
from es_simhash.ingestion.deduplication.effects import (
    delete_replaced,
    finish_replacements,
)
from es_simhash.ingestion.deduplication.lost_texts import LostTexts
from es_simhash.ingestion.deduplication.recorder import Recorder
from es_simhash.ingestion.deduplication.stored_documents import (
    WHOLE,
    DocumentDates,
    StoredDocuments,
    source_json,
)
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    best_original,
    decide_version,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion, RunContext
from es_simhash.maintenance.sweeps.changed_documents import (
    ChangedDocument,
    FamilyOriginal,
    Member,
    members_in_order,
)
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef
from es_simhash.store.changes import Change
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date
from es_simhash.store.installation.noted_pairs import binding_pairs
from es_simhash.store.installation.reserved_texts import ReservedTexts
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import Parts
from es_simhash.store.protocol import WritableStore
from es_simhash.store.rows import Row, batches_of

# Documents that are read and decided together; each may be long.
_MEMBERS = 50
_REMOVING = ("skip", "replace")


@dataclass(frozen=True)
class _MemberDecision:
    """A decision, with the document it is about and the original as they were read."""

    decision: Decision
    stored: Row
    original: FamilyOriginal


class FamilyPolicy:
    """Decides members of families by the rules of ingest; use it as a context manager.

    Args:
        store: The index; it retries.
        state: Its state index.
        config: Of the index, with its scheme.
        rules: What counts as a version, and what is done with it.
        dates: Of the documents.
        audit: The audit log; it is closed in the end.

    Attributes:
        decisions: Versions by what was done with them.
        conflicted: Ids of versions that another writer changed meanwhile.
        undated: Ids of documents without a date that were compared by their dates.
    """

    def __init__(
        self,
        store: WritableStore,
        state: StateIndex,
        config: IndexConfig,
        rules: OnVersion,
        dates: DocumentDates,
        audit: Audit,
    ) -> None:
        self.decisions: Counter[str] = Counter()
        self.conflicted: list[str] = []
        self.undated: set[str] = set()
        self._config = config
        self._rules = rules
        self._store = store
        self._state = state
        self._dates = dates
        self._audit = audit

    def __enter__(self) -> "FamilyPolicy":
        return self

    def __exit__(self, *error: object) -> None:
        self._audit.close()

    @cached_property
    def _context(self) -> RunContext:
        # Read when decisions begin: a person may decide while documents are enriched.
        manual = binding_pairs(self._state)
        return RunContext(self._store.name, self._config, self._rules, new_run(), manual)

    @cached_property
    def _documents(self) -> StoredDocuments:
        return StoredDocuments(self._context, self._store)

    @cached_property
    def _losses(self) -> LostTexts:
        return LostTexts(self._rules, self._config)

    @cached_property
    def _recorder(self) -> Recorder:
        return Recorder(self._context)

    @property
    def audit(self) -> str:
        """Name of the audit log."""
        return self._audit.name

    @property
    def run(self) -> str:
        """Id of this run in the audit log."""
        return self._context.run

    def recover(self) -> None:
        """Finish the deletions of a sweep that was killed."""
        if self._rules.action == "replace":
            texts = ReservedTexts.of(self._state)
            finish_replacements(self._documents, self._audit.read(), texts)

    def decide(
        self, families: Iterable[Family], changes: Mapping[DocumentRef, ChangedDocument]
    ) -> None:
        """Decide the changed documents of families, in their order.

        Args:
            families: Families that may have changed documents.
            changes: The documents that were changed since the last sweep.
        """
        for batch in batches_of(members_in_order(families, changes), _MEMBERS):
            decisions = list(self._decisions(batch))
            self._audit.write(self._records([(made, made.original.stored) for made in decisions]))
            self._apply(decisions)
        self._store.refresh()

    def _decisions(self, batch: Sequence[Member]) -> Iterator[_MemberDecision]:
        """Yield the decisions for the changed documents of a batch that are versions."""
        members = list(self._read(batch))
        dates = self._dates.of_stored([stored.source for _, stored, _ in members])
        for position, (member, stored, prints) in enumerate(members):
            document = self._incoming(position, stored, prints, dates[position])
            original = replace(document.as_original(), ref=stored.ref)
            made = self._decision(member, document, stored)
            if made is None or made.decision.action == "replace":
                member.originals.append(FamilyOriginal(original, stored))
            if made is not None:
                if made.decision.action == "replace":
                    member.originals.remove(made.original)
                self.undated.update(made.decision.undated)
                yield made

    def _decision(
        self, member: Member, document: IncomingDocument, stored: Row
    ) -> _MemberDecision | None:
        """Return the decision for one document; None for one that is an original."""
        if member.change is None or not member.change.is_undecided:
            return None
        manual = self._context.manual
        originals = [
            candidate.original
            for candidate in member.originals
            if not manual.keeps_apart(document.id, candidate.original.id)
        ]
        joined = manual.joined_with(document.id)
        threshold = self._config.versions_from
        match = best_original(document, originals, self._rules, threshold, joined)
        if match is None:
            return None
        relation, original = match
        exists = not member.change.is_new
        decision = decide_version(document, relation, original, self._rules, exists=exists)
        matched = next(
            candidate for candidate in member.originals if candidate.original is original
        )
        if self._losses.concerns(decision):
            texts = stored.text or "", matched.stored.text or ""
            decision = self._losses.checked(decision, *texts)
        if decision.action == "write":
            # A document that existed before is never removed, whatever its text is now.
            decision = replace(decision, action="flag")
        if decision.action == "link":
            decision = replace(decision, family=member.family)
        return _MemberDecision(decision, stored, matched)

    def _read(self, batch: Sequence[Member]) -> Iterator[tuple[Member, Row, TextFingerprints]]:
        """Yield members that are flagged as versions of nothing, and have the stored text."""
        # A document that is removed may have to be restored as a whole; records quote the others.
        quoted = Parts(text=True, members=True, fields=self._config.text_fields)
        parts = WHOLE if self._rules.action in _REMOVING else quoted
        documents = self._documents.read([member.ref for member in batch], parts)
        unflagged = [
            (member, stored)
            for member, stored in zip(batch, documents, strict=True)
            if stored is not None and not stored.duplicate_of
        ]
        texts = [stored.text or "" for _, stored in unflagged]
        if texts:
            fingerprints = fingerprint_batch(texts, self._config.scheme)
            for (member, stored), prints in zip(unflagged, fingerprints, strict=True):
                if prints.content_hash == stored.content_hash:
                    yield member, stored, prints

    def _incoming(
        self, position: int, stored: Row, prints: TextFingerprints, date: Date | None
    ) -> IncomingDocument:
        return IncomingDocument(
            stored.ref.id,
            position,
            prints,
            source_json(stored, self._config),
            b"{}",
            exists=True,
            date=date,
            is_undated=date is None and self._rules.compares_dates,
            routing=stored.ref.routing,
        )

    def _records(self, decided: Sequence[tuple[_MemberDecision, Row]]) -> list[Record]:
        """Return the records of decisions, with what `undo` needs to find the documents."""
        records = self._recorder.records([(made.decision, other) for made, other in decided], {})
        return [
            Record({**record.head, "in": made.stored.ref.index}, record.document)
            for (made, _), record in zip(decided, records, strict=True)
        ]

    def _apply(self, decisions: Sequence[_MemberDecision]) -> None:
        """Update or delete the documents that were decided, and delete what was replaced."""
        updates = [made for made in decisions if made.decision.action != "replace"]
        results = self._documents.change([_change(made) for made in updates])
        for made, result in zip(updates, results, strict=True):
            if result.status == "conflict":
                self.conflicted.append(made.decision.id)
            else:
                self.decisions[made.decision.action] += 1
        for made in decisions:
            if made.decision.action != "replace":
                continue
            if self._delete_original(made):
                self.decisions["replace"] += 1
            else:
                self.conflicted.append(made.original.stored.ref.id)

    def _delete_original(self, made: _MemberDecision) -> bool:
        def record(changed: Row) -> None:
            self._audit.write(self._records([(made, changed)]))

        return delete_replaced(self._documents, made.decision, made.original.stored, record)


def _change(made: _MemberDecision) -> Change:
    is_removed = made.decision.action == "skip"
    members = None if is_removed else made.decision.simhash_fields
    return Change(made.stored.read_version, members)


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
