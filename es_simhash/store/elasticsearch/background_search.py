"""The searches for the background of an index, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.semantics.background import Background
from es_simhash.store.background_entry import KIND, background_of
from es_simhash.store.config import IndexConfig
from es_simhash.store.state_entries import state_index_name


@dataclass(frozen=True)
class BackgroundLookup:
    """Looks up the background of an index in its state index.

    Attributes:
        index: The user's index, alias or data stream; of a pattern nothing is stored.
        config: Of the index.
    """

    index: str
    config: IndexConfig

    @property
    def state_index(self) -> str:
        """Name of the state index, which need not exist."""
        return state_index_name(self.index)

    def searches(self, fields: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the search for the background; none where no index can have one.

        Args:
            fields: What is read of it; None for all.
        """
        if any(sign in self.index for sign in "*,") or self.config.semantics is None:
            return []
        conditions = [{"term": {"kind": KIND}}, {"term": {"field": self.config.simhash_field}}]
        return [
            {
                "size": 1,
                "track_total_hits": False,
                "_source": True if fields is None else list(fields),
                "query": {"bool": {"filter": conditions}},
            }
        ]

    def name(self, responses: Sequence[Mapping[str, Any]]) -> str | None:
        """Return the name of the background; None without one."""
        entry = _entry(responses)
        return None if entry is None else entry.get("name")

    def read(self, responses: Sequence[Mapping[str, Any]]) -> Background | None:
        """Return the background; None without one.

        Raises:
            SchemeMismatch: It was counted with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        entry, semantics = _entry(responses), self.config.semantics
        if entry is None or semantics is None:
            return None
        return background_of(entry, self.index, semantics.name)


def _entry(responses: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    hits = [hit["_source"] for response in responses for hit in response["hits"]["hits"]]
    return hits[0] if hits else None
