"""Queries for documents that share shingles with texts."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store import fields
from es_simhash.store.codec import shingle_terms
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import Filter, Sharing

# The same text counts more than whatever else is shared.
SAME_TEXT_BOOST = 1000
_NONE = np.zeros(0, np.uint32)


def shingle_clauses(
    simhash_field: str, queried: NDArray[np.uint32], shingles: int, *, named: bool = False
) -> dict[str, Any]:
    """Return the members of a `bool` query for documents that share enough shingles with a text.

    A term's own score is its rarity in the index, so the best hits share rare shingles.

    Args:
        simhash_field: Field of the `simhash` object.
        queried: Shingles of the text that are queried.
        shingles: How many the text has.
        named: Whether each clause is named by the position of its shingle.
    """
    path = fields.field_path(simhash_field, fields.SHINGLES)
    terms: list[Any] = shingle_terms(queried)
    if named:
        terms = [{"value": term, "_name": str(number)} for number, term in enumerate(terms)]
    return {
        "should": [{"term": {path: term}} for term in terms],
        "minimum_should_match": least_shared(shingles),
    }


def shares(sharing: Sharing, config: IndexConfig) -> Iterator[Filter]:
    """Yield the clauses of which one matches the documents that share enough with a text."""
    path = config.path(fields.SHINGLES)
    terms: list[Filter] = [{"term": {path: term}} for term in shingle_terms(sharing.shingles)]
    if not sharing.by_rarity:
        terms = [{"constant_score": {"filter": term, "boost": 1}} for term in terms]
    yield {"bool": {"should": terms, "minimum_should_match": sharing.least}}
    if sharing.content_hash is not None:
        same = {"term": {config.path(fields.CONTENT_HASH): sharing.content_hash}}
        yield {"constant_score": {"filter": same, "boost": SAME_TEXT_BOOST}}


def shares_with_any(texts: Sequence[Sharing], config: IndexConfig) -> Filter:
    """Return the filter for documents that share enough with one of some texts.

    It has a tenth of the clauses of one for each shingle, and most of what those cost the engine
    is spent on each, whether a document has it or not; a set of terms costs little more than one.
    It also matches some documents that share with several texts what would be enough of one.
    """
    grid, single = _Grid(max((len(text.shingles) for text in texts), default=0)), []
    clauses: list[Filter] = []
    for text, terms in zip(texts, _terms_of_each(texts), strict=True):
        if text.least == 1:
            single += terms
        elif text.least > 2 or not grid.add(terms):
            clauses += shares(text, config)
    hashes = [text.content_hash for text in texts if text.content_hash is not None]
    path = config.path(fields.SHINGLES)
    clauses += (
        {"bool": {"should": [_any_of(path, some) for some in lines], "minimum_should_match": 2}}
        for lines in grid.lines
    )
    clauses += (
        _any_of(field, terms)
        for field, terms in ((path, single), (config.path(fields.CONTENT_HASH), hashes))
        if terms
    )
    return {"bool": {"should": clauses or [{"match_none": {}}]}}


def _terms_of_each(texts: Sequence[Sharing]) -> Iterator[list[str]]:
    terms = iter(shingle_terms(np.concatenate([_NONE, *(text.shingles for text in texts)])))
    for text in texts:
        yield list(islice(terms, len(text.shingles)))


def _any_of(path: str, terms: Sequence[str]) -> Filter:
    return {"terms": {path: terms}}


class _Grid:
    """Shingles of texts, those of each text in cells of their own.

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
