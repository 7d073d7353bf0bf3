"""The links between texts that are versions of each other, found by breadth-first search."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Sequence

from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_reader import CANDIDATES, IndexReader
from es_simhash.maintenance.families.family_report import Progress
from es_simhash.pairs.joined_families import Noted
from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.postings import Postings
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.scoring import are_candidates, link_score
from es_simhash.relation.thresholds import LEAST_SHARED

# Texts queried in one request.
_QUERIES = 50
# Responses for one text; candidates after that share least with it and are not compared.
_MAX_RESPONSES = 20
_MAX_CANDIDATES = _MAX_RESPONSES * CANDIDATES


class LinkGraph:
    """A graph whose nodes are hashes of texts, and whose edges link versions.

    Args:
        corpus: The documents and texts of the run.
        reader: Searches the index.
        postings: Posting lists of all texts of the index; None to search the index.

    Attributes:
        queried: Texts whose candidates were retrieved and compared.
        neighbours: Of each text, those it is linked with.
        scores: Of the pairs of texts that are linked.
        truncated: Texts with more candidates than were compared.
    """

    def __init__(
        self, corpus: Corpus, reader: IndexReader, postings: Postings | None = None
    ) -> None:
        self._corpus = corpus
        self._reader = reader
        self._postings = postings
        self.queried: set[str] = set()
        self.neighbours: dict[str, list[str]] = defaultdict(list)
        self.scores: dict[Pair[str], float] = {}
        self.truncated: set[str] = set()

    def explore(
        self, seeds: Iterable[str], noted: Noted[str], progress: Progress | None = None
    ) -> None:
        """Add the links of texts, of the texts these are linked with, and so on to the end.

        Args:
            seeds: Hashes of the texts to begin with.
            noted: Pairs of texts that are never linked, and texts that are joined: they are
                reached from each other.
            progress: Called after each batch.
        """
        known = set(seeds) | self.queried
        waiting = deque(sorted(known - self.queried))
        while waiting:
            batch = [waiting.popleft() for _ in range(min(_QUERIES, len(waiting)))]
            self.queried.update(batch)
            reached = self._link(batch, noted.dismissed)
            reached.update(*map(noted.joined.others, batch))
            self._reach(sorted(reached - known), waiting, known)
            if progress is not None:
                progress(len(self.queried), len(self.queried) + len(waiting))

    def _reach(self, texts: Sequence[str], waiting: deque[str], known: set[str]) -> None:
        self._corpus.add_copies(texts)
        known.update(texts)
        waiting.extend(texts)
        self._corpus.trim()

    def _link(self, batch: list[str], dismissed: Collection[Pair[str]]) -> set[str]:
        """Link the texts of a batch with their candidates; return those that are linked."""
        reached: set[str] = set()
        for text, candidates in self._candidates(batch).items():
            for candidate in sorted(candidates):
                edge = pair(text, candidate)
                if self._is_compared(text, candidate, batch) or edge in dismissed:
                    continue
                score = self._score(self._corpus.text(text), self._corpus.text(candidate))
                if score > 0:
                    self.scores[edge] = score
                    self.neighbours[text].append(candidate)
                    self.neighbours[candidate].append(text)
                    reached.add(candidate)
        return reached

    def _is_compared(self, text: str, candidate: str, batch: Sequence[str]) -> bool:
        """Check whether the query of the candidate has compared the two already."""
        if candidate in self.neighbours.get(text, ()):
            return True
        if candidate in self.truncated or candidate not in self.queried:
            return False
        return candidate not in batch or (candidate < text and text not in self.truncated)

    def _candidates(self, batch: list[str]) -> dict[str, set[str]]:
        """Return the hashes of the texts that share shingles with each text, and load them."""
        candidates = self._search(batch) if self._postings is None else self._look_up(batch)
        self._corpus.load(text for text, hashes in candidates.items() if hashes)
        self._corpus.load(
            candidate
            for hashes in candidates.values()
            for candidate in hashes
            if candidate not in self.queried
        )
        return candidates

    def _look_up(self, batch: list[str]) -> dict[str, set[str]]:
        """Retrieve candidates from the posting lists in memory."""
        assert self._postings is not None
        candidates = {}
        for text in batch:
            hashes, is_truncated = self._postings.sharing(text, LEAST_SHARED, _MAX_CANDIDATES)
            candidates[text] = set(hashes)
            if is_truncated:
                self.truncated.add(text)
        return candidates

    def _search(self, batch: list[str]) -> dict[str, set[str]]:
        """Retrieve candidates by searches.

        A response holds a limited number of documents. When it is full, the texts that were seen
        are excluded from the next search, so that many copies of one text hide no other.
        """
        self._corpus.load(batch)
        texts = {key: self._corpus.text(key) for key in batch}
        candidates: dict[str, set[str]] = {key: set() for key in batch}
        pending = batch
        for _ in range(_MAX_RESPONSES):
            seen = {key: sorted(candidates[key]) for key in pending}
            responses = self._reader.candidates([texts[key] for key in pending], seen)
            hashes = self._corpus.hashes_of(ref for refs in responses for ref in refs)
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

    def _score(self, one: AnalysedText, other: AnalysedText) -> float:
        if not are_candidates(one, other):
            return 0.0
        return link_score(one, other, self._reader.threshold)
