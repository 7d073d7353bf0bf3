"""The searches for semantic neighbours, by what is known of the vectors of an index."""

from time import monotonic
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_searches import Responses, Searches
from es_simhash.store.elasticsearch.neighbours import near_bodies, other_vectors_body, read_near
from es_simhash.store.intents import FindNear, Where
from es_simhash.store.rows import TextHits

# So long, vectors that somebody wrote by another scheme may take places of the nearest.
_KNOWN_SECONDS = 60.0


class NearSearches:
    """Makes the searches for semantic neighbours in one index.

    Whether all its vectors are of its semantic scheme is asked once a minute, along with them.
    """

    def __init__(self) -> None:
        self._is_uniform = False
        self._asked_at: float | None = None

    def searches(self, request: FindNear, config: IndexConfig, *, are_sent: bool) -> Searches:
        """Return the searches of a request.

        Args:
            request: The request.
            config: Of the index.
            are_sent: Whether they are, and not only shown.
        """
        is_uniform = self._is_uniform

        def bodies(where: Where) -> list[dict[str, Any]]:
            near = near_bodies(request, config, where, is_uniform=is_uniform)
            return (
                [*near, other_vectors_body(config)] if near and are_sent and self._due() else near
            )

        def read(responses: Responses) -> TextHits:
            if len(responses) > 1:
                self._is_uniform = not responses[1]["hits"]["total"]["value"]
            return read_near(responses[:1], request, config)

        return Searches(candidates=bodies, read=read, where=request.where, date=request.date)

    def _due(self) -> bool:
        """Check whether to ask, which is so for one of the requests that are sent together."""
        now = monotonic()
        if self._asked_at is not None and now - self._asked_at < _KNOWN_SECONDS:
            return False
        self._asked_at = now
        return True
