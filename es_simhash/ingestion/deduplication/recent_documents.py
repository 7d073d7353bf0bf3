"""Candidates for the originals of a document: in the index, and among what a run wrote lately."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.ingestion.deduplication.version_decisions import Original
from es_simhash.relation.thresholds import INGEST_SHINGLES, LEAST_SHARED
from es_simhash.store.intents import Sharing

# Candidates that are scored, those that share most first.
MAX_CANDIDATES = 20
_HIGHEST_LEVEL = 3


@dataclass(frozen=True)
class ShingleQuery:
    """What a document is queried by, in the index and in memory.

    Attributes:
        content_hash: Hash of its text.
        shingles: Some of its shingles, ascending.
        min_shared: How many of them a candidate must have, when its text is not the same.
    """

    content_hash: str
    shingles: NDArray[np.uint32]
    min_shared: int

    @classmethod
    def of(cls, fingerprints: TextFingerprints) -> "ShingleQuery":
        """Choose the shingles: those that a text of twice the length has picked as well.

        Among these the ones with the smallest numbers, so that versions choose alike.
        """
        levels = fingerprints.levels
        own = int(levels.min(initial=_HIGHEST_LEVEL))
        wide = np.minimum(levels, min(own + 1, _HIGHEST_LEVEL)).astype(np.int64)
        order = np.lexsort((fingerprints.shingles, -wide))[:INGEST_SHINGLES]
        chosen = np.sort(fingerprints.shingles[order])
        min_shared = LEAST_SHARED if len(chosen) > LEAST_SHARED else 1
        return cls(fingerprints.content_hash, chosen, min_shared)

    @property
    def sharing(self) -> Sharing:
        """The search for it; each shingle counts the same."""
        return Sharing(self.shingles, self.min_shared, self.content_hash, by_rarity=False)

    def matches(self, candidate: Original) -> bool:
        """Check whether a search for it returns a candidate."""
        if self.content_hash == candidate.text.content_hash:
            return True
        return self.shared(candidate) >= self.min_shared

    def shared(self, candidate: Original) -> int:
        """Count the queried shingles that a candidate has."""
        return int(np.isin(self.shingles, candidate.text.shingles, assume_unique=True).sum())

    def most_shared(self, candidates: Sequence[Original]) -> list[Original]:
        """Cut as the search cuts: by what is shared, then what was written first."""
        if len(candidates) <= MAX_CANDIDATES:
            return list(candidates)

        def key(candidate: Original) -> tuple[bool, int, bool, int]:
            same = candidate.text.content_hash == self.content_hash
            is_recent = candidate.ref.index is None
            return not same, -self.shared(candidate), is_recent, candidate.order

        return sorted(candidates, key=key)[:MAX_CANDIDATES]


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
