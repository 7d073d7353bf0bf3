"""What a run wrote lately, which searches may not see yet."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeVar

from es_simhash.deduplication.candidates import Asked
from es_simhash.deduplication.decision import Known

# Documents after which the index is refreshed, and older ones are forgotten.
MOST = 2000
# Passages of them all, which tell what long texts take of the memory.
MAX_SHINGLES = 500_000

_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True)
class Entry:
    """A document; `known` is None when none may be a version of it, as it is one itself."""

    known: Known | None
    exists: bool
    epoch: int


class Recent:
    """Documents of the time since the last refresh but one.

    A search that was asked in an epoch sees all that was written before that epoch began.

    Attributes:
        epoch: How often the index was refreshed.
        passages: Passages of all documents.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self.shingles = 0
        self._entries: dict[str, Entry] = {}
        # Nearly all passages are those of one document, and a set for each would take the memory.
        self._by_shingle: dict[int, str | set[str]] = {}
        self._by_hash: dict[str, str | set[str]] = {}

    def __contains__(self, id: str) -> bool:
        return id in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def exists(self, id: str) -> bool | None:
        """Check whether a document is there; None when it was not written lately."""
        entry = self._entries.get(id)
        return None if entry is None else entry.exists

    def put(self, id: str, known: Known | None, *, exists: bool = True) -> None:
        """Take in a document in place of what was known of its id."""
        self.drop(id)
        self._entries[id] = Entry(known, exists, self.epoch)
        if known is not None:
            self.shingles += len(known.shingles)
            for passage in known.shingles.tolist():
                _add(self._by_shingle, passage, id)
            _add(self._by_hash, known.content_hash, id)

    def get(self, id: str) -> Entry | None:
        """Return the entry of an id, for `put_back`."""
        return self._entries.get(id)

    def put_back(self, id: str, entry: Entry | None) -> None:
        """Undo what was put since `get`."""
        self.drop(id)
        if entry is not None:
            self.put(id, entry.known, exists=entry.exists)
            self._entries[id] = entry

    def drop(self, id: str) -> None:
        """Forget a document."""
        entry = self._entries.pop(id, None)
        if entry is None or entry.known is None:
            return
        self.shingles -= len(entry.known.shingles)
        for passage in entry.known.shingles.tolist():
            _discard(self._by_shingle, passage, id)
        _discard(self._by_hash, entry.known.content_hash, id)

    def find(self, asked: Asked) -> Iterator[Known]:
        """Yield the documents that a search would bring if it saw them."""
        shared: Counter[str] = Counter()
        for passage in asked.shingles.tolist():
            shared.update(_all(self._by_shingle.get(passage)))
        ids = {id for id, count in shared.items() if count >= asked.least}
        ids.update(_all(self._by_hash.get(asked.content_hash)))
        for id in sorted(ids):
            known = self._entries[id].known
            assert known is not None
            yield known

    def refreshed(self) -> None:
        """Begin an epoch; forget what all searches see that are not outdated."""
        self.epoch += 1
        for id in [id for id, entry in self._entries.items() if entry.epoch < self.epoch - 1]:
            self.drop(id)

    def is_outdated(self, epoch: int) -> bool:
        """Check whether what a search of that epoch does not see was forgotten here."""
        return epoch < self.epoch - 1


def _all(ids: str | set[str] | None) -> Collection[str]:
    if ids is None:
        return ()
    return (ids,) if isinstance(ids, str) else ids


def _add(of: dict[_Key, str | set[str]], key: _Key, id: str) -> None:
    ids = of.setdefault(key, id)
    if isinstance(ids, set):
        ids.add(id)
    elif ids != id:
        of[key] = {ids, id}


def _discard(of: dict[_Key, str | set[str]], key: _Key, id: str) -> None:
    ids = of[key]
    if isinstance(ids, str):
        del of[key]
        return
    ids.discard(id)
    if len(ids) == 1:
        of[key] = ids.pop()
