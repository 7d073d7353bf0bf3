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
        owners: By the claims to their texts, documents of other writers that searches do not see
            yet.
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
        reserved: Ids by the claims that were made for the last batch.
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
        self._reservations.begin()
        while True:
            decisions = with_superseded(self._tentative(batch, candidates, attempt))
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
            known = _known(document, stored, attempt)
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
            and document.may_be_version_of(candidate)
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
            if stored is not None and self._documents.claim(stored) == original.claim:
                attempt.stored[id] = stored
            else:
                gone.add(id)
        return gone

    def _reserve(self, decisions: Sequence[Decision], attempt: _Attempt) -> bool:
        """Reserve new texts; return True when another writer was quicker with one."""
        wanted, replaced = self._wanted(decisions, attempt)
        owned = self._reservations.acquire(
            {
                claim: DocumentRef(None, document.id, document.routing)
                for claim, document in wanted.items()
            },
            replaced,
        )
        for claim, stored in owned.items():
            attempt.owners[claim] = self._owner(stored, wanted[claim])
        self.reserved = {
            claim: document.id for claim, document in wanted.items() if claim not in owned
        }
        return bool(owned)

    def _wanted(
        self, decisions: Sequence[Decision], attempt: _Attempt
    ) -> tuple[dict[str, IncomingDocument], dict[str, str]]:
        """Return the new texts that are to be reserved, and which copies these replace.

        Args:
            decisions: Of the batch; those that are superseded write nothing, and need no text.
            attempt: What is known.
        """
        wanted: dict[str, IncomingDocument] = {}
        replaced: dict[str, str] = {}
        unwritten = {each.id: each.other for each in decisions if each.superseded is not None}
        for decision in decisions:
            claim, other = decision.document.claim, decision.other
            while other in unwritten:
                other = unwritten[other]
            if (
                decision.superseded is None
                and decision.is_new_original
                and not self._is_reserved(decision, other, attempt)
            ):
                wanted.setdefault(claim, decision.document)
                if decision.action == "replace" and other is not None:
                    replaced.setdefault(claim, other)
        return wanted, replaced

    @staticmethod
    def _is_reserved(decision: Decision, other: str | None, attempt: _Attempt) -> bool:
        """Check whether a document that stays has the reservation of a text, if any.

        A copy of a document that is there may be an original: by the rules, or as a person decided.

        Args:
            decision: About the text.
            other: The document of the index that it is about.
            attempt: What is known.
        """
        owner = attempt.owners.get(decision.document.claim)
        if owner is not None and owner.id not in attempt.gone and owner.id != other:
            return True
        is_copy = decision.relation is not None and decision.relation.kind == "exact"
        return is_copy and other is not None and decision.action != "replace"

    def _owner(self, stored: Row, document: IncomingDocument) -> Original:
        """Return the document of another writer, which has the same text."""
        (date,) = self._dates.of_stored([stored.source])
        return replace(document.as_original(), ref=stored.ref, date=date, family=stored.family)

    def forget(self, decisions: Sequence[Decision], failed: Callable[[str], bool]) -> None:
        """Take back what was remembered of documents that were not written.

        Args:
            decisions: Decisions of a batch.
            failed: Says of an id whether the index rejected its document.
        """
        # The last first: what one of them replaced may have replaced another itself.
        for decision in reversed(decisions):
            if failed(decision.stands_for_it):
                self._recent.drop(decision.id)
                if decision.action == "replace" and decision.original is not None:
                    self._recent.put(decision.original.id, decision.original)
        self._reservations.release(claim for claim, id in self.reserved.items() if failed(id))


def _known(
    document: IncomingDocument, stored: Sequence[Original], attempt: _Attempt
) -> list[Original]:
    """Return what a document may be a version of: of its copies, the one that is reserved alone.

    Another writer may be about to delete the others, which that one has replaced.
    """
    owner = attempt.owners.get(document.claim)
    if owner is None or owner.id in attempt.gone:
        return list(stored)
    others = (each for each in stored if each.text.content_hash != document.content_hash)
    return [*others, owner]


def with_superseded(decisions: Sequence[Decision]) -> list[Decision]:
    """Name what replaces new documents within the same batch: they need not be written."""
    replacements: dict[str, str] = {}
    result: list[Decision] = []
    for decision in reversed(decisions):
        if not decision.exists:
            decision = replace(decision, superseded=replacements.get(decision.id))
        result.append(decision)
        if decision.action == "replace" and decision.other is not None:
            replacements[decision.other] = decision.stands_for_it
        elif decision.action == "write":
            replacements.pop(decision.id, None)
    return result[::-1]
