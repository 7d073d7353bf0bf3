"""The links between texts that are versions of each other, found by breadth-first search."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Protocol

from es_simhash.maintenance.families.family_reader import CANDIDATES, FamilyReader
from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.text_links import Texts, links_of
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.store.protocol import Progress

# Texts queried in one request.
_QUERIES = 50
# Responses for one text; candidates after that share least with it and are not compared.
_MAX_RESPONSES = 20


class ReadTexts(Texts, Protocol):
    """The texts of a run, which are read when they are needed, as those of a `Corpus`."""

    def add_copies(self, hashes: Sequence[str]) -> None:
        """Add all documents of these texts."""

    def hashes_of(self, refs: Iterable[DocumentRef]) -> dict[DocumentRef, str]:
        """Return the hash of the text of each of these documents that has a current text."""

    def load(self, hashes: Iterable[str]) -> None:
        """Read these texts together, so that they are quick."""

    def trim(self) -> None:
        """Forget texts that were not used for long."""


class LinkGraph:
    """A graph whose nodes are hashes of texts, and whose edges link versions.

    Args:
        texts: The texts of the run.
        reader: Searches the index.

    Attributes:
        queried: Texts whose candidates were retrieved and compared.
        links: Scores of the pairs of texts that are linked.
        truncated: Texts with more candidates than were compared.
    """

    def __init__(self, texts: ReadTexts, reader: FamilyReader) -> None:
        self._texts = texts
        self._reader = reader
        self.queried: set[str] = set()
        self.links: dict[Pair[str], float] = {}
        self.truncated: set[str] = set()

    def explore(
        self, seeds: Iterable[str], manual: ManualPairs, progress: Progress | None = None
    ) -> None:
        """Add the links of texts, of the texts these are linked with, and so on to the end.

        Args:
            seeds: Hashes of the texts to begin with.
            manual: Pairs of texts that are never linked, and texts that are joined: they are
                reached from each other.
            progress: Called after each batch.
        """
        known = set(seeds) | self.queried
        waiting = deque(sorted(known - self.queried))
        while waiting:
            batch = [waiting.popleft() for _ in range(min(_QUERIES, len(waiting)))]
            self.queried.update(batch)
            reached = self._link(batch, manual)
            reached.update(*map(manual.joined.others, batch))
            self._reach(sorted(reached - known), waiting, known)
            if progress is not None:
                progress("texts", len(self.queried), len(self.queried) + len(waiting))

    def _reach(self, texts: Sequence[str], waiting: deque[str], known: set[str]) -> None:
        self._texts.add_copies(texts)
        known.update(texts)
        waiting.extend(texts)
        self._texts.trim()

    def _link(self, batch: list[str], manual: ManualPairs) -> set[str]:
        """Link the texts of a batch with their candidates; return those that are linked."""
        pairs = dict.fromkeys(
            pair(text, candidate)
            for text, candidates in self._candidates(batch).items()
            for candidate in sorted(candidates)
            if not self._is_compared(text, candidate, batch)
        )
        links = links_of(pairs, self._texts, self._reader.threshold, manual.dismissed)
        self.links.update(links)
        return {text for linked in links for text in linked}

    def _is_compared(self, text: str, candidate: str, batch: Sequence[str]) -> bool:
        """Check whether the query of the candidate has compared the two already."""
        if pair(text, candidate) in self.links:
            return True
        if candidate in self.truncated or candidate not in self.queried:
            return False
        return candidate not in batch or (candidate < text and text not in self.truncated)

    def _candidates(self, batch: list[str]) -> dict[str, set[str]]:
        """Return the hashes of the texts that share shingles with each text, and load them."""
        candidates = self._search(batch)
        self._texts.load(text for text, hashes in candidates.items() if hashes)
        self._texts.load(
            candidate
            for hashes in candidates.values()
            for candidate in hashes
            if candidate not in self.queried
        )
        return candidates

    def _search(self, batch: list[str]) -> dict[str, set[str]]:
        """Retrieve candidates by searches.

        A response holds a limited number of documents. When it is full, the texts that were seen
        are excluded from the next search, so that many copies of one text hide no other.
        """
        self._texts.load(batch)
        texts = {key: self._texts[key] for key in batch}
        candidates: dict[str, set[str]] = {key: set() for key in batch}
        pending = batch
        for _ in range(_MAX_RESPONSES):
            seen = {key: sorted(candidates[key]) for key in pending}
            responses = self._reader.candidates([texts[key] for key in pending], seen)
            hashes = self._texts.hashes_of(ref for refs in responses for ref in refs)
            full = []
            for key, refs in zip(pending, responses, strict=True):
                retrieved = {hashes[ref] for ref in refs if ref in hashes} - {key}
                if len(refs) == CANDIDATES and retrieved - candidates[key]:
                    full.append(key)
                candidates[key] |= retrieved
            pending = full
            if not pending:
                break
        self.truncated.update(pending)
        return candidates
