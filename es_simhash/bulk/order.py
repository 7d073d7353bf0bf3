"""Batches are sent at the same time; documents of one id are written in the order they came."""

import threading
from collections import deque
from collections.abc import Callable, Collection

from es_simhash.engine.retry import Stopped


class Turns:
    """Lets batches go in order, and holds one back while another has an id of it under way.

    Args:
        most: Batches under way at the same time.
    """

    def __init__(self, most: int) -> None:
        self._changed = threading.Condition()
        self._next = 0
        self._going: dict[int, frozenset[str]] = {}
        # What was looked up before may be out of date after the batches that were then under way.
        self._gone: deque[frozenset[str]] = deque(maxlen=most)
        self._stopped = False

    def wait_for(self, number: int) -> None:
        """Wait until all earlier batches go.

        Raises:
            Stopped: The run has ended.
        """
        self._wait(lambda: self._next == number)

    def written_lately(self, ids: Collection[str]) -> bool:
        """True when one of the ids was written since this batch was begun."""
        with self._changed:
            return not all(each.isdisjoint(ids) for each in [*self._gone, *self._going.values()])

    def go(self, number: int, ids: Collection[str]) -> None:
        """Wait until no batch under way has one of the ids; then the next batch has its turn.

        Raises:
            Stopped: The run has ended.
        """
        wanted = frozenset(ids)

        def take() -> bool:
            if all(each.isdisjoint(wanted) for each in self._going.values()):
                self._going[number] = wanted
                self._next = number + 1
                return True
            return False

        self._wait(take)

    def leave(self, number: int) -> None:
        """Tell that a batch is no longer under way."""
        with self._changed:
            self._gone.append(self._going.pop(number))
            self._changed.notify_all()

    def stop(self) -> None:
        """End all waiting."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or condition())
            if self._stopped:
                raise Stopped
            self._changed.notify_all()
