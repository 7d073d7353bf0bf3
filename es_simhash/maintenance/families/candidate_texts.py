"""Candidates for versions of texts, by what an index stores of them: their own texts stay unread.

In a large index most candidates share two shingles by chance. Their sketches and chunks are enough
to leave them out, and to score those that are left.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import UnreadableParts
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.pairs.version_bounds import (
    TEXT,
    VersionBounds,
    compared_parts,
    least_shared_of,
    parts_of_columns,
)
from es_simhash.relation.candidate import ScoredText, StoredText
from es_simhash.relation.references import DocumentRef
from es_simhash.store.codec import PackedText, unpacked_columns
from es_simhash.store.own_texts import is_readable_text
from es_simhash.store.rows import Place, SharingText

# Bytes that a document takes: of what is compared first, with its place in Python's tables, and of
# its stored parts.
_COMPARED_BYTES, _STORED_BYTES = TEXT.itemsize + 400, 10_000

Text = TypeVar("Text", bound=ScoredText)
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


class CandidateTexts:
    """What an index stores of candidates; what was read stays in memory.

    Args:
        reader: Reads the index.
        memory: MiB that it may take.
    """

    def __init__(self, reader: FamilyReader, memory: int) -> None:
        self._reader = reader
        self._most = memory << 19
        self._stored: dict[Place, StoredText | None] = {}
        # Of each document its row in the parts that are compared; None where they cannot be read.
        self._rows: dict[Place, int | None] = {}
        self._compared = np.zeros(0, TEXT)

    def stored(self, places: Iterable[Place]) -> dict[Place, StoredText]:
        """Return what is stored of the texts of those documents at places that have a text."""
        wanted = list(dict.fromkeys(places))
        self._load([place for place in wanted if place not in self._stored])
        texts = {}
        for place in wanted:
            text = self._stored[place]
            if text is not None:
                texts[place] = text
        return texts

    def _load(self, places: Sequence[Place]) -> None:
        self._stored.update(dict.fromkeys(places))
        lacking: dict[DocumentRef, Place] = {}
        for place, row in self._reader.at(places):
            self._stored[place] = _readable(row.stored)
            if self._stored[place] is None:
                lacking[row.ref] = place
        # Where a part is missing or broken, the text itself has it.
        for read in self._reader.of_ids(sorted({ref.id for ref in lacking})):
            if read.is_current and read.document.ref in lacking:
                self._stored[lacking[read.document.ref]] = read.text

    def may_be_versions(
        self, texts: Sequence[StoredText], found: Sequence[Sequence[SharingText]]
    ) -> list[list[Place]]:
        """Return where those documents are, of those found for texts, that may be versions of them.

        Args:
            texts: The texts.
            found: For each of them, the documents that share shingles with it.
        """
        self._add(document for documents in found for document in documents)
        rows = [[self._rows[document.place] for document in documents] for documents in found]
        pairs = [
            (number, row, document.shared)
            for number, (some, documents) in enumerate(zip(rows, found, strict=True))
            for row, document in zip(some, documents, strict=True)
            if row is not None
        ]
        flags = iter(self._flags(texts, np.array(pairs, np.int64).reshape(-1, 3)).tolist())
        # What could not be compared may be equal.
        return [
            [
                document.place
                for row, document in zip(some, documents, strict=True)
                if row is None or next(flags)
            ]
            for some, documents in zip(rows, found, strict=True)
        ]

    def _flags(self, texts: Sequence[StoredText], pairs: Numbers) -> Flags:
        """Return which pairs may be versions.

        Args:
            texts: The texts.
            pairs: Number of a text, row of a document, and what they share, for each pair.
        """
        one, other, shared = pairs.T
        rows, other = np.unique(other, return_inverse=True)
        parts = np.concatenate((compared_parts(texts), self._compared[rows]))
        bounds = VersionBounds(parts, least_shared_of(parts), self._reader.threshold)
        return bounds.may_be_versions(one, len(texts) + other, shared)

    def _add(self, documents: Iterable[SharingText]) -> None:
        """Keep what is compared first of the documents that were not found before."""
        new = {each.place: each.text for each in documents if each.place not in self._rows}
        if not new:
            return
        parts = _parts([text for text in new.values() if text is not None])
        if parts is None:
            new = {place: _readable(text) for place, text in new.items()}
            parts = compared_parts(text for text in new.values() if text is not None)
        rows = iter(range(len(self._compared), len(self._compared) + len(parts)))
        self._rows.update(
            (place, None if text is None else next(rows)) for place, text in new.items()
        )
        self._compared = np.concatenate((self._compared, parts))

    def trim(self) -> None:
        """Forget documents where there are too many."""
        if len(self._stored) * _STORED_BYTES > self._most:
            self._stored.clear()
        if len(self._rows) * _COMPARED_BYTES > self._most:
            self._rows.clear()
            self._compared = np.zeros(0, TEXT)


def _parts(texts: Sequence[ScoredText]) -> NDArray[Any] | None:
    """Return what is compared first of texts; None where one of them cannot be read."""
    packed = [text for text in texts if isinstance(text, PackedText)]
    try:
        if len(packed) < len(texts):
            return compared_parts(texts)
        return parts_of_columns(unpacked_columns(packed))
    except UnreadableParts:
        return None


def _readable(text: Text | None) -> Text | None:
    """Return a text; None where a part is missing or cannot be read."""
    return text if text is not None and is_readable_text(text) else None
