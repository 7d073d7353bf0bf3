"""Answers that are kept, with the states of the documents that they show."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from es_simhash.service.operations import States
from es_simhash.service.responses import Body

# What an entry takes besides its body, at least; each document that it shows adds some.
_OVERHEAD, _OVERHEAD_OF_DOCUMENT = 1_000, 300
# How long after its time an answer still serves while the engine is away.
STALE_SECONDS = 3_600


@dataclass(frozen=True)
class CachedAnswer:
    """An answer.

    Attributes:
        body: As it is sent.
        states: States of all documents in it, by index and id.
    """

    body: Body
    states: States

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return _OVERHEAD + self.body.size + _OVERHEAD_OF_DOCUMENT * len(self.states)


class AnswerCache:
    """A cache of answers by everything they depend on; safe to use from several threads.

    Args:
        seconds: How long an answer is kept; 0 for none.
        max_bytes: How much is kept; the answer that was used longest ago goes first.
        clock: Seconds.
    """

    def __init__(
        self, seconds: float, max_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._clock = clock
        self._entries: OrderedDict[str, tuple[float, CachedAnswer]] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0

    @property
    def keeps(self) -> bool:
        """Whether anything is kept."""
        return self._seconds > 0

    def get(self, key: str, *, stale: bool = False) -> CachedAnswer | None:
        """Return an answer; None where there is none that is young enough.

        Args:
            key: What the answer depends on.
            stale: Whether one of the last hour will do.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            until, answer = entry
            now = self._clock()
            if now >= until + STALE_SECONDS:
                self._remove(key)
                return None
            if now >= until and not stale:
                return None
            self._entries.move_to_end(key)
            return answer

    def put(self, key: str, answer: CachedAnswer) -> None:
        """Keep an answer, in place of one that was kept before."""
        if not self.keeps:
            return
        with self._lock:
            self._remove(key)
            self._entries[key] = (self._clock() + self._seconds, answer)
            self.size += answer.size
            while self.size > self._max_bytes:
                self._remove(next(iter(self._entries)))

    def drop(self, key: str, answer: CachedAnswer | None = None) -> None:
        """Forget an answer.

        Args:
            key: What the answer depends on.
            answer: The answer, where another one that was kept meanwhile stays; None for any.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and (answer is None or entry[1] is answer):
                self._remove(key)

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry[1].size
