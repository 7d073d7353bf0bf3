"""Searches for semantic neighbours, unfiltered where all vectors of an index are comparable."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_searches import Responses, Searches
from es_simhash.store.intents import FindNear, Where
from es_simhash.store.rows import TextHits

# For as long, vectors that were written by another scheme may take the places of the nearest.
_KNOWN_SECONDS = 60.0


class NearSearches:
    """Builds the searches for semantic neighbours in one index.

    Once a minute a count is sent along with them, which tells whether all vectors of the index are
    of its semantic scheme.
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
            are_sent: False where the searches are only shown to the user.
        """
        is_uniform = self._is_uniform

        def candidates(where: Where) -> list[dict[str, Any]]:
            near = bodies(request, config, where, is_uniform=is_uniform)
            has_vectors = any("knn" in body for body in near)
            if not has_vectors or others is None or not self._is_due():
                return near
            if are_sent:
                # One count is enough for all requests that are sent together.
                self._asked_at = monotonic()
            return [*near, dict(others)]

        def answer(responses: Responses) -> TextHits:
            if len(responses) > 1:
                self._is_uniform = not responses[1]["hits"]["total"]["value"]
            return read(responses[:1], request, config)

        return Searches(candidates=candidates, read=answer, where=request.where, date=request.date)

    def _is_due(self) -> bool:
        return self._asked_at is None or monotonic() - self._asked_at >= _KNOWN_SECONDS
