"""What changed between two texts: from their units to everything that is shown of it."""

from es_simhash.differences.alignment import align_texts
from es_simhash.differences.model import Changes
from es_simhash.differences.steps import all_changes, moved_blocks
from es_simhash.differences.summary import summary_of
from es_simhash.differences.units import Units


def changes(a: str, b: str) -> Changes:
    """Return what changed from text A to text B.

    >>> str(changes("Pay within 16 days.", "Pay within 18 days.").key_changes[0].b.text)
    '18'

    Args:
        a: The older text.
        b: The newer text.

    Raises:
        InputError: A text has more than 16 MiB.
    """
    return changes_of(Units.of(a), Units.of(b))


def changes_of(a: Units, b: Units) -> Changes:
    """Return what changed between two texts whose units are known."""
    alignment = align_texts(a, b)
    steps = all_changes(alignment)
    moves = moved_blocks(alignment)
    return Changes(steps, moves, (), summary_of(alignment, steps))
