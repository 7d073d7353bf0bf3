"""What new documents share with all others, found by searches, without reading the others."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.pairs.copy_candidates import MAX_UNITS, CommonShingles, TextPair, UnitCandidates
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument, why_left_out
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store.protocol import Progress, no_progress
from es_simhash.text.counting import counted

# A shingle that so many times as many documents have as the median one is common, as is one of
# more documents than units are compared: what few have, others have by chance.
_MEDIANS = 10
# What a new document takes in memory, with those it shares shingles with.
_NEW_BYTES = 20_000


class RecentCopies:
    """The new documents, and those that share shingles with them which few have.

    Args:
        reader: Reads the index.
        documents: The new documents.
        count: How many are new, with fingerprints or without.
        options: Of the search.
        progress: Called now and then.

    Attributes:
        new: The new documents, and why some of them are not compared.
        count: The same.
        options: The same.
    """

    def __init__(
        self,
        reader: CopyReader,
        documents: Iterable[CopyDocument],
        count: int,
        options: CopyOptions,
        progress: Progress | None = None,
    ) -> None:
        self._reader = reader
        self.options = options
        self._by_values = options.between is not None
        self._progress = progress or no_progress
        self._require_room(count)
        self.count = count
        self.new = ComparedDocuments(self._by_values)
        documents = list(documents)
        self.new.add(documents)
        self._new = {
            document.ref: document
            for document in documents
            if why_left_out(document, by_values=self._by_values) is None
        }
        self._known = dict(self._new)
        self._wide, self._counts = self._count_shingles()

    def _require_room(self, count: int) -> None:
        room = (self.options.memory << 20) // _NEW_BYTES
        if count > room:
            raise InputError(
                f"{counted(count, 'document is', 'documents are')} new, and about {room:,} fit in "
                "the memory that is allowed. Compare all documents without since, or "
                "allow more. Set memory.",
                parameter="memory",
            )

    def _count_shingles(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the shingles of new documents, and how many documents may have each.

        Documents may have another shingle of the same number: more than have it never less.
        """
        documents = [document for document in self._new.values() if document.numbers is not None]
        empty = np.zeros(0, np.uint32)
        wide = np.concatenate([empty, *(document.shingles for document in documents)])
        numbers = np.concatenate([empty, *(_numbers(document) for document in documents)])
        distinct, inverse = np.unique(numbers, return_inverse=True)
        counts = self._reader.shingle_counts(distinct)[inverse] if len(distinct) else inverse
        wide, places = np.unique(wide, return_index=True)
        return wide, counts[places]

    @property
    def _limit(self) -> int:
        median = float(np.median(self._counts)) if len(self._counts) else 0.0
        return max(MAX_UNITS, int(_MEDIANS * median))

    def pairs(self) -> tuple[list[TextPair], CommonShingles]:
        """Return the pairs of texts of which one is new, and the shingles that many have."""
        self._read_sharing()
        self._read_families()
        self._read_having()
        collection = ComparedDocuments(self._by_values)
        collection.add(self._known.values())
        common = self._wide[self._counts > self._limit]
        candidates = UnitCandidates(collection, self.options.boilerplate, common)
        pairs: list[TextPair] = []
        for units in candidates.pairs(new=self._new):
            if self.options.all_pairs:
                pairs += units.all()
            elif (best := units.best()) is not None:
                pairs.append(best)
        pairs.sort(key=lambda pair: (pair.one.first.ref, pair.other.first.ref))
        return pairs, candidates.common

    def _counts_of(self, document: CopyDocument) -> NDArray[np.int64]:
        return self._counts[np.searchsorted(self._wide, document.shingles)]

    def _read_sharing(self) -> None:
        """Read the documents that share enough with a new one."""
        texts = {document.content_hash: document for document in self._new.values()}
        for done, document in enumerate(texts.values(), 1):
            counts = self._counts_of(document)
            is_rare = (counts > 1) & (counts <= self._limit)
            least = least_shared(len(document.shingles))
            if int(is_rare.sum()) >= least:
                found = self._reader.sharing(_numbers(document)[is_rare], least)
                others = self._unknown(version.ref for version in found)
                rare = document.shingles[is_rare]
                self._add(others, rare, least)
            self._progress("new texts", done, len(texts))

    def _unknown(self, refs: Iterable[DocumentRef]) -> list[str]:
        return sorted({ref.id for ref in refs if ref not in self._known})

    def _add(self, ids: Sequence[str], shingles: NDArray[np.uint32], least: int) -> None:
        """Read documents, and keep those that have so many of some shingles."""
        for document in self._reader.of_ids(ids):
            if len(np.intersect1d(document.shingles, shingles, assume_unique=True)) >= least:
                self._known[document.ref] = document

    def _read_families(self) -> None:
        """Read all documents of the families of those that were read: versions of both sides."""
        names = sorted({document.family for document in self._known.values() if document.family})
        for document in self._reader.of_families(names):
            self._known.setdefault(document.ref, document)

    def _read_having(self) -> None:
        """Read the documents that have shingles of which it is unsure whether many have them."""
        is_unsure = (self._counts >= self.options.boilerplate) & (self._counts <= self._limit)
        unsure = self._wide[is_unsure]
        held = [
            np.intersect1d(document.shingles, unsure, assume_unique=True)
            for document in self._known.values()
        ]
        shingles, counts = np.unique(
            np.concatenate([np.zeros(0, np.uint32), *held]), return_counts=True
        )
        shared = shingles[counts > 1]
        numbers = {
            int(wide): int(number)
            for document in self._new.values()
            for wide, number in zip(document.shingles, _numbers(document), strict=True)
        }
        wanted = np.unique(np.array([numbers[wide] for wide in shared.tolist()], np.uint32))
        if len(wanted):
            found = self._reader.sharing(wanted, 1)
            self._add(self._unknown(version.ref for version in found), shared, 1)


def _numbers(document: CopyDocument) -> NDArray[np.uint32]:
    return np.zeros(0, np.uint32) if document.numbers is None else document.numbers
