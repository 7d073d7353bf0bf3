"""The links between texts that are versions of each other, found by breadth-first search."""

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

from es_simhash.maintenance.families.candidate_texts import CandidateTexts
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.text_links import links_of
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store.protocol import Progress
from es_simhash.store.rows import Place, SharingText

# Texts queried in one request.
_QUERIES = 25
# Responses for one text, and texts in them; candidates after that share least with it and are not
# compared.
_MAX_RESPONSES, _MAX_CANDIDATES = 20, 2_000

# The documents that were found for each of some texts.
Responses = list[list[SharingText]]


@dataclass(frozen=True)
class FoundLinks:
    """The links among some texts.

    Attributes:
        scores: Scores of the pairs that are linked, by the hashes of their texts.
        truncated: Hashes of the texts with more candidates than were compared.
    """

    scores: dict[Pair[str], float]
    truncated: set[str]


# Returns the links among texts, given by their hashes, as `links_among` does.
LinksAmong = Callable[[Sequence[str], Progress | None], FoundLinks]


class Known(Protocol):
    """What the last run has left of the links of texts, as `known_links.KnownTexts` reads it."""

    def connected(self, texts: Iterable[str]) -> set[str]:
        """Read the texts that may be connected with any of these; return those not among them."""

    def is_known(self, text: str) -> bool:
        """Check whether the last run has compared a text with all that is stored since then."""

    def stored_links(self, texts: Collection[str]) -> dict[Pair[str], float]:
        """Return the links among known texts that are stored."""

    def has_stored_links(self, text: str) -> bool:
        """Check whether all links of a known text with others are stored."""


@dataclass
class _Search:
    """The search for the candidates of a text.

    Attributes:
        text: The text.
        candidates: Those that may be versions of it, by their hashes.
        seen: Hashes of the texts that further responses exclude.
        is_full: Whether there may be more.
    """

    text: StoredText
    candidates: dict[str, StoredText] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    is_full: bool = False


@dataclass(frozen=True)
class _Batch:
    """Texts whose candidates are retrieved together.

    Attributes:
        texts: Their hashes.
        searches: What is retrieved for each of them.
        responses: The first responses to them.
    """

    texts: list[str]
    searches: Sequence[_Search]
    responses: Future[Responses]


class LinkGraph:
    """A graph whose nodes are hashes of texts, and whose edges link versions.

    Args:
        texts: The texts of the run.
        reader: Searches the index.
        known: What the last run knew of them.
        links_among: Compares those that it knew with each other.
        memory: MiB for what is known of candidates.

    Attributes:
        queried: Texts whose candidates were retrieved and compared.
        compared: Texts that the last run has compared with all others, and that were compared with
            each other alone.
        links: Scores of the pairs of texts that are linked.
        truncated: Texts with more candidates than were compared.
    """

    def __init__(
        self,
        texts: Corpus,
        reader: FamilyReader,
        known: Known,
        links_among: LinksAmong,
        memory: int,
    ) -> None:
        self._texts = texts
        self._reader = reader
        self._known = known
        self._links_among = links_among
        self._candidates = CandidateTexts(reader, memory)
        self.queried: set[str] = set()
        self.compared: set[str] = set()
        self.links: dict[Pair[str], float] = {}
        self.truncated: set[str] = set()

    def explore(
        self, seeds: Iterable[str], manual: ManualPairs, progress: Progress | None = None
    ) -> None:
        """Add the links of texts, of the texts these are linked with, and so on to the end.

        Args:
            seeds: Hashes of the texts to begin with.
            manual: Pairs of texts that are never linked, and texts that are joined: both are
                reached from each other.
            progress: Called after each batch.
        """
        reached = set[str]()
        waiting = deque(self._taken_up(seeds, manual, reached))
        with ThreadPoolExecutor(1) as pool:
            ahead = None
            while waiting or ahead:
                batch = ahead or self._next_batch(waiting, pool)
                # The engine searches for the next texts while these are compared.
                ahead = self._next_batch(waiting, pool) if len(waiting) >= _QUERIES else None
                new = self._linked(batch, manual, reached)
                waiting.extend(self._taken_up(new, manual, reached))
                if progress is not None:
                    queued = len(waiting) + (len(ahead.texts) if ahead else 0)
                    progress("texts", len(self.queried), len(self.queried) + queued)
        self._compare(manual, progress)

    @property
    def texts(self) -> set[str]:
        """All texts that were reached, whose links are known now."""
        return self.queried | self.compared

    def _taken_up(self, texts: Iterable[str], manual: ManualPairs, reached: set[str]) -> list[str]:
        """Take up texts that are reached with all that were connected with them before.

        Args:
            texts: Their hashes.
            manual: As in `explore`.
            reached: Texts that were reached before; those taken up are added.

        Returns:
            Those of them that are to be searched for.
        """
        found, new = set[str](), set(texts)
        while new:
            found |= new | self._known.connected(new)
            decided = {other for text in found for other in manual.others(text)}
            new = set(self._added(sorted(decided - found - reached)))
        found -= reached
        self.compared.update(text for text in found if self._known.is_known(text))
        reached |= found
        return sorted(found - self.compared)

    def _compare(self, manual: ManualPairs, progress: Progress | None) -> None:
        """Add the links among the texts that the last run has compared with all others."""
        scores = self._known.stored_links(self.compared)
        texts = sorted(text for text in self.compared if not self._known.has_stored_links(text))
        if len(texts) > 1:
            found = self._links_among(texts, progress)
            scores |= found.scores
            self.truncated |= found.truncated
        apart = manual.dismissed
        self.links.update(
            (linked, score)
            for linked, score in scores.items()
            if linked[1] not in apart.get(linked[0], ())
        )

    def _next_batch(self, waiting: deque[str], pool: ThreadPoolExecutor) -> _Batch:
        """Begin to search for the candidates of the next texts."""
        texts = [waiting.popleft() for _ in range(min(_QUERIES, len(waiting)))]
        self._texts.load(texts)
        searches = [_Search(self._texts[text]) for text in texts]
        return _Batch(texts, searches, pool.submit(self._retrieved, searches))

    def _linked(self, batch: _Batch, manual: ManualPairs, known: Container[str]) -> list[str]:
        """Add the links of the texts of a batch; return the texts that are reached by them."""
        self.queried.update(batch.texts)
        links = self._links_of(batch, manual)
        reached = {text for linked in links for text in linked}
        new = self._added(sorted(text for text in reached if text not in known))
        # A candidate whose text is another than the fingerprinted one is left alone.
        self.links.update(
            (linked, score)
            for linked, score in links.items()
            if all(text in self._texts for text in linked)
        )
        self._texts.trim()
        self._candidates.trim()
        return new

    def _added(self, texts: Sequence[str]) -> list[str]:
        """Add all documents of texts; return those texts that are there."""
        self._texts.add_copies(texts)
        return [text for text in texts if text in self._texts]

    def _links_of(self, batch: _Batch, manual: ManualPairs) -> dict[Pair[str], float]:
        """Return the links of the texts of a batch with their candidates, with their scores."""
        self._search(batch)
        texts = {search.text.content_hash: search.text for search in batch.searches}
        pairs = dict.fromkeys(
            pair(search.text.content_hash, candidate)
            for search in batch.searches
            for candidate in sorted(search.candidates)
            if not self._is_compared(search.text.content_hash, candidate, batch.texts)
        )
        for search in batch.searches:
            texts.update(search.candidates)
        return links_of(pairs, texts, self._reader.threshold, manual.dismissed)

    def _is_compared(self, text: str, candidate: str, batch: Sequence[str]) -> bool:
        """Check whether the query of the candidate has compared the two already."""
        if pair(text, candidate) in self.links:
            return True
        if candidate in self.truncated or candidate not in self.queried:
            return False
        return candidate not in batch or (candidate < text and text not in self.truncated)

    def _search(self, batch: _Batch) -> None:
        """Retrieve the candidates of the texts of a batch that may be versions of them.

        A response holds a limited number of documents. When it is full, the texts that were seen
        are excluded from the next search, so that many copies of one text hide no other.
        """
        pending = self._read(batch.searches, batch.responses.result())
        for _ in range(1, _MAX_RESPONSES):
            if not pending:
                break
            pending = self._read(pending, self._retrieved(pending))
        full = (search for search in batch.searches if search.is_full)
        self.truncated.update(search.text.content_hash for search in full)

    def _retrieved(self, searches: Sequence[_Search]) -> Responses:
        excluded = {search.text.content_hash: sorted(search.seen) for search in searches}
        return self._reader.candidates([search.text for search in searches], excluded)

    def _read(self, searches: Sequence[_Search], responses: Responses) -> list[_Search]:
        """Add what one response brings for each text; return those that are to go on."""
        texts = [search.text for search in searches]
        likely = self._candidates.may_be_versions(texts, responses)
        stored = self._candidates.stored(
            place
            for response, places in zip(responses, likely, strict=True)
            for place in (_places_of(response) if self._reader.is_full(response) else places)
        )
        for search, response, places in zip(searches, responses, likely, strict=True):
            search.candidates.update(
                (stored[place].content_hash, stored[place]) for place in places if place in stored
            )
            found = (stored.get(document.place) for document in response)
            new = {text.content_hash for text in found if text is not None} - search.seen
            search.is_full = bool(new) and self._reader.is_full(response)
            search.seen |= new
        return [each for each in searches if each.is_full and len(each.seen) < _MAX_CANDIDATES]


def _places_of(found: Iterable[SharingText]) -> list[Place]:
    return [document.place for document in found]
