"""What a text has that another one, which stays in its place, has not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LostText:
    """What is lost of a text.

    Attributes:
        share: Share of its words that are in no run of four words of the other text, from 0 to 1.
        facts: Its numbers and names that stand nowhere in the other text, the first ten.
        stretches: What those words are, the longest stretches first, cut.
    """

    share: float
    facts: tuple[str, ...] = ()
    stretches: tuple[str, ...] = ()

    def is_within(self, lose: float) -> bool:
        """Check whether a share of the words may be lost, and with less than all no fact."""
        return lose >= 1 or (self.share <= lose and not self.facts)
