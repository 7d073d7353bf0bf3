"""When and how long a request is retried; one policy for all that a run sends."""

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

_logger = logging.getLogger(__name__)
# Too many requests; a proxy or a shard that is not there for now.
RETRYABLE = frozenset({429, 502, 503, 504})

Response = TypeVar("Response")


@dataclass(frozen=True)
class RetryPolicy:
    """How long requests to a cluster that is busy or unreachable are retried.

    Attributes:
        initial_delay: Seconds before the first retry; doubled each time.
        max_delay: Most seconds between two retries.
        max_elapsed: Seconds of waiting after which a request fails.
    """

    initial_delay: float = 0.5
    max_delay: float = 30.0
    max_elapsed: float = 300.0


class Stopped(Exception):
    """The run has ended; no request of it is retried."""


class Unavailable(Exception):
    """The cluster cannot take a request now; a retry may help."""


class Waiter:
    """Waits between retries; all requests of a run share one, so that they stop together."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End all waiting, now and later."""
        self._stopped.set()

    def wait(self, seconds: float) -> None:
        """Wait.

        Raises:
            Stopped: The run has ended.
        """
        if self._stopped.wait(seconds):
            raise Stopped

    def retry(
        self,
        attempt: Callable[[], Response],
        policy: RetryPolicy,
        failure: Callable[[Unavailable, float], Exception],
    ) -> Response:
        """Return the response of an attempt, retried while the cluster is unavailable.

        Args:
            attempt: Sends the request; raises `Unavailable` where a retry may help.
            policy: How long to retry.
            failure: Makes the error to raise in the end, of the last one and the seconds waited.

        Raises:
            Stopped: The run has ended.
        """
        waited, delay = 0.0, policy.initial_delay
        while True:
            try:
                return attempt()
            except Unavailable as error:
                reason = str(error)
                if waited >= policy.max_elapsed:
                    raise failure(error, waited) from error
            # Jitter, or all threads would come back at once.
            seconds = min(delay, policy.max_delay) * random.uniform(0.5, 1.0)
            _logger.info(
                "Retry in %.1f s, %.0f s waited so far: %s.",
                seconds,
                waited,
                reason,
                extra={"event": "retry", "seconds": round(seconds, 3), "waited": round(waited, 3)},
            )
            self.wait(seconds)
            waited, delay = waited + seconds, delay * 2
