"""Groups of ids for searches by id, whose answers are limited: several documents may share one."""

from collections.abc import Sequence
from typing import NamedTuple

# Documents of one answer at the most, as engines have it.
MAX_DOCUMENTS = 10_000
_MAX_IDS = MAX_DOCUMENTS // 2


class IdGroup(NamedTuple):
    """Ids of one search.

    Attributes:
        ids: The ids.
        size: How many documents it may return.
    """

    ids: tuple[str, ...]
    size: int

    @property
    def wider(self) -> "list[IdGroup]":
        """The searches to send instead when that many were found, as there may be more.

        First one for as many as possible, then one for each half of the ids; a single id has none.
        """
        if self.size < MAX_DOCUMENTS:
            return [IdGroup(self.ids, MAX_DOCUMENTS)]
        middle = len(self.ids) // 2
        halves = self.ids[:middle], self.ids[middle:]
        return [IdGroup(half, MAX_DOCUMENTS) for half in halves] if middle else []


def id_groups(ids: Sequence[str]) -> list[IdGroup]:
    """Return the searches to begin with, in which each id occurs once.

    An id may be in several shards, and in each index behind a name. Mostly that makes two documents
    an id: one more than these is allowed for, which shows that there are others.

    Args:
        ids: The ids.
    """
    unique = tuple(dict.fromkeys(ids))
    groups = (unique[start : start + _MAX_IDS] for start in range(0, len(unique), _MAX_IDS))
    return [IdGroup(group, min(2 * len(group) + 1, MAX_DOCUMENTS)) for group in groups]
