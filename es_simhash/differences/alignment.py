"""An alignment of two texts: which units stayed in their place, and which were moved."""

from collections.abc import Iterator
from dataclasses import dataclass

from es_simhash.differences.anchors import Block, Moved
from es_simhash.differences.text_units import SectionKind, Units


@dataclass(frozen=True)
class Alignment:
    """The alignment of two texts, in units.

    Attributes:
        a: Units of the older text.
        b: Units of the newer text.
        kind: Kind of their sections.
        stayed: Blocks in the same order in both, ascending.
        moves: Blocks that were moved, by their place in A.
    """

    a: Units
    b: Units
    kind: SectionKind
    stayed: tuple[Block, ...]
    moves: tuple[Moved, ...]

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks: those that stayed, and those of the moved ones."""
        yield from self.stayed
        for move in self.moves:
            yield from move.blocks
