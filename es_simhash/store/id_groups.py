"""Ids by which documents are asked for: several documents may have one."""

from collections.abc import Sequence
from typing import NamedTuple

# Documents of one answer at the most, as engines have it.
MAX_DOCUMENTS = 10_000
_MAX_IDS = MAX_DOCUMENTS // 2


class IdGroup(NamedTuple):
    """Ids that are asked for together.

    Attributes:
        ids: The ids.
        size: How many documents are asked for.
    """

    ids: tuple[str, ...]
    size: int

    @property
    def wider(self) -> "list[IdGroup]":
        """What to ask for instead when as many documents were found, so that there may be more.

        First for as many as possible, then for half of the ids each; of one id there are no halves.
        """
        if self.size < MAX_DOCUMENTS:
            return [IdGroup(self.ids, MAX_DOCUMENTS)]
        middle = len(self.ids) // 2
        halves = self.ids[:middle], self.ids[middle:]
        return [IdGroup(half, MAX_DOCUMENTS) for half in halves] if middle else []


def id_groups(ids: Sequence[str]) -> list[IdGroup]:
    """Return ids as they are asked for first, each once.

    An id may be in several shards, and in each index behind a name, which mostly are two at the
    most: one more document is asked for than these have.

    Args:
        ids: The ids.
    """
    unique = tuple(dict.fromkeys(ids))
    groups = (unique[start : start + _MAX_IDS] for start in range(0, len(unique), _MAX_IDS))
    return [IdGroup(group, min(2 * len(group) + 1, MAX_DOCUMENTS)) for group in groups]
