"""One run over an index: from what changed to the families of everything linked with it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import Assignment, FamilyReader, Membership
from es_simhash.maintenance.families.link_graph import LinkGraph
from es_simhash.pairs.document_families import DocumentFamily, LinkedTexts
from es_simhash.pairs.family_changes import Family, family_names
from es_simhash.pairs.parted_texts import Values
from es_simhash.pairs.postings import MAX_TEXTS
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.store.dates import Date
from es_simhash.store.installation.noted_pairs import (
    Dismissals,
    FamilyState,
    Joins,
    NotedPair,
    NotedPairs,
)
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.protocol import Progress
from es_simhash.store.state_entries import Ids

# Documents that are read and added to posting lists in the time of one search.
READS_PER_SEARCH = 4


class FamilyRun:
    """The state of one run.

    Args:
        reader: Reads the index; open until the families are known.
        state: Where the runs store their state.
        stored: State of the runs before.
        options: Of the run.

    Attributes:
        corpus: The documents and texts of the run.
        graph: The links between the texts.
        is_full: True when all documents are processed, not only what changed.
    """

    def __init__(
        self,
        reader: FamilyReader,
        state: StateIndex,
        stored: FamilyState,
        options: FamilyOptions,
    ) -> None:
        self._reader = reader
        self._state = state
        self._options = options
        self._recorded_sizes = stored.sizes
        self._sizes = reader.family_sizes()
        self._stored_pairs: tuple[NotedPairs, ...] = (Dismissals(state), Joins(state))
        self._dismissals, self._joins = stored.dismissals, stored.joins
        self._manual = ManualPairs()
        self._settings_key = options.settings_key(reader.threshold)
        self.is_full = options.everything or stored.options != self._settings_key
        self.corpus = Corpus(reader)
        self.graph = LinkGraph(self.corpus, reader)

    @property
    def within(self) -> str | None:
        """Field that keeps families apart; None for none."""
        return self._options.within or None

    def explore(self, progress: Progress | None) -> None:
        """Read what may have changed, and everything that is linked with it."""
        count, postings = self._reader.count(), None
        seeds: Collection[str] = () if self.is_full else self._changed_texts()
        fits = count <= MAX_TEXTS
        if fits and (self.is_full or len(seeds) * READS_PER_SEARCH > count):
            hashes, postings = self.corpus.add_all()
            seeds = hashes if self.is_full else seeds
        elif self.is_full:
            seeds = self.corpus.add(self._reader.all())
        self.graph = LinkGraph(self.corpus, self._reader, postings)
        self._manual = self._manual_pairs_of_texts()
        self.graph.explore(set(seeds), self._manual, progress)

    def _changed_texts(self) -> list[str]:
        """Return the texts of documents without a family, of changed families and manual pairs."""
        changed = self.corpus.add(self._reader.without_family())
        names = [*self._sizes, *(self._recorded_sizes.keys() - self._sizes.keys())]
        resized = [
            name for name in names if self._sizes.get(name, 0) != self._recorded_sizes.get(name, 1)
        ]
        changed += self.corpus.add(self._reader.of_families(resized))
        pending = {
            id for pair in (*self._dismissals, *self._joins) if pair.pending for id in pair.ids
        }
        changed += self.corpus.add(self._reader.of_ids(sorted(pending)))
        self.corpus.add_copies(sorted(set(changed)))
        return changed

    def _manual_pairs_of_texts(self) -> ManualPairs:
        """Return what a person decided about documents, as pairs of their texts."""
        dismissed, joined = _standing(self._dismissals), _standing(self._joins)
        self.corpus.add(self._reader.of_ids(sorted({*chain(*dismissed, *joined)})))
        return ManualPairs.of_texts(dismissed, joined, self._hashes())

    def _hashes(self) -> dict[str, str]:
        """Return the texts of the documents by their ids.

        Documents without words have none, nor those whose text is not the fingerprinted one.
        """
        return {
            ref.id: document.content_hash
            for ref, document in self.corpus.documents.items()
            if document.content_hash in self.corpus.copies
        }

    def contradicted(self) -> list[Ids]:
        """Return the dismissed pairs of which joins say the opposite; the dismissals count."""
        hashes = self._hashes()
        texts = {
            ids: (hashes[ids[0]], hashes[ids[1]])
            for ids in _standing(self._dismissals)
            if all(id in hashes for id in ids)
        }
        return sorted(
            ids
            for ids, (one, other) in texts.items()
            if one != other and other in self._manual.joined.group(one)
        )

    def parted(self) -> list[Ids]:
        """Return the pairs that a person joined and the field keeps apart; the field counts."""
        by_id = {
            ref.id: document.values
            for ref, document in self.corpus.documents.items()
            if document.content_hash in self.corpus.copies
        }
        return sorted(
            ids
            for ids in _standing(self._joins)
            if all(id in by_id for id in ids) and by_id[ids[0]] != by_id[ids[1]]
        )

    def valueless(self, families: Iterable[Family]) -> list[str]:
        """Return the ids of documents without a value of the field that keeps families apart."""
        if self.within is None:
            return []
        refs = (ref for family in families for ref in family.documents)
        return sorted(ref.id for ref in refs if not self._values(ref))

    def families(self) -> list[Family]:
        """Return the families of all texts that were queried, and of documents without words."""
        copies = {text: self.corpus.copies[text] for text in self.graph.queried}
        linked = LinkedTexts(self.corpus, self.graph.links, self._reader.threshold, self._manual)
        found = list(linked.document_families(copies, self._rank(), self._values))
        families = [
            Family(name, tuple(family.documents))
            for name, family in zip(self._names(found), found, strict=True)
        ]
        for ref in self.corpus.empty:
            families.append(Family(digest_of_key(str(ref.index), ref.id), (ref,)))
        return sorted(families, key=lambda family: family.name)

    def _rank(self) -> Callable[[DocumentRef], int]:
        """Return how documents rank; the highest represents its family."""
        documents, characters = self.corpus.documents, self.corpus.characters
        if not self._options.compares_dates:
            return lambda ref: characters[documents[ref].content_hash]
        dates = {document.date for document in documents.values() if document.date is not None}
        sign = 1 if self._options.rule == "newest" else -1
        positions: dict[Date | None, int] = {
            date: sign * place for place, date in enumerate(sorted(dates))
        }
        # Documents without a date come last, whatever the rule.
        return lambda ref: positions.get(documents[ref].date, -len(positions))

    def _values(self, ref: DocumentRef) -> Values:
        """Return the values of a document that keep it apart from those of others."""
        return self.corpus.documents[ref].values

    def _names(self, families: Sequence[DocumentFamily[DocumentRef]]) -> list[str]:
        documents = self.corpus.documents
        groups, stored_names = [], defaultdict[str, list[str]](list)
        for found in families:
            names = dict(zip(found.texts, found.names, strict=True))
            groups.append(found.names)
            for ref in found.documents:
                family = documents[ref].family
                if family is not None:
                    stored_names[names[documents[ref].content_hash]].append(family)
        counts = Counter(name for names in stored_names.values() for name in names)
        # A name that documents have whose text was not queried belongs to another family.
        taken = {name for name, size in self._sizes.items() if size > counts[name]}
        return family_names(groups, stored_names, taken)

    @property
    def stored_families(self) -> dict[DocumentRef, str | None]:
        """Families that the documents had when they were read."""
        return {ref: document.family for ref, document in self.corpus.documents.items()}

    def changes(self, families: Iterable[Family]) -> list[Assignment]:
        """Return the documents of which something else is stored, each with what is to be."""
        documents = self.corpus.documents
        memberships = (
            (documents[ref], Membership(family.name, ref == family.documents[0]))
            for family in families
            for ref in family.documents
        )
        return [
            (document, member)
            for document, member in memberships
            if (document.family, document.represents) != (member.family, member.represents)
        ]

    def undated(self, families: Iterable[Family]) -> list[str]:
        """Return the ids of documents without a date, where dates matter."""
        if not self._options.compares_dates:
            return []
        documents = self.corpus.documents
        refs = (ref for family in families for ref in family.documents)
        return sorted(ref.id for ref in refs if documents[ref].date is None)

    def store_state(self, families: Sequence[Family], skipped: set[DocumentRef]) -> None:
        """Store the sizes of the families, and acknowledge what a person decided, as one write."""
        sizes = {name: 0 for name in self._recorded_sizes if name not in self._sizes}
        for family in families:
            stored = {self.corpus.documents[ref].family for ref in family.documents}
            sizes.update((name, 0) for name in stored if name is not None)
        for family in families:
            sizes[family.name] = len(set(family.documents) - skipped)
        actions = self._state.size_entries(sizes, self._recorded_sizes)
        for stored_pairs, pairs in zip(
            self._stored_pairs, (self._dismissals, self._joins), strict=True
        ):
            actions += [stored_pairs.acknowledgement(pair) for pair in pairs if pair.pending]
        if self.is_full:
            # The last: without it the next run is a full one again.
            actions.append(self._state.run_entry(self._settings_key))
        self._state.write(actions)


def _standing(pairs: Iterable[NotedPair]) -> list[Ids]:
    return [pair.ids for pair in pairs if not pair.undone]
