"""Two writers at once: a text is reserved by whoever is first, until its document is there.

Where a field keeps documents apart, a text is reserved for those of the same values: its hash is
then that of both (`claim_of`).
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

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
# How often in a lease a writer that waits makes its own reservations anew.
_RENEWALS = 4


class Claims(Protocol):
    """Which texts a run may write while others write to the same index."""

    def begin(self) -> None:
        """Begin a batch: the texts of the one before are written."""

    def acquire(
        self, wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]
    ) -> dict[str, Row]:
        """Claim these texts, and no others of the batch; return the documents that have one.

        Args:
            wanted: Where the document will be, by content hash.
            replaced: Id of the document with the same text that it will replace.

        Returns:
            By content hash the document of each text that is there already.
        """

    def release(self, hashes: Iterable[str]) -> None:
        """Give up the claims to texts that are not written."""


class _Held(NamedTuple):
    """A text that is reserved for the batch.

    Attributes:
        holder: Where its document will be.
        copy: The reservation that was there, of a copy that it will replace; None without one.
    """

    holder: DocumentRef
    copy: ReservedText | None = None


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
        self._held: dict[str, _Held] = {}
        self._replaced: Mapping[str, str] = {}
        # Since when reservations of others are waited for.
        self._seen: dict[ReservedText, float] = {}
        # The last reservation of each run that let a lease pass: nobody waits for those that it
        # made with it or before. A run that goes on may have its clock set back.
        self._dead: dict[str, ReservedText] = {}

    def begin(self) -> None:
        """Begin a batch: the texts of the one before are written."""
        self._held = {}

    def acquire(
        self, wanted: Mapping[str, DocumentRef], replaced: Mapping[str, str]
    ) -> dict[str, Row]:
        """Reserve texts for documents, and release others of the batch.

        They are taken in the order of their hashes, and none is held behind one that is waited for,
        so that no two writers wait for each other. Of several writers that replace the same copy
        one gets its reservation; for the others that one's document is there.

        Args:
            wanted: Where the document will be, by content hash.
            replaced: Id of the document with the same text that it will replace, by content hash;
                its reservation is taken.

        Returns:
            By content hash the document of each text that is there already.
        """
        owned: dict[str, Row] = {}
        self._replaced = replaced
        self._seen.clear()
        self._give_up([each for each in self._held if each not in wanted])
        while missing := self._missing(wanted, owned):
            if waiting := self._attempt(missing, wanted, owned):
                self._wait_for(min(waiting), wanted, owned)
        return owned

    def _missing(self, wanted: Mapping[str, DocumentRef], owned: Mapping[str, Row]) -> list[str]:
        """Return the texts that are neither reserved nor there, in the order of their hashes."""
        held = {content_hash: each.holder for content_hash, each in self._held.items()}
        return sorted(
            content_hash
            for content_hash, ref in wanted.items()
            if content_hash not in owned and held.get(content_hash) != ref
        )

    def _attempt(
        self, hashes: Sequence[str], wanted: Mapping[str, DocumentRef], owned: dict[str, Row]
    ) -> list[str]:
        """Reserve texts up to the first that has to be waited for; return those that have."""
        at = int(self._clock())
        own = {hash: self._reserved(hash, wanted[hash], at) for hash in hashes}
        taken = self._texts.create(own.values())
        self._held.update({each: _Held(wanted[each]) for each in own.keys() - {*taken}})
        if not taken:
            return []
        self._claim(self._texts.read(taken), own, owned)
        # What is missing was released this moment.
        waiting = [each for each in taken if each not in owned and each not in self._held]
        if waiting:
            self._give_up([each for each in self._held if each > min(waiting)])
        return waiting

    def _wait_for(
        self, content_hash: str, wanted: Mapping[str, DocumentRef], owned: dict[str, Row]
    ) -> None:
        """Wait until a text is ours, its document is there, or its writer has died."""
        _logger.info("Wait for a text that another run writes.", extra={"event": "reserved"})
        renewed = self._stopwatch()
        while True:
            self._documents.store.wait(_POLL_SECONDS)
            if self._stopwatch() - renewed >= self._lease / _RENEWALS:
                self._renew()
                renewed = self._stopwatch()
            if not self._attempt([content_hash], wanted, owned):
                return

    def _renew(self) -> None:
        """Make reservations anew, so that whoever waits for them sees a writer at work.

        What another has taken over meanwhile, as this one stood still, is not held any more.
        """
        if not self._held:
            return
        stored = self._texts.read([*self._held])
        at = int(self._clock())
        kept = self._texts.take_over(
            (text, _later(self._reserved(content_hash, text.holder, at), text))
            for content_hash, text in stored.items()
            if text.run == self._run and text.holder.id == self._held[content_hash].holder.id
        )
        self._held = {each: held for each, held in self._held.items() if each in kept}

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

    def _claim(
        self,
        stored: Mapping[str, ReservedText],
        own: Mapping[str, ReservedText],
        owned: dict[str, Row],
    ) -> None:
        """Take reservations that are there and may be taken.

        Args:
            stored: Those that are there, by content hash.
            own: What is written in their place.
            owned: Gets the documents that are there.
        """
        others = {
            content_hash: text
            for content_hash, text in stored.items()
            if text.holder.id != own[content_hash].holder.id
        }
        # Ours from before an interruption is made anew: else others take it for a dead writer's.
        free: dict[str, ReservedText | None] = dict.fromkeys(stored.keys() - others.keys())
        documents = self._documents.read([text.holder for text in others.values()], WHOLE)
        for (content_hash, text), document in zip(others.items(), documents, strict=True):
            if document is None or self._documents.claim(document) != content_hash:
                # Also where the text was changed: its holder may be about to write it again.
                if self._is_free(text):
                    free[content_hash] = None
            elif text.holder.id == self._replaced.get(content_hash):
                free[content_hash] = text
            else:
                owned[content_hash] = document
        # None behind one that is waited for.
        busy = min(stored.keys() - free.keys() - owned.keys(), default=None)
        ours = self._texts.take_over(
            (stored[each], _later(own[each], stored[each]))
            for each in sorted(free)
            if busy is None or each < busy
        )
        self._held.update({each: _Held(own[each].holder, free[each]) for each in ours})

    def _give_up(self, hashes: Sequence[str]) -> None:
        """Release texts; those of copies that were to be replaced are again reserved for these."""
        copies = {each: copy for each in hashes if (copy := self._held[each].copy) is not None}
        if copies:
            current = self._texts.read([*copies])
            self._texts.take_over(
                (current[each], copy)
                for each, copy in copies.items()
                if each in current and current[each].run == self._run
            )
        if others := [each for each in hashes if each not in copies]:
            self.release(others)
        for each in hashes:
            del self._held[each]

    def _is_free(self, stored: ReservedText) -> bool:
        """Check that the writer of a reservation has died."""
        now = self._stopwatch()
        waited = now - self._seen.setdefault(stored, now)
        dead = self._dead.get(stored.run)
        if stored.run == self._run or (dead is not None and _is_as_old(stored, dead)):
            return True
        if waited >= self._lease:
            self._dead[stored.run] = stored
        return waited >= self._lease


def _later(text: ReservedText, before: ReservedText) -> ReservedText:
    """Return a reservation that is another than the one before it, by whatever clock."""
    return replace(text, at=max(text.at, before.at + 1))


def _is_as_old(one: ReservedText, other: ReservedText) -> bool:
    """Check that a run made a reservation together with another, or before it."""
    assert one.version is not None, "it was not read"
    assert other.version is not None, "it was not read"
    return one.at == other.at or one.version.seq_no <= other.version.seq_no
