"""Two writers at once: a text is reserved by whoever is first, until its document is there."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from es_simhash.ingestion.deduplication.stored_documents import WHOLE, StoredDocuments
from es_simhash.relation.references import DocumentRef
from es_simhash.store.installation.reserved_texts import ReservedText, ReservedTexts
from es_simhash.store.rows import Row, batches_of

_logger = logging.getLogger(__name__)
# Milliseconds after which a reservation is of no use: searches have long found its document, also
# those of a batch that is written now. The clock of its writer may be wrong by a day; the minutes
# beyond are what a batch takes.
MAX_AGE = 86_400_000 + 600_000
_AT_ONCE = 1000
_POLL_SECONDS = 0.1


class Claims(Protocol):
    """Which texts a run may write while others write to the same index."""

    def acquire(self, wanted: Mapping[str, DocumentRef]) -> dict[str, Row]:
        """Claim texts; return the documents of those that are there already, by content hash."""

    def release(self, hashes: Iterable[str]) -> None:
        """Give up the claims to texts that are not written."""


class Reservations:
    """The reservations of one run.

    Args:
        documents: Reads documents of the user's index.
        texts: The reserved texts of that index.
        clock: Milliseconds since 1970. It names reservations, and says which are old; how long a
            writer is waited for does not depend on it, as it may be set meanwhile, and that of the
            other writer is another one.
        stopwatch: Seconds since any moment.
    """

    def __init__(
        self,
        documents: StoredDocuments,
        texts: ReservedTexts,
        *,
        clock: Callable[[], float] = lambda: time.time() * 1000,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._documents = documents
        self._texts = texts
        self._run = documents.context.run
        self._lease = documents.context.rules.lease
        self._clock = clock
        self._stopwatch = stopwatch
        # Since when reservations of others are waited for.
        self._seen: dict[ReservedText, float] = {}
        # When runs that let a lease pass made that reservation, by their clocks: nobody waits for
        # those that they made before it.
        self._dead: dict[str, int] = {}

    def acquire(self, wanted: Mapping[str, DocumentRef]) -> dict[str, Row]:
        """Reserve texts for documents.

        They are taken in the order of their hashes, and none behind one that is waited for, so
        that no two writers wait for each other.

        Args:
            wanted: Where the document will be, by content hash.

        Returns:
            By content hash the document of each text that is there already.
        """
        owned: dict[str, Row] = {}
        remaining = sorted(wanted)
        self._seen.clear()
        while remaining:
            waiting = self._attempt(remaining, wanted, owned)
            if not waiting:
                break
            first = min(waiting)
            remaining = [
                content_hash
                for content_hash in remaining
                if content_hash > first and content_hash not in owned
            ]
            self._wait_for(first, wanted, owned)
        return owned

    def _attempt(
        self, hashes: Sequence[str], wanted: Mapping[str, DocumentRef], owned: dict[str, Row]
    ) -> list[str]:
        """Reserve texts up to the first that has to be waited for; return those that have."""
        at = int(self._clock())
        taken = self._texts.create(self._reserved(hash, wanted[hash], at) for hash in hashes)
        waiting = self._examine(taken, wanted, owned, at)
        if waiting:
            first = min(waiting)
            self.release(
                content_hash
                for content_hash in hashes
                if content_hash > first and content_hash not in taken
            )
        return waiting

    def _wait_for(
        self, content_hash: str, wanted: Mapping[str, DocumentRef], owned: dict[str, Row]
    ) -> None:
        """Wait until a text is ours, its document is there, or its writer has died."""
        _logger.info("Wait for a text that another run writes.", extra={"event": "reserved"})
        while True:
            self._documents.store.wait(_POLL_SECONDS)
            if not self._attempt([content_hash], wanted, owned):
                return

    def release(self, hashes: Iterable[str]) -> None:
        """Release texts that are not written."""
        self._texts.release(hashes, self._run)

    def expire(self) -> None:
        """Delete old reservations, of whichever run."""
        old = self._texts.before(int(self._clock() - MAX_AGE))
        for texts in batches_of(old, _AT_ONCE):
            # Else a document of an index that nobody refreshes would be neither reserved nor found.
            self._documents.refresh()
            self._texts.forget(texts)

    def _reserved(self, content_hash: str, ref: DocumentRef, at: int) -> ReservedText:
        return ReservedText(content_hash, ref, self._run, at)

    def _examine(
        self,
        taken: Sequence[str],
        wanted: Mapping[str, DocumentRef],
        owned: dict[str, Row],
        at: int,
    ) -> list[str]:
        """Look at reservations of others; return the hashes of those that must be waited for."""
        stored = self._texts.read(taken)
        others = {
            content_hash: text
            for content_hash, text in stored.items()
            if text.holder.id != wanted[content_hash].id
        }
        documents = self._documents.read([text.holder for text in others.values()], WHOLE)
        # What is missing was released this moment.
        waiting = [content_hash for content_hash in taken if content_hash not in stored]
        for (content_hash, text), document in zip(others.items(), documents, strict=True):
            if document is not None and document.content_hash == content_hash:
                owned[content_hash] = document
            elif not self._take_over(text, self._reserved(content_hash, wanted[content_hash], at)):
                waiting.append(content_hash)
        return waiting

    def _take_over(self, stored: ReservedText, own: ReservedText) -> bool:
        """Take the reservation of a writer that died; False when it may still be at work."""
        now = self._stopwatch()
        waited = now - self._seen.setdefault(stored, now)
        is_dead = stored.at <= self._dead.get(stored.run, stored.at - 1)
        if stored.run != self._run and not is_dead:
            if waited < self._lease:
                return False
            self._dead[stored.run] = stored.at
        return self._texts.take_over(stored, own)
