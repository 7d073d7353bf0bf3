"""Decisions of a batch that hold in the index as it is now, and against other writers."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from es_simhash.ingestion.deduplication.lost_texts import LostTexts
from es_simhash.ingestion.deduplication.recent_documents import (
    RecentDocument,
    RecentDocuments,
    most_shared,
)
from es_simhash.ingestion.deduplication.reservations import Claims
from es_simhash.ingestion.deduplication.stored_documents import DocumentDates, StoredDocuments
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
    best_original,
    decide_version,
)
from es_simhash.relation.references import DocumentRef
from es_simhash.store.rows import Row


@dataclass
class _Attempt:
    """What is known while a batch is decided.

    Attributes:
        gone: Ids of documents that are not there any more.
        owners: By content hash, documents of other writers that searches do not see yet.
        stored: Documents of the index that decisions rest on, by id.
        before: What was known of each recent id that was put since.
        is_unread: Whether a text that a decision would remove, or keep, is still to be read.
    """

    gone: set[str] = field(default_factory=set)
    owners: dict[str, Original] = field(default_factory=dict)
    stored: dict[str, Row] = field(default_factory=dict)
    before: list[tuple[str, RecentDocument | None]] = field(default_factory=list)
    is_unread: bool = False


class BatchDecider:
    """Decides batches in order.

    Args:
        documents: Reads documents of the index.
        recent: What was written lately; what is decided is added to it.
        reservations: Reservations of this run.
        dates: Dates of the documents.

    Attributes:
        reserved: Ids by the content hashes that were reserved for the last batch.
    """

    def __init__(
        self,
        documents: StoredDocuments,
        recent: RecentDocuments,
        reservations: Claims,
        dates: DocumentDates,
    ) -> None:
        self._documents = documents
        self._dates = dates
        self._rules = documents.context.rules
        self._losses = LostTexts(documents.context.rules, documents.context.config)
        self._threshold = documents.context.config.versions_from
        self._manual = documents.context.manual
        self._recent = recent
        self._reservations = reservations
        self._order = 0
        self.reserved: dict[str, str] = {}

    def decide(
        self, batch: Sequence[IncomingDocument], candidates: Sequence[Sequence[Original]]
    ) -> tuple[list[Decision], dict[str, Row]]:
        """Decide until nothing that a decision rests on turns out to be gone, unread or reserved.

        Args:
            batch: The documents.
            candidates: For each, those that the index returned.

        Returns:
            The decisions, and the documents of the index that they rest on, by id.
        """
        attempt = _Attempt()
        self.reserved = {}
        while True:
            decisions = self._tentative(batch, candidates, attempt)
            gone = self._read_originals(decisions, attempt)
            is_final = not gone and not attempt.is_unread
            if is_final and not self._reserve(decisions, attempt):
                return decisions, attempt.stored
            attempt.gone |= gone
            while attempt.before:
                self._recent.restore(*attempt.before.pop())

    def _tentative(
        self,
        batch: Sequence[IncomingDocument],
        candidates: Sequence[Sequence[Original]],
        attempt: _Attempt,
    ) -> list[Decision]:
        decisions = []
        written: dict[str, IncomingDocument] = {}
        attempt.is_unread = False
        for document, stored in zip(batch, candidates, strict=True):
            owner = attempt.owners.get(document.content_hash)
            known = stored if owner is None else [*stored, owner]
            decision = self._decide(document, known, attempt.gone)
            decision = self._without_loss(decision, written, attempt)
            decisions.append(decision)
            if decision.action != "skip":
                written[decision.id] = document
            self._remember(decision, attempt)
        return decisions

    def _decide(
        self, document: IncomingDocument, stored: Sequence[Original], gone: set[str]
    ) -> Decision:
        """Decide what to do with one document.

        What is found depends on the document and the others alone, not on whether these are in the
        index already or were written a moment ago.
        """
        recently = self._recent.exists(document.id)
        exists = document.exists if recently is None else recently
        if not document.fingerprints.is_empty:
            joined = self._manual.joined_with(document.id)
            candidates = self._candidates(document, stored, {document.id, *gone}, joined)
            best = best_original(document, candidates, self._rules, self._threshold, joined)
            if best is not None:
                relation, original = best
                return decide_version(document, relation, original, self._rules, exists=exists)
        return Decision(document.id, "write", document=document, exists=exists)

    def _without_loss(
        self, decision: Decision, written: Mapping[str, IncomingDocument], attempt: _Attempt
    ) -> Decision:
        """Return a decision that loses no text; one whose original is still unread as it is.

        Args:
            decision: The decision.
            written: Documents of the batch before it, by id.
            attempt: What is known.
        """
        if decision.original is None or not self._losses.concerns(decision):
            return decision
        other = decision.original.id
        if other in written:
            text = self._losses.text_of(written[other])
        elif other in attempt.stored:
            text = attempt.stored[other].text or ""
        else:
            attempt.is_unread = True
            return decision
        return self._losses.checked(decision, self._losses.text_of(decision.document), text)

    def _candidates(
        self,
        document: IncomingDocument,
        stored: Sequence[Original],
        excluded: set[str],
        joined: Set[str],
    ) -> list[Original]:
        candidates = [original for original in stored if original.id not in self._recent]
        candidates += self._recent.search(document.query)
        candidates += self._recent.originals(joined - {each.id for each in candidates})
        candidates = [
            candidate
            for candidate in candidates
            if candidate.id not in excluded
            and not self._manual.keeps_apart(document.id, candidate.id)
        ]
        # What a person joined is not cut.
        certain = [candidate for candidate in candidates if candidate.id in joined]
        others = [candidate for candidate in candidates if candidate.id not in joined]
        return [*certain, *most_shared(document.query, others)]

    def _remember(self, decision: Decision, attempt: _Attempt) -> None:
        def put(id: str, original: Original | None, *, exists: bool = True) -> None:
            attempt.before.append((id, self._recent.get(id)))
            self._recent.put(id, original, exists=exists)

        if decision.action == "skip":
            return
        self._order += 1
        document = decision.document
        put(decision.id, document.as_original(self._order) if decision.is_new_original else None)
        if decision.action == "replace" and decision.other is not None:
            put(decision.other, None, exists=False)

    def _read_originals(self, decisions: Sequence[Decision], attempt: _Attempt) -> set[str]:
        """Read originals; return the ids of those that are gone, or have another text by now.

        Documents that are written together with those that rest on them cannot be read yet.
        """
        written = set()
        wanted: dict[str, Original] = {}
        for decision in decisions:
            original = decision.original
            if original is not None and original.id not in written:
                wanted[original.id] = original
            if decision.action != "skip":
                written.add(decision.id)
        unread = {id: original for id, original in wanted.items() if id not in attempt.stored}
        gone = set()
        documents = self._documents.read([original.ref for original in unread.values()])
        for (id, original), stored in zip(unread.items(), documents, strict=True):
            if stored is not None and stored.content_hash == original.text.content_hash:
                attempt.stored[id] = stored
            else:
                gone.add(id)
        return gone

    def _reserve(self, decisions: Sequence[Decision], attempt: _Attempt) -> bool:
        """Reserve new texts; return True when another writer was quicker with one."""
        wanted: dict[str, IncomingDocument] = {}
        for decision in decisions:
            is_copy = decision.relation is not None and decision.relation.kind == "exact"
            content_hash = decision.document.content_hash
            owner = attempt.owners.get(content_hash)
            # A copy of a document that is there may be an original: by the rules, or as a person
            # decided. That document has the reservation, if any.
            is_owned = owner is not None and owner.id not in attempt.gone
            if decision.is_new_original and not (
                is_copy or is_owned or content_hash in self.reserved
            ):
                wanted.setdefault(content_hash, decision.document)
        owned = self._reservations.acquire(
            {
                content_hash: DocumentRef(None, document.id, document.routing)
                for content_hash, document in wanted.items()
            }
        )
        for content_hash, document in wanted.items():
            if content_hash in owned:
                attempt.owners[content_hash] = self._owner(owned[content_hash], document)
            else:
                self.reserved[content_hash] = document.id
        return bool(owned)

    def _owner(self, stored: Row, document: IncomingDocument) -> Original:
        """Return the document of another writer, which has the same text."""
        (date,) = self._dates.of_stored([stored.source])
        return replace(document.as_original(), ref=stored.ref, date=date, family=stored.family)

    def forget(self, decisions: Sequence[Decision], failed: Callable[[str], bool]) -> None:
        """Take back what was remembered of documents that were not written."""
        for decision in decisions:
            if failed(decision.id):
                self._recent.drop(decision.id)
                if decision.action == "replace" and decision.original is not None:
                    self._recent.put(decision.original.id, decision.original)
        self._reservations.release(
            content_hash for content_hash, id in self.reserved.items() if failed(id)
        )


def with_superseded(decisions: Sequence[Decision]) -> list[Decision]:
    """Name what replaces new documents within the same batch: they need not be written."""
    replacements: dict[str, str] = {}
    result: list[Decision] = []
    for decision in reversed(decisions):
        if not decision.exists:
            decision = replace(decision, superseded=replacements.get(decision.id))
        result.append(decision)
        if decision.action == "replace" and decision.other is not None:
            replacements[decision.other] = decision.id
        elif decision.action == "write":
            replacements.pop(decision.id, None)
    return result[::-1]
