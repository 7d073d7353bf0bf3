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
    """Return the candidates that share most, the earliest written of equals, as the search does."""
    if len(candidates) <= MAX_CANDIDATES:
        return list(candidates)

    shared = shared_counts([query], [each.text for each in candidates])[0].tolist()

    def key(place: int) -> tuple[bool, int, bool, int]:
        candidate = candidates[place]
        same = candidate.text.content_hash == query.content_hash
        is_recent = candidate.ref.index is None
        return not same, -shared[place], is_recent, candidate.order

    return [candidates[place] for place in sorted(range(len(candidates)), key=key)[:MAX_CANDIDATES]]


# Documents after which the index is refreshed, and their shingles, by which long texts count for
# the memory they take.
MAX_RECENT, MAX_RECENT_SHINGLES = 2000, 500_000

_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True)
class RecentDocument:
    """A document; `original` is None when none may be a version of it, as it is one itself."""

    original: Original | None
    exists: bool
    epoch: int


class RecentDocuments:
    """Documents that were written since a refresh, which searches may not see yet.

    A search sees all that was written before the last refresh. So a document is forgotten by the
    next refresh, unless a batch is under way that was prepared before.

    Args:
        forgets: Whether the index is ever refreshed; not where nothing is written.
    """

    def __init__(self, *, forgets: bool = True) -> None:
        self._forgets = forgets
        self._epoch = 0
        # Those of this epoch, and their shingles.
        self._fresh, self._fresh_shingles = 0, 0
        # Since which epoch batches are under way.
        self._under_way: dict[int, int] = {}
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
        is_large = self._fresh > MAX_RECENT or self._fresh_shingles > MAX_RECENT_SHINGLES
        return self._forgets and is_large

    def keep_for(self, batch: object) -> None:
        """Remember what is written from now on until the batch is released; thread-safe.

        Call it before the first request for the batch.
        """
        self._under_way[id(batch)] = self._epoch

    def release(self, batch: object) -> None:
        """Forget that a batch is under way."""
        self._under_way.pop(id(batch), None)

    def exists(self, id: str) -> bool | None:
        """Check whether a document is there; None when it was not written lately."""
        document = self._documents.get(id)
        return None if document is None else document.exists

    def put(self, id: str, original: Original | None, *, exists: bool = True) -> None:
        """Take in a document in place of what was known of its id."""
        self._enter(id, RecentDocument(original, exists, self._epoch))

    def get(self, id: str) -> RecentDocument | None:
        """Return what is known of an id, for `restore`."""
        return self._documents.get(id)

    def restore(self, id: str, document: RecentDocument | None) -> None:
        """Undo what was put since `get`."""
        self.drop(id)
        if document is not None:
            self._enter(id, document)

    def _enter(self, id: str, document: RecentDocument) -> None:
        self.drop(id)
        self._documents[id] = document
        self._count(document, 1)
        if document.original is not None:
            text = document.original.text
            for shingle in text.shingles.tolist():
                _add(self._by_shingle, shingle, id)
            _add(self._by_hash, text.content_hash, id)

    def drop(self, id: str) -> None:
        """Forget a document."""
        document = self._documents.pop(id, None)
        if document is None:
            return
        self._count(document, -1)
        if document.original is not None:
            text = document.original.text
            for shingle in text.shingles.tolist():
                _discard(self._by_shingle, shingle, id)
            _discard(self._by_hash, text.content_hash, id)

    def _count(self, document: RecentDocument, times: int) -> None:
        if document.epoch == self._epoch:
            self._fresh += times
            if document.original is not None:
                self._fresh_shingles += times * len(document.original.text.shingles)

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
        """Begin an epoch; forget what all searches see, also those that were sent before."""
        self._epoch += 1
        self._fresh = self._fresh_shingles = 0
        oldest = min([self._epoch, *self._under_way.values()])
        for id in [id for id, entry in self._documents.items() if entry.epoch < oldest]:
            self.drop(id)


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
