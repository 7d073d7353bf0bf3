"""Finding the links of texts in an index, and all that hangs together with them."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence

from es_simhash.families.partition import Pair, pair
from es_simhash.families.postings import Postings
from es_simhash.families.snapshot import CANDIDATES, Key, Read, Snapshot, Stored
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.version_score import SHARED, are_candidates, link_score

# Texts asked for in one request.
_BATCH = 50
# Texts kept in memory; others are read again when they are needed.
_MOST_CONTENTS = 50_000
# After so many answers of a text, its other candidates are left: they share least.
_MOST_ANSWERS = 20
_MOST_TEXTS = _MOST_ANSWERS * CANDIDATES

Progress = Callable[[int, int], None]


class Library:
    """The documents a run knows, and their texts while there is room.

    Attributes:
        documents: All documents seen, by their place.
        copies: Documents of each text, by its hash.
        characters: Length of each text, by its hash.
        empty: Documents without words.
        left: Documents whose text is missing, or is not the one that was fingerprinted.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._postings: Postings | None = None
        self._contents: OrderedDict[str, AnalysedText] = OrderedDict()
        self.documents: dict[Key, Stored] = {}
        self.copies: dict[str, list[Key]] = defaultdict(list)
        self.characters: dict[str, int] = {}
        self.empty: list[Key] = []
        self.left: set[Key] = set()

    def add(self, reads: Iterable[Read]) -> list[str]:
        """Take in documents; give the hashes of their texts."""
        hashes = []
        for read in reads:
            stored = read.stored
            if read.is_current and read.content is not None:
                self._keep(read.content)
                hashes.append(stored.content_hash)
            if stored.key in self.documents:
                continue
            self.documents[stored.key] = stored
            if not read.is_current:
                self.left.add(stored.key)
            elif read.content is None:
                self.empty.append(stored.key)
            else:
                self.copies[stored.content_hash].append(stored.key)
        return hashes

    def add_all(self) -> tuple[list[str], Postings]:
        """Take in all documents; give the hashes of their texts, and who has which passages."""
        self._postings = Postings()
        try:
            return self.add(self._snapshot.all()), self._postings
        finally:
            self._postings = None

    def complete(self, hashes: Sequence[str]) -> None:
        """Make sure that all documents of these texts are known."""
        self.add(self._snapshot.of_contents(hashes))

    def find(self, keys: Iterable[Key]) -> dict[Key, str]:
        """Return the hash of the text of each of these documents that has a current text."""
        wanted = list(dict.fromkeys(keys))
        ids = sorted({key.id for key in wanted if key not in self.documents})
        self.add(self._snapshot.of_ids(ids))
        known = {key: self.documents.get(key) for key in wanted}
        return {
            key: stored.content_hash
            for key, stored in known.items()
            if stored is not None and key not in self.left
        }

    def need(self, hashes: Iterable[str]) -> None:
        """Read the texts of these that are not in memory, so that `content` is quick."""
        missing = [each for each in dict.fromkeys(hashes) if each not in self._contents]
        self.add(self._snapshot.of_ids([self.copies[each][0].id for each in missing]))

    def content(self, content_hash: str) -> AnalysedText:
        """Return a text."""
        if content_hash not in self._contents:
            self.need([content_hash])
        return self._contents[content_hash]

    def _keep(self, content: AnalysedText) -> None:
        if self._postings is not None:
            if content.content_hash not in self._postings:
                self._postings.add(content.content_hash, content.queried_shingles)
            # Texts are looked at in another order than they are read.
            self.trim()
        self.characters[content.content_hash] = content.characters
        self._contents[content.content_hash] = content
        self._contents.move_to_end(content.content_hash)

    def trim(self) -> None:
        """Forget the texts that were not needed for longest."""
        while len(self._contents) > _MOST_CONTENTS:
            self._contents.popitem(last=False)


class Links:
    """The links of all texts that were asked for.

    Args:
        library: The documents a run knows.
        snapshot: The index.
        postings: Of all texts of the index, when they are known; else the index is searched.

    Attributes:
        neighbours: Of each text, those it is linked with.
        scores: Of the pairs of texts that are linked.
        truncated: Texts with more candidates than were examined.
    """

    def __init__(
        self, library: Library, snapshot: Snapshot, postings: Postings | None = None
    ) -> None:
        self._library = library
        self._snapshot = snapshot
        self._postings = postings
        self._asked: set[str] = set()
        self.neighbours: dict[str, list[str]] = defaultdict(list)
        self.scores: dict[Pair[str], float] = {}
        self.truncated: set[str] = set()

    @property
    def asked(self) -> set[str]:
        """Hashes of the texts that were asked for."""
        return self._asked

    def explore(
        self, seeds: Iterable[str], dismissed: set[Pair[str]], progress: Progress | None = None
    ) -> None:
        """Ask for texts, for those they are linked with, and so on to the end."""
        known = set(seeds) | self._asked
        waiting = deque(sorted(known - self._asked))
        while waiting:
            batch = [waiting.popleft() for _ in range(min(_BATCH, len(waiting)))]
            self._asked.update(batch)
            new = sorted(self._ask(batch, dismissed) - known)
            self._library.complete(new)
            known.update(new)
            waiting.extend(new)
            self._library.trim()
            if progress is not None:
                progress(len(self._asked), len(self._asked) + len(waiting))

    def _ask(self, batch: list[str], dismissed: set[Pair[str]]) -> set[str]:
        reached: set[str] = set()
        for one, others in self._candidates(batch).items():
            for other in sorted(others):
                if self._is_judged(one, other, batch) or pair(one, other) in dismissed:
                    continue
                score = _link_score(self._library.content(one), self._library.content(other))
                if score > 0:
                    self.scores[pair(one, other)] = score
                    self.neighbours[one].append(other)
                    self.neighbours[other].append(one)
                    reached.add(other)
        return reached

    def _is_judged(self, one: str, other: str, batch: Sequence[str]) -> bool:
        """Check whether the other was asked for before, and found this one if they are linked."""
        if other in self.neighbours.get(one, ()):
            return True
        if other in self.truncated or other not in self._asked:
            return False
        return other not in batch or (other < one and one not in self.truncated)

    def _candidates(self, batch: list[str]) -> dict[str, set[str]]:
        """Return the hashes of the texts that share passages with each text, and read them."""
        found = self._searched(batch) if self._postings is None else self._looked_up(batch)
        self._library.need(one for one, others in found.items() if others)
        self._library.need(
            other for one, others in found.items() for other in others if other not in self._asked
        )
        return found

    def _looked_up(self, batch: list[str]) -> dict[str, set[str]]:
        assert self._postings is not None
        found = {}
        for each in batch:
            others, more = self._postings.sharing(each, SHARED, _MOST_TEXTS)
            found[each] = set(others)
            if more:
                self.truncated.add(each)
        return found

    def _searched(self, batch: list[str]) -> dict[str, set[str]]:
        """Ask the index.

        Answers hold a limited number of documents. Of a text whose answer is full, the texts that
        were seen are left out of the next one, so that many copies of one hide no other.
        """
        self._library.need(batch)
        contents = {each: self._library.content(each) for each in batch}
        found: dict[str, set[str]] = {each: set() for each in batch}
        options = batch
        for _ in range(_MOST_ANSWERS):
            without = {each: sorted(found[each]) for each in options}
            answers = self._snapshot.candidates([contents[each] for each in options], without)
            hashes = self._library.find(key for keys in answers for key in keys)
            full = []
            for each, keys in zip(options, answers, strict=True):
                new = {hashes[key] for key in keys if key in hashes} - {each}
                grows = bool(new - found[each])
                found[each] |= new
                if len(keys) == CANDIDATES and grows:
                    full.append(each)
            options = full
            if not options:
                break
        self.truncated.update(options)
        return found


def _link_score(one: AnalysedText, other: AnalysedText) -> float:
    return link_score(one, other) if are_candidates(one, other) else 0.0
