"""Searches for what is stored beside an index, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.store.config import IndexConfig
from es_simhash.store.state_entries import state_index_name


@dataclass(frozen=True)
class StateLookup:
    """Looks up entries of an index in its state index.

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

    @property
    def is_pattern(self) -> bool:
        """Whether the name stands for several indices, for which nothing is stored."""
        return any(sign in self.index for sign in "*,")

    def search(
        self,
        kinds: Sequence[str] | None,
        size: int,
        fields: Sequence[str] | None = None,
        *,
        of: Sequence[str],
    ) -> dict[str, Any]:
        """Return the body of a search for entries.

        Args:
            kinds: Their kinds; None for those of any kind.
            size: How many.
            fields: What is read of them; None for all.
            of: Fields of fingerprints that they are of.
        """
        conditions: list[dict[str, Any]] = [{"terms": {"field": sorted(set(of))}}]
        if kinds is not None:
            conditions.append({"terms": {"kind": list(kinds)}})
        return {
            "size": size,
            "track_total_hits": False,
            "_source": True if fields is None else list(fields),
            "query": {"bool": {"filter": conditions}},
        }


def entries_of(responses: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries that searches found."""
    return [hit["_source"] for response in responses for hit in response["hits"]["hits"]]
