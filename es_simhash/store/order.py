"""The order in which relations are shown."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from es_simhash.relation.relation import KINDS, Relation

if TYPE_CHECKING:
    from es_simhash.relation.references import Key
    from es_simhash.store.dates import Date

Sort = Literal["score", "date", "-date"]
SORTS: tuple[Sort, ...] = get_args(Sort)

# The key by which relations are sorted.
Order = Callable[[Relation], tuple[Any, ...]]
Rank = Callable[[Relation], float]


def best_first(relation: Relation, rank: Rank | None = None) -> tuple[Any, ...]:
    """Return the key that sorts relations.

    What shares text by more than chance comes before what is near in meaning; then the higher rank,
    the closer kind, the one that shares less common text, and the id.

    Args:
        relation: The relation.
        rank: In place of its score; None for that.
    """
    value = relation.score if rank is None else rank(relation)
    follows, closer = not relation.leads, KINDS.index(relation.kind)
    return follows, -value, closer, relation.common or 0.0, str(relation.id)


def by_date(dates: "Mapping[Key, Date | None]", *, newest_first: bool) -> Order:
    """Return the order by dates; documents without one come last, those of one date by id.

    Scores do not count: they change when texts are aligned, and pages must not.

    Args:
        dates: Of the documents, by index and id.
        newest_first: Whether the newest comes first.
    """

    def order(relation: Relation) -> tuple[Any, ...]:
        date = dates.get((relation.index, relation.id))
        if date is None:
            return True, 0, str(relation.id)
        return False, -date if newest_first else date, str(relation.id)

    return order
