"""Terms of several texts in rows and columns, to search for what has two of any one text."""

import math
from collections import defaultdict
from collections.abc import Sequence


class ShingleGrid:
    """Terms of the shingles of texts, those of each text in cells of their own.

    Of any two cells the rows differ or the columns do. So a document that has two shingles of a
    text has some of two rows, or some of two columns.

    Args:
        most: Shingles of the text that has most.
    """

    def __init__(self, most: int) -> None:
        self._width = math.isqrt(max(most, 1) - 1) + 1
        self._size = self._width * math.ceil(most / self._width)
        self._cells: dict[str, int] = {}

    def add(self, terms: Sequence[str]) -> bool:
        """Add the shingles of a text; False where other texts have two of them in one cell."""
        taken = [self._cells[term] for term in terms if term in self._cells]
        if len(set(taken)) < len(taken):
            return False
        free = iter(sorted(set(range(self._size)).difference(taken)))
        self._cells.update((term, next(free)) for term in terms if term not in self._cells)
        return True

    @property
    def lines(self) -> list[list[list[str]]]:
        """The shingles of each row, and those of each column; nothing where there are none."""
        rows, columns = defaultdict(list), defaultdict(list)
        for term, cell in self._cells.items():
            row, column = divmod(cell, self._width)
            rows[row].append(term)
            columns[column].append(term)
        return [list(lines.values()) for lines in (rows, columns) if len(lines) > 1]
