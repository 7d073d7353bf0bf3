"""The searches for semantic neighbours, by what is known of the vectors of an index."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_searches import Responses, Searches
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

    def searches(
        self,
        request: FindNear,
        config: IndexConfig,
        bodies: Callable[..., list[dict[str, Any]]],
        read: Callable[..., TextHits],
        others: Mapping[str, Any] | None,
        *,
        are_sent: bool,
    ) -> Searches:
        """Return the searches of a request.

        Args:
            request: The request.
            config: Of the index.
            bodies: As `neighbours.near_bodies`.
            read: As `neighbours.read_near`.
            others: As `neighbours.other_vectors_body` makes it.
            are_sent: Whether they are sent, and not only shown.
        """
        is_uniform = self._is_uniform

        def candidates(where: Where) -> list[dict[str, Any]]:
            near = bodies(request, config, where, is_uniform=is_uniform)
            has_vectors = any("knn" in body for body in near)
            if not has_vectors or others is None or not self._is_due():
                return near
            if are_sent:
                # One of the requests that are sent together asks.
                self._asked_at = monotonic()
            return [*near, dict(others)]

        def answer(responses: Responses) -> TextHits:
            if len(responses) > 1:
                self._is_uniform = not responses[1]["hits"]["total"]["value"]
            return read(responses[:1], request, config)

        return Searches(candidates=candidates, read=answer, where=request.where, date=request.date)

    def _is_due(self) -> bool:
        return self._asked_at is None or monotonic() - self._asked_at >= _KNOWN_SECONDS
