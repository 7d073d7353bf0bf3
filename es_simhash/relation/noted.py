"""What a person noted about documents: which are no versions of each other, and which are."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from es_simhash.relation.joined import JoinedGroups

_Ids = tuple[str, str]


@dataclass(frozen=True)
class NotedOthers:
    """What a person noted about one document.

    Attributes:
        dismissed: Ids of documents that are no versions of it.
        joined: Ids of documents that were joined with it.
    """

    dismissed: Collection[str] = ()
    joined: Collection[str] = ()


NOTHING_NOTED = NotedOthers()


@dataclass(frozen=True)
class Noted:
    """What a person noted about documents.

    Attributes:
        dismissed: By the id of each, the ids of those it was dismissed with.
        joined: Groups of ids that were joined.
    """

    dismissed: Mapping[str, Collection[str]] = field(default_factory=dict)
    joined: JoinedGroups[str] = field(default_factory=JoinedGroups)

    @classmethod
    def of(cls, dismissed: Collection[_Ids], joined: Collection[_Ids]) -> "Noted":
        """Return what pairs of documents say."""
        others: dict[str, set[str]] = defaultdict(set)
        for id_a, id_b in dismissed:
            others[id_a].add(id_b)
            others[id_b].add(id_a)
        return cls(dict(others), JoinedGroups(joined))
