"""Which document represents a family, by its length or its date."""

from typing import Literal

Representative = Literal["longest", "newest", "oldest"]
Rank = int | tuple[bool, float]


def rank_of(rule: Representative, characters: int, date: float | None) -> Rank:
    """Return the rank of a document; the highest represents its family.

    Args:
        rule: The longest, the newest or the oldest represents.
        characters: Length of its text.
        date: Its date; documents without one come last, whatever the rule.
    """
    if rule == "longest":
        return characters
    if date is None:
        return False, 0
    return True, date if rule == "newest" else -date
