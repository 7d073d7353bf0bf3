"""What changed between two texts: from their units to everything that is shown of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from es_simhash.differences.alignment import align_texts
from es_simhash.differences.facts import Fact, Facts, names_of
from es_simhash.differences.key_changes import is_short, key_changes
from es_simhash.differences.model import Changes
from es_simhash.differences.steps import all_changes, moved_blocks
from es_simhash.differences.summary import summary_of
from es_simhash.differences.units import Units, Vocabulary
from es_simhash.relation.model import Span
from es_simhash.text.limits import require_text_size


@dataclass(frozen=True)
class ReadText:
    """A text that is compared with others; each part is computed when it is first needed.

    Attributes:
        text: The text.
        vocabulary: Numbers of its units, which it may share with other texts; the comparison of two
            that share it takes less time.
    """

    text: str
    vocabulary: Vocabulary = field(default_factory=Vocabulary, repr=False, compare=False)

    @cached_property
    def units(self) -> Units:
        """Its words and marks.

        Raises:
            InputError: It has more than 16 MiB.
        """
        return Units.of(require_text_size(self.text), self.vocabulary)

    @cached_property
    def names(self) -> list[Fact]:
        """Its names."""
        return names_of(self.text)

    def facts(self, near: Iterable[Span]) -> Facts:
        """Return its names, and its numbers and dates near some stretches."""
        return Facts.of(self.text, self.names, sorted((span.start, span.end) for span in near))


def changes(a: str, b: str) -> Changes:
    """Return what changed from text A to text B.

    >>> changes("Pay within 16 days.", "Pay within 18 days.").key_changes[0].b.text
    '18'

    Args:
        a: The older text.
        b: The newer text.

    Raises:
        InputError: A text has more than 16 MiB.
    """
    vocabulary = Vocabulary()
    return changes_of(ReadText(a, vocabulary), ReadText(b, vocabulary))


def changes_of(a: ReadText, b: ReadText) -> Changes:
    """Return what changed between two texts, of which parts may be known already."""
    alignment = align_texts(a.units, b.units)
    steps = all_changes(alignment)
    found = Changes(steps, moved_blocks(alignment), (), summary_of(alignment, steps))
    short = [edit for edit in found.edits if is_short(edit)]
    if not short:
        return found
    ours, theirs = a.facts(edit.a for edit in short), b.facts(edit.b for edit in short)
    return replace(found, key_changes=key_changes(short, ours, theirs))
