"""A run over all documents: read, compared and grouped on disk, in the memory that is allowed."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cached_property
from itertools import chain
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import (
    Assignment,
    FamilyDocument,
    FamilyReader,
    Membership,
    texts_by_id,
    values_by_id,
)
from es_simhash.maintenance.families.family_writer import FamilyWriter
from es_simhash.maintenance.families.run_files import (
    LINK,
    LINKS,
    SHINGLE_ENDS,
    SHINGLES,
    RunFiles,
    SpilledTexts,
    StoredDocument,
)
from es_simhash.maintenance.listed_values import NUMBERS, TEXTS, listed_numbers, listed_texts
from es_simhash.pairs.document_families import DocumentFamily, LinkedTexts
from es_simhash.pairs.family_changes import unused_name
from es_simhash.pairs.joined_families import contradicted_pairs
from es_simhash.pairs.labelled_texts import batches_of_labels, labels_of
from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.parted_texts import parted_pairs
from es_simhash.pairs.representatives import Rank, rank_of
from es_simhash.pairs.shared_counts import shared_counts
from es_simhash.pairs.spilled_postings import SharingPairs, SpilledPostings
from es_simhash.pairs.version_bounds import VersionBounds
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.scoring import are_candidates, link_score, min_shared
from es_simhash.relation.thresholds import QUERIED_SHINGLES
from es_simhash.store.protocol import Progress, no_progress
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import Ids

# Documents that are stored together, and those whose versions are compared together.
_DOCUMENTS, _VERSIONS = 1_000, 5_000
# Families that are written between two commits.
_WRITTEN = 5_000
# Texts whose families are made together.
_TEXTS = 2_000
# Pairs that are compared between two commits.
_PAIRS = 20_000
# Others of one text that are compared with it.
_MAX_CANDIDATES = 2_000
# Links by which a text of a template is found: what is nearest to it shares most, and comes first.
_TEMPLATE_LINKS = 4

Numbers = NDArray[np.int64]
# A family by its name, with its documents, the representative first.
FoundFamily = tuple[str, Sequence[StoredDocument]]
# Numbers of the documents of a family, names of its texts, names that its documents have, and the
# label of its texts.
_MadeFamily = tuple[Sequence[int], Sequence[str], Counter[str], int]


class WholeRun:
    """One run over all documents, which goes on where one that was killed has stopped.

    Args:
        files: What it has so far.
        options: Of the run.
        threshold: Where versions begin in the index.
        progress: Called now and then.
    """

    def __init__(
        self,
        files: RunFiles,
        options: FamilyOptions,
        threshold: float,
        progress: Progress | None = None,
    ) -> None:
        self.files = files
        self._options = options
        self._threshold = threshold
        self._progress = progress or no_progress
        self._memory = options.memory << 20

    def _is_done(self, step: str) -> bool:
        return bool(self.files.progress(step))

    @property
    def is_read(self) -> bool:
        """Whether all documents were read."""
        return self._is_done("read")

    def read(self, reader: FamilyReader) -> None:
        """Read all documents that were not read yet in the version that they have now."""
        if self.is_read:
            return
        if self.files.select("SELECT 1 FROM documents LIMIT 1"):
            documents = self.files.unread(reader)
        else:
            documents = reader.all()
        total = reader.count()
        done = 0
        for batch in batches_of(documents, _DOCUMENTS):
            self.files.add(batch, min_shared)
            done += len(batch)
            self._progress("documents", done, total)
        with self.files.commit(read=True) as database:
            database.execute("CREATE INDEX IF NOT EXISTS documents_text ON documents (text)")

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return int(self.files.select("SELECT count(DISTINCT text) FROM documents")[0][0])

    def link(self, dismissed: Iterable[Ids], joined: Iterable[Ids]) -> None:
        """Compare the texts that share enough.

        Args:
            dismissed: Ids of documents that are no versions of each other.
            joined: Ids of documents that are, whatever they share.
        """
        if self._is_done("linked"):
            return
        if self.files.progress("manual") is None:
            # What counts is what was known when texts were compared, also after a kill.
            with self.files.commit(manual=[sorted(dismissed), sorted(joined)]):
                pass
        postings = self._postings()
        if not self._is_done("parts"):
            for done, total in postings.build():
                self._progress("posting lists", done, total)
            with self.files.commit(parts=postings.parts):
                pass
        least, is_there = self._least()
        bounds = VersionBounds(self.files.compared(), least, self._threshold)
        truncated = [number for (number,) in self.files.select("SELECT text FROM truncated")]
        first = self.files.progress("block") or 0
        blocks = postings.pairs(least, _MAX_CANDIDATES, first, truncated)
        with closing(SpilledTexts(self.files, self._memory // 4)) as texts:
            for block in _one_ahead(_likely(blocks, is_there, bounds)):
                # What is shared at the most is much more than what is, where texts are long.
                shared = shared_counts(block.one, block.other, texts.shingles)
                likely = bounds.may_be_versions(
                    block.one, block.other, shared, counted=QUERIED_SHINGLES
                )
                self.files.append(LINKS, self._compared(block.only(likely), texts))
                with self.files.commit(block=block.stop) as database:
                    numbers = block.truncated[is_there[block.truncated]].tolist()
                    query = "INSERT OR IGNORE INTO truncated VALUES (?)"
                    database.executemany(query, [(number,) for number in numbers])
                self._progress("texts", block.stop, len(least))
        with self.files.commit(linked=True):
            pass

    def _postings(self) -> SpilledPostings:
        ends = self.files.ends(SHINGLE_ENDS)
        shingles = self.files.folder / SHINGLES
        # By what they are, not where they lie: neither shards nor what was written since decide
        # with which texts of a template the others are compared.
        query = "SELECT hash, number FROM texts WHERE hash > ? ORDER BY hash LIMIT ?"
        order = np.fromiter(
            (number for rows in self.files.pages(query, _VERSIONS, "") for _, number in rows),
            np.uint32,
            len(ends),
        )
        # Lists that are there stay as they are, whatever memory is allowed now.
        parts = self.files.progress("parts")
        return SpilledPostings(shingles, ends, self.files.folder, self._memory // 3, order, parts)

    def _least(self) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return how many shingles must be shared with each text, and which have documents."""
        count = len(self.files.ends(SHINGLE_ENDS))
        least, is_there = np.ones(count, np.uint8), np.zeros(count, np.bool_)
        query = "SELECT number, least FROM texts WHERE number > ? ORDER BY number LIMIT ?"
        for rows in self.files.pages(query, _VERSIONS):
            least[[number for number, _ in rows]] = [value for _, value in rows]
        query = "SELECT DISTINCT text FROM documents WHERE text > ? ORDER BY text LIMIT ?"
        for rows in self.files.pages(query, _VERSIONS):
            is_there[[number for (number,) in rows]] = True
        return least, is_there

    def _compared(self, pairs: SharingPairs, texts: SpilledTexts) -> NDArray[Any]:
        """Return those of these pairs of texts that are linked.

        A text of a template that is linked with some of its first texts is not compared with more.
        """
        threshold, apart = self._threshold, self.manual.dismissed
        links: list[tuple[int, int, float]] = []
        of_template: Counter[int] = Counter()
        for number, another, is_by_template in zip(
            pairs.one.tolist(), pairs.other.tolist(), pairs.by_template.tolist(), strict=True
        ):
            if is_by_template and of_template[number] >= _TEMPLATE_LINKS:
                continue
            text, candidate = texts[number], texts[another]
            if apart and candidate.content_hash in apart.get(text.content_hash, ()):
                continue
            if are_candidates(text, candidate):
                score = link_score(text, candidate, threshold)
                if score > 0:
                    links.append((number, another, score))
                    of_template[number] += is_by_template
        return np.array(links, LINK)

    @cached_property
    def _pairs(self) -> tuple[list[Ids], list[Ids]]:
        """Ids of dismissed and of joined documents, as they were when texts were compared."""
        dismissed, joined = self.files.progress("manual")
        return [(one, other) for one, other in dismissed], [(one, other) for one, other in joined]

    @property
    def dismissed(self) -> list[Ids]:
        """Ids of documents that are no versions of each other."""
        return self._pairs[0]

    @property
    def joined(self) -> list[Ids]:
        """Ids of documents that are, whatever they share."""
        return self._pairs[1]

    @cached_property
    def _decided(self) -> list[FamilyDocument]:
        """Documents that a person decided about; those with a text of the run."""
        ids = sorted({*chain(*self._pairs[0], *self._pairs[1])})
        if not ids:
            return []
        where = f"id IN {TEXTS} AND hash IN (SELECT hash FROM texts)"
        return [found.document for found in self.files.documents(where, [listed_texts(ids)])]

    @cached_property
    def manual(self) -> ManualPairs:
        """What a person decided, as pairs of texts."""
        return ManualPairs.of_texts(*self._pairs, texts_by_id(self._decided))

    def contradicted(self) -> list[Ids]:
        """Return the dismissed pairs of which joins say the opposite; the dismissals count."""
        return contradicted_pairs(self._pairs[0], texts_by_id(self._decided), self.manual)

    def parted(self) -> list[Ids]:
        """Return the pairs that a person joined and the field keeps apart; the field counts."""
        return parted_pairs(self._pairs[1], values_by_id(self._decided))

    def group(self) -> None:
        """Make the families of documents, without their names."""
        if self._is_done("grouped"):
            return
        labels, links, link_labels = self._labelled_links()
        count = len(labels)
        order = np.argsort(labels, kind="stable")
        start = self.files.progress("group") or 0
        with closing(SpilledTexts(self.files, self._memory // 4)) as texts:
            for end in batches_of_labels(labels, order, _TEXTS, start):
                bounds = labels[order[[start, end - 1]]] + [0, 1]
                low, high = np.searchsorted(link_labels, bounds).tolist()
                grouped = self._grouped(order[start:end].tolist(), links[low:high], texts)
                families = [_made(family, documents, labels) for family, documents in grouped]
                with self.files.commit(group=end) as database:
                    _store(database, families)
                self._progress("families", end, count)
                start = end
        self._group_empty()

    def _labelled_links(self) -> tuple[Numbers, NDArray[np.void], Numbers]:
        """Return the label of each text, the links by their labels, and these labels."""
        links, decided = self.files.links(), self._decided_texts()
        one = np.concatenate((links["one"].astype(np.int64), decided[:, 0]))
        other = np.concatenate((links["other"].astype(np.int64), decided[:, 1]))
        labels = labels_of(len(self.files.ends(SHINGLE_ENDS)), one, other)
        links = links[np.argsort(labels[links["one"]], kind="stable")]
        return labels, links, labels[links["one"]]

    def links_of(self, components: Iterable[int]) -> Iterator[dict[Pair[str], float] | None]:
        """Yield the links of each of some components; None where a text of it is dismissed.

        Args:
            components: Labels of their texts.
        """
        labels, links, link_labels = self._labelled_links()
        apart = self._numbers(self.manual.dismissed.keys()).values()
        lacking = set(labels[list(apart)].tolist())
        for label in components:
            low, high = np.searchsorted(link_labels, [label, label + 1]).tolist()
            some = links[low:high]
            yield None if label in lacking else _scores(some, self._hashes(some))

    def _hashes(self, links: NDArray[Any]) -> dict[int, str]:
        """Return the hashes of the texts of links, by their numbers."""
        numbers = np.unique(np.concatenate((links["one"], links["other"]))).tolist()
        query = f"SELECT number, hash FROM texts WHERE number IN {NUMBERS}"
        return dict(self.files.select(query, [listed_numbers(numbers)]))

    def scores(self) -> dict[Pair[str], float]:
        """Return the scores of all pairs of texts that are linked, by their hashes."""
        links = self.files.links()
        return _scores(links, self._hashes(links))

    def _decided_texts(self) -> Numbers:
        """Return the texts that a person joined or dismissed, as pairs of their numbers.

        Dismissed ones may be linked once a document is gone.
        """
        numbers = self._numbers({document.content_hash for document in self._decided})
        pairs = [(numbers[one], numbers[other]) for one, other in self.manual.dismissed_pairs()]
        pairs += [
            (number, numbers[other])
            for hash, number in sorted(numbers.items())
            for other in self.manual.joined.others(hash)
        ]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def _numbers(self, hashes: Iterable[str]) -> dict[str, int]:
        """Return the numbers of texts by their hashes."""
        query = f"SELECT hash, number FROM texts WHERE hash IN {TEXTS}"
        return dict(self.files.select(query, [listed_texts(sorted(hashes))]))

    def _grouped(
        self, numbers: Sequence[int], links: NDArray[Any], texts: SpilledTexts
    ) -> Iterator[tuple[DocumentFamily[DocumentRef], Mapping[DocumentRef, StoredDocument]]]:
        """Yield the families of texts that are connected with no other, and their documents."""
        values = [listed_numbers(numbers)]
        query = f"SELECT number, hash, characters FROM texts WHERE number IN {NUMBERS}"
        rows = self.files.select(query, values)
        hashes = {number: hash for number, hash, _ in rows}
        characters = {hash: length for _, hash, length in rows}
        stored = self.files.documents(f"text IN {NUMBERS}", values)
        documents = {found.document.ref: found for found in stored}
        copies: dict[str, list[DocumentRef]] = defaultdict(list)
        for found in stored:
            copies[found.document.content_hash].append(found.document.ref)
        scores = _scores(links, hashes)
        by_hash = _TextsByHash(texts, {hash: number for number, hash in hashes.items()})
        linked = LinkedTexts(by_hash, scores, self._threshold, self.manual)
        rank = self._rank(documents, characters)
        for family in linked.document_families(
            copies, rank, lambda ref: documents[ref].document.values
        ):
            yield family, documents

    def _rank(
        self, documents: Mapping[DocumentRef, StoredDocument], characters: Mapping[str, int]
    ) -> Callable[[DocumentRef], Rank]:
        """Return how documents rank; the highest represents its family."""
        rule = self._options.rule

        def rank(ref: DocumentRef) -> Rank:
            document = documents[ref].document
            return rank_of(rule, characters[document.content_hash], document.date)

        return rank

    def _group_empty(self) -> None:
        """Make families of documents without words."""
        where, last = (
            "text IS NULL AND is_current AND number > ?",
            self.files.progress("empty") or 0,
        )
        while empty := self.files.documents(where, [last, _VERSIONS], end="LIMIT ?"):
            last = empty[-1].number
            rows = [(json.dumps([stored.number]), _name_of_empty(stored)) for stored in empty]
            with self.files.commit(empty=last) as database:
                query = "INSERT INTO families (members, name) VALUES (?, ?)"
                database.executemany(query, rows)
        with self.files.commit(grouped=True) as database:
            database.execute(
                "CREATE INDEX IF NOT EXISTS families_component ON families (component)"
            )

    def name(self) -> None:
        """Give each family a name, as `family_names` does for families in memory."""
        if self._is_done("named"):
            return
        with self.files.commit(named=True) as database:
            # A name that documents have whose text is in no family belongs to another.
            database.execute(
                "INSERT OR IGNORE INTO names SELECT DISTINCT family, NULL FROM documents"
                " WHERE family IS NOT NULL AND text IS NULL"
            )
            (count,) = database.execute("SELECT max(number) FROM families").fetchone()
            is_named = np.zeros((count or 0) + 1, np.bool_)
            claims = "SELECT name, family FROM claims ORDER BY count DESC, name, least, family"
            for name, family in database.execute(claims):
                if not is_named[family] and _take(database, name, family):
                    is_named[family] = True
            used = _UsedNames(database)
            unnamed = "SELECT number, names FROM families WHERE name IS NULL ORDER BY least"
            for family, names in database.execute(unnamed):
                _take(database, unused_name(sorted(json.loads(names)), used), family)

    def families(self, after: int = -1) -> Iterator[tuple[int, list[FoundFamily]]]:
        """Yield the families some at a time, each time with the number of the last.

        Args:
            after: Number after which they begin.
        """
        query = (
            "SELECT number, name, members FROM families WHERE number > ? ORDER BY number LIMIT ?"
        )
        for rows in self.files.pages(query, _WRITTEN, after):
            members = [json.loads(row[2]) for row in rows]
            documents = self.files.documents_by_number(chain(*members))
            found: list[FoundFamily] = [
                (row[1], [documents[number] for number in numbers])
                for row, numbers in zip(rows, members, strict=True)
            ]
            yield rows[-1][0], found

    def documents_of(self, members: str) -> Iterable[StoredDocument]:
        """Return the documents of a family, by its members as they are stored."""
        return self.files.documents_by_number(json.loads(members)).values()

    def write(self, writer: FamilyWriter) -> int:
        """Write the families into the documents, and return into how many.

        Args:
            writer: Writes to the index.
        """
        last, written = self.files.progress("written") or (-1, 0)
        total = self.files.select("SELECT count(*) FROM families")[0][0]
        for number, families in self.families(last):
            changes = {
                stored.document.ref: stored.number for _, found in families for stored in found
            }
            assignments = changed_documents(families)
            conflicts = writer.write(assignments)
            written += len(assignments) - len(conflicts)
            with self.files.commit(written=[number, written]) as database:
                database.executemany(
                    "INSERT OR IGNORE INTO conflicts VALUES (?)",
                    [(changes[ref],) for ref in conflicts],
                )
            self._progress("families written", number, total)
        return int(written)


def _likely(
    blocks: Iterable[SharingPairs], is_there: NDArray[np.bool_], bounds: VersionBounds
) -> Iterator[SharingPairs]:
    """Yield the pairs of each block that could be versions, given the most they can share."""
    for block in blocks:
        kept = is_there[block.one] & is_there[block.other]
        kept &= bounds.may_be_versions(block.one, block.other, block.most_shared)
        yield block.only(kept)


def _one_ahead(blocks: Iterator[SharingPairs]) -> Iterator[SharingPairs]:
    """Yield blocks, making the next one in a thread while the caller works on the current one."""
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(next, blocks, None)
        while (block := made.result()) is not None:
            made = thread.submit(next, blocks, None)
            yield block


def _scores(links: NDArray[Any], hashes: Mapping[int, str]) -> dict[Pair[str], float]:
    """Return links as scores by the hashes of their texts."""
    return {pair(hashes[one], hashes[other]): score for one, other, score in links.tolist()}


class _TextsByHash:
    """Texts of a batch by their hashes.

    Args:
        texts: All texts, by their numbers.
        numbers: Numbers of those of the batch.
    """

    def __init__(self, texts: SpilledTexts, numbers: Mapping[str, int]) -> None:
        self._texts = texts
        self._numbers = numbers

    def __getitem__(self, content_hash: str) -> StoredText:
        return self._texts[self._numbers[content_hash]]


class _UsedNames(Container[str]):
    """Names that families have."""

    def __init__(self, database: Connection) -> None:
        self._database = database

    def __contains__(self, name: object) -> bool:
        query = "SELECT 1 FROM names WHERE name = ?"
        return self._database.execute(query, [name]).fetchone() is not None


def changed_documents(families: Iterable[FoundFamily]) -> list[Assignment]:
    """Return the documents of which something else is stored, each with what is to be."""
    return [
        (stored.document, member)
        for name, found in families
        for place, stored in enumerate(found)
        for member in [Membership(name, place == 0)]
        if (stored.document.family, stored.document.represents) != (name, place == 0)
    ]


def _made(
    family: DocumentFamily[DocumentRef],
    documents: Mapping[DocumentRef, StoredDocument],
    labels: Numbers,
) -> _MadeFamily:
    stored = [documents[ref] for ref in family.documents]
    names = Counter(found.document.family for found in stored if found.document.family)
    label = int(labels[stored[0].text or 0])
    return [found.number for found in stored], family.names, names, label


def _store(database: Connection, families: Iterable[_MadeFamily]) -> None:
    for members, names, stored, label in families:
        least = min(names)
        row = [least, json.dumps(members), json.dumps(names), label]
        query = "INSERT INTO families (least, members, names, component) VALUES (?, ?, ?, ?)"
        number = database.execute(query, row).lastrowid
        claims = [(count, name, least, number) for name, count in stored.items()]
        database.executemany("INSERT INTO claims VALUES (?, ?, ?, ?)", claims)


def _take(database: Connection, name: str, family: int) -> bool:
    """Give a family a name, unless another has it."""
    if not database.execute("INSERT OR IGNORE INTO names VALUES (?, ?)", [name, family]).rowcount:
        return False
    database.execute("UPDATE families SET name = ? WHERE number = ?", [name, family])
    return True


def _name_of_empty(stored: StoredDocument) -> str:
    ref = stored.document.ref
    return digest_of_key(str(ref.index), ref.id)
