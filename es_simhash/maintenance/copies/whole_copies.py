"""A search for copies over all documents: read, grouped and compared on disk."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.maintenance.copies.copy_files import (
    UNIT_SHINGLES,
    CopyFiles,
    Key,
    StoredLists,
    StoredUnit,
)
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.pairs.boilerplate import HavingTexts, Places, places_of
from es_simhash.pairs.copy_candidates import (
    CommonCounter,
    CommonShingles,
    TextPair,
    UnitPair,
    is_in,
)
from es_simhash.pairs.copy_units import CopyDocument, unit_key, units_of
from es_simhash.pairs.postings import Shingles
from es_simhash.pairs.spilled_postings import SpilledPostings
from es_simhash.relation.references import DocumentRef
from es_simhash.store.protocol import Progress, no_progress
from es_simhash.store.rows import batches_of
from es_simhash.text.counting import counted, plural

# Documents that are stored together, keys whose units are made together, and texts whose common
# shingles are looked up together.
_DOCUMENTS, _KEYS, _TEXTS = 1_000, 200, 5_000
# All others that share enough are compared.
_ALL = 1 << 62
# What a document without its shingles takes in Python, and each of the shingles while chains of
# documents are made.
_DOCUMENT_BYTES, _SHINGLE_BYTES = 1_500, 150

# Numbers of a text of a unit, of the unit, and of its shingles; how many documents have it.
_Text = tuple[int, int, int, int]
_Groups = dict[tuple[tuple[str, ...], str], dict[str, list[CopyDocument]]]


class WholeCopies:
    """A search over all documents, which goes on where one that was killed has stopped.

    Args:
        files: What it has so far.
        options: Of the search.
        progress: Called now and then.
    """

    def __init__(
        self, files: CopyFiles, options: CopyOptions, progress: Progress | None = None
    ) -> None:
        self.files = files
        self._by_values = options.between is not None
        self._options = options
        self._progress = progress or no_progress
        self._memory = options.memory << 20

    def read(self, reader: CopyReader) -> None:
        """Read all documents that were not read yet in the version that they have now."""
        is_first = not self.files.select("SELECT 1 FROM documents LIMIT 1")
        documents = reader.documents() if is_first else self.files.unread(reader)
        total, done = reader.count(), 0
        for batch in batches_of(documents, _DOCUMENTS):
            self.files.add(batch, by_values=self._by_values)
            done += len(batch)
            self._progress("documents read", done, total)
        # No number is used twice: another document, or one less, changes these.
        (held,) = map(list, self.files.select("SELECT count(*), max(number) FROM documents"))
        if self.files.progress("held") != held:
            self.files.forget_derived()
            with self.files.commit(held=held):
                pass

    def find(self) -> None:
        """Find the pairs of texts that share what few have."""
        self._make_units()
        if self.files.progress("paired"):
            return
        folder = self.files.folder
        shingles = self.files.unit_shingles()
        values = self.files.values()
        # Lists that are there stay as they are, whatever memory is allowed now.
        parts = self.files.progress("parts")
        postings = SpilledPostings(
            folder / UNIT_SHINGLES, shingles.ends, folder, self._memory // 3, parts=parts
        )
        if parts is None:
            counter = CommonCounter(values, self._options.boilerplate)
            for done, total in postings.build(counter.shared):
                self._progress("posting lists", done, total)
            self.files.store_common(counter.common())
            with self.files.commit(parts=postings.parts):
                pass
        units = _Units(self.files, self.files.common(), self._memory // 4)
        least = self.files.least()
        first = self.files.progress("block") or 0
        for block in postings.pairs(least, _ALL, first):
            are_apart = np.ones(len(block.one), np.bool_)
            for start in range(0, len(block.one), _TEXTS):
                some = slice(start, start + _TEXTS)
                are_apart[some] = values.are_apart(block.one[some], block.other[some])
            one, other = block.one[are_apart].tolist(), block.other[are_apart].tolist()
            pairs = (
                pair for ours, theirs in zip(one, other, strict=True)
                for pair in self._of(units, ours, theirs)
            )  # fmt: skip
            self.files.add_pairs(pairs, first, block.stop)
            first = block.stop
            self._progress("texts compared", block.stop, len(least))
        self.files.order_pairs()

    def _of(
        self, units: "_Units", one: int, other: int
    ) -> Iterator[tuple[TextPair, Mapping[DocumentRef, int]]]:
        """Yield the pairs of texts of two units that share enough."""
        (ours, few), (theirs, others) = units[one], units[other]
        shared = np.intersect1d(few, others, assume_unique=True)
        pair = UnitPair(ours.unit, theirs.unit, shared)
        numbers = {**ours.numbers, **theirs.numbers}
        if self._options.all_pairs:
            yield from ((each, numbers) for each in pair.all())
        elif (best := pair.best()) is not None:
            yield best, numbers

    def _make_units(self) -> None:
        if self.files.progress("units"):
            return
        with self.files.commit() as database:
            query = "CREATE INDEX IF NOT EXISTS documents_key ON documents (key, kin, number)"
            database.execute(query)
        self._require_room()
        shingles = self.files.shingles()
        reached = self.files.progress("key")
        after: Key = (bytes.fromhex(reached[0]), reached[1]) if reached else (b"", "")
        while keys := self.files.keys(after, _KEYS):
            where = "key IS NOT NULL AND (key, kin) > (?, ?) AND (key, kin) <= (?, ?)"
            found = self.files.documents(where, [*after, *keys[-1]], shingles)
            by_key: _Groups = defaultdict(lambda: defaultdict(list))
            for document in found.values():
                key = unit_key(document, by_values=self._by_values)
                by_key[key][document.content_hash].append(document)
            units = [unit for key in sorted(by_key) for unit in units_of(key, by_key[key].values())]
            numbers = {document.ref: number for number, document in found.items()}
            after = keys[-1]
            self.files.add_units(units, numbers, after)
        with self.files.commit(units=True):
            pass

    def _require_room(self) -> None:
        """Check that the documents without a family of any values fit in memory.

        Raises:
            InputError: They do not.
        """
        query = (
            "SELECT count(*), min(owners) FROM documents WHERE key IS NOT NULL AND kin = ''"
            " GROUP BY key ORDER BY count(*) DESC LIMIT 1"
        )
        for count, owners in self.files.select(query):
            ends = self.files.shingles().ends
            shingles = int(ends[-1]) / max(1, len(ends))
            room = int(self._memory // (_DOCUMENT_BYTES + _SHINGLE_BYTES * shingles))
            if count > max(room, _DOCUMENTS):
                raise InputError(
                    f"{counted(count, 'document')} of {owners} "
                    f"{plural(count, 'has', 'have')} no family, and about {room:,} are grouped "
                    "in the memory that is allowed. Run `es-simhash families run` first, "
                    "or allow more. Set memory.",
                    parameter="memory",
                )


class _Units:
    """Units with their shingles that few have; those used last stay in memory.

    Args:
        files: Of the search.
        common: Shingles that many have.
        memory: Bytes that they may take.
    """

    def __init__(self, files: CopyFiles, common: CommonShingles, memory: int) -> None:
        self._files = files
        self._common = common.shingles
        self._shingles = files.shingles()
        self._of_units = files.unit_shingles()
        self._room = memory
        self._units: OrderedDict[int, tuple[StoredUnit, Shingles, int]] = OrderedDict()

    def __getitem__(self, number: int) -> tuple[StoredUnit, Shingles]:
        """Return a unit by its number."""
        known = self._units.get(number)
        if known is None:
            unit = self._files.units([number], self._shingles)[number]
            own = self._of_units[number]
            few = own[~is_in(own, self._common)]
            taken = few.nbytes + sum(
                text.shingles.nbytes + _DOCUMENT_BYTES * len(text.documents)
                for text in unit.unit.texts
            )
            known = self._units[number] = unit, few, taken
            self._room -= taken
            while self._room < 0 and len(self._units) > 1:
                self._room += self._units.popitem(last=False)[1][2]
        else:
            self._units.move_to_end(number)
        return known[0], known[1]


class StoredCommonTexts:
    """The compared texts that have common shingles.

    Args:
        files: Of the search.
        common: Shingles that many have.
    """

    def __init__(self, files: CopyFiles, common: CommonShingles) -> None:
        self._files = files
        self._common = common.shingles
        self._shingles: StoredLists = files.shingles()
        self._values = files.values()

    def by_count(self) -> Iterator[tuple[CopyDocument, Places]]:
        """Yield the first document of each text, those with most common shingles first."""
        for rows in self._pages():
            counts = [(len(self._places(text)), number) for number, _, text, _ in rows]
            with self._files.commit() as database:
                query = "UPDATE unit_texts SET common = ? WHERE number = ?"
                database.executemany(query, counts)
        with self._files.commit() as database:
            database.execute("DELETE FROM most")
            database.execute(
                "INSERT INTO most (document) SELECT document FROM unit_texts WHERE common > 0"
                " ORDER BY common DESC, home, id"
            )
        query = "SELECT number, document FROM most WHERE number > ? ORDER BY number LIMIT ?"
        for most in self._files.pages(query, _DOCUMENTS):
            numbers = [document for _, document in most]
            documents = self._files.documents_by_number(numbers, self._shingles)
            for number in numbers:
                document = documents[number]
                yield document, places_of(document.shingles, self._common)

    def all(self) -> Iterator[HavingTexts]:
        """Yield all texts, some at a time."""
        for rows in self._pages():
            yield HavingTexts(
                [self._places(text) for _, _, text, _ in rows],
                np.array([documents for _, _, _, documents in rows], np.int64),
                [self._values[unit] for _, unit, _, _ in rows],
            )

    def _pages(self) -> Iterator[list[_Text]]:
        query = (
            "SELECT number, unit, text, documents FROM unit_texts WHERE number > ?"
            " ORDER BY number LIMIT ?"
        )
        for rows in self._files.pages(query, _TEXTS):
            yield [(row[0], row[1], row[2], row[3]) for row in rows]

    def _places(self, text: int) -> NDArray[np.int64]:
        return places_of(self._shingles[text], self._common)
