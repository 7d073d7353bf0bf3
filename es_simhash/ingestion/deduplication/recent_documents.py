"""Candidates for the originals of a document: in the index, and among what a run wrote lately."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from es_simhash.ingestion.deduplication.shingle_query import ShingleQuery, shared_counts
from es_simhash.ingestion.deduplication.version_decisions import Original

# Candidates that are scored, those that share most first.
MAX_CANDIDATES = 20


def most_shared(query: ShingleQuery, candidates: Sequence[Original]) -> list[Original]:
    """Cut candidates as the search cuts them: by what is shared, then what was written first."""
    if len(candidates) <= MAX_CANDIDATES:
        return list(candidates)

    shared = shared_counts([query], [each.text for each in candidates])[0].tolist()

    def key(place: int) -> tuple[bool, int, bool, int]:
        candidate = candidates[place]
        same = candidate.text.content_hash == query.content_hash
        is_recent = candidate.ref.index is None
        return not same, -shared[place], is_recent, candidate.order

    return [candidates[place] for place in sorted(range(len(candidates)), key=key)[:MAX_CANDIDATES]]


# Documents after which the index is refreshed, and older ones are forgotten.
MAX_RECENT = 2000
# Shingles of them all, by which long texts count for the memory they take.
MAX_RECENT_SHINGLES = 500_000

_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True)
class RecentDocument:
    """A document; `original` is None when none may be a version of it, as it is one itself."""

    original: Original | None
    exists: bool
    epoch: int


class RecentDocuments:
    """Documents of the time since the last refresh but one, which searches may not see yet.

    A search that was sent in an epoch sees all that was written before that epoch began.

    Args:
        forgets: Whether the index is ever refreshed; not where nothing is written.

    Attributes:
        epoch: How often the index was refreshed.
        shingles: Number of the shingles of all documents.
    """

    def __init__(self, *, forgets: bool = True) -> None:
        self._forgets = forgets
        self.epoch = 0
        self.shingles = 0
        self._documents: dict[str, RecentDocument] = {}
        # Nearly all shingles are those of one document, and a set for each would take the memory.
        self._by_shingle: dict[int, str | set[str]] = {}
        self._by_hash: dict[str, str | set[str]] = {}

    def __contains__(self, id: str) -> bool:
        return id in self._documents

    def __len__(self) -> int:
        return len(self._documents)

    @property
    def is_full(self) -> bool:
        """True when it is time to refresh the index."""
        is_large = len(self) > MAX_RECENT or self.shingles > MAX_RECENT_SHINGLES
        return self._forgets and is_large

    def exists(self, id: str) -> bool | None:
        """Check whether a document is there; None when it was not written lately."""
        document = self._documents.get(id)
        return None if document is None else document.exists

    def put(self, id: str, original: Original | None, *, exists: bool = True) -> None:
        """Take in a document in place of what was known of its id."""
        self.drop(id)
        self._documents[id] = RecentDocument(original, exists, self.epoch)
        if original is not None:
            self.shingles += len(original.text.shingles)
            for shingle in original.text.shingles.tolist():
                _add(self._by_shingle, shingle, id)
            _add(self._by_hash, original.text.content_hash, id)

    def get(self, id: str) -> RecentDocument | None:
        """Return what is known of an id, for `restore`."""
        return self._documents.get(id)

    def restore(self, id: str, document: RecentDocument | None) -> None:
        """Undo what was put since `get`."""
        self.drop(id)
        if document is not None:
            self.put(id, document.original, exists=document.exists)
            self._documents[id] = document

    def drop(self, id: str) -> None:
        """Forget a document."""
        document = self._documents.pop(id, None)
        if document is None or document.original is None:
            return
        text = document.original.text
        self.shingles -= len(text.shingles)
        for shingle in text.shingles.tolist():
            _discard(self._by_shingle, shingle, id)
        _discard(self._by_hash, text.content_hash, id)

    def search(self, query: ShingleQuery) -> Iterator[Original]:
        """Yield the documents that a search would return if it saw them."""
        shared: Counter[str] = Counter()
        for shingle in query.shingles.tolist():
            shared.update(_ids(self._by_shingle.get(shingle)))
        ids = {id for id, count in shared.items() if count >= query.min_shared}
        ids.update(_ids(self._by_hash.get(query.content_hash)))
        for id in sorted(ids):
            original = self._documents[id].original
            assert original is not None
            yield original

    def originals(self, ids: Iterable[str]) -> Iterator[Original]:
        """Yield those of some documents that others may be versions of."""
        for id in sorted(ids):
            document = self._documents.get(id)
            if document is not None and document.original is not None:
                yield document.original

    def refreshed(self) -> None:
        """Begin an epoch; forget what all searches see that are not outdated."""
        self.epoch += 1
        oldest = self.epoch - 1
        for id in [id for id, entry in self._documents.items() if entry.epoch < oldest]:
            self.drop(id)

    def is_outdated(self, epoch: int) -> bool:
        """Check whether what a search of that epoch does not see was forgotten here."""
        return epoch < self.epoch - 1


def _ids(ids: str | set[str] | None) -> Collection[str]:
    if ids is None:
        return ()
    return (ids,) if isinstance(ids, str) else ids


def _add(index: dict[_Key, str | set[str]], key: _Key, id: str) -> None:
    ids = index.setdefault(key, id)
    if isinstance(ids, set):
        ids.add(id)
    elif ids != id:
        index[key] = {ids, id}


def _discard(index: dict[_Key, str | set[str]], key: _Key, id: str) -> None:
    ids = index[key]
    if isinstance(ids, str):
        del index[key]
        return
    ids.discard(id)
    if len(ids) == 1:
        index[key] = ids.pop()
