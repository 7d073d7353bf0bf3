"""A run over what changed in an index: to the families of everything that is linked with it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import (
    Assignment,
    FamilyDocument,
    Membership,
    texts_by_id,
    values_by_id,
)
from es_simhash.maintenance.families.known_links import KnownTexts
from es_simhash.maintenance.families.link_graph import LinkGraph, LinksAmong
from es_simhash.maintenance.families.linked_components import linked_components
from es_simhash.maintenance.families.resized_families import ResizedFamilies, resized_families
from es_simhash.pairs.document_families import DocumentFamily, LinkedTexts
from es_simhash.pairs.family_changes import Family, family_names, new_names
from es_simhash.pairs.family_counts import FamilyCounts
from es_simhash.pairs.joined_families import contradicted_pairs
from es_simhash.pairs.parted_texts import Values, parted_pairs
from es_simhash.pairs.representatives import Rank, rank_of
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.store.installation.family_components import FamilyComponents, left_of
from es_simhash.store.installation.noted_pairs import (
    Dismissals,
    FamilyState,
    Joins,
    NotedPairs,
    standing,
)
from es_simhash.store.installation.state_index import LeftFamilies, StateIndex
from es_simhash.store.protocol import Progress
from es_simhash.store.state_entries import Ids


class FamilyRun:
    """The state of one run.

    Args:
        corpus: The documents and texts of the run, none as yet; its reader is open until the
            families are known.
        state: Where the runs store their state.
        stored: State of the runs before.
        options: Of the run.
        touched: Families of documents that were written since the last run; None where that is
            unknown.
        links_among: Compares texts that the last run knew with each other.

    Attributes:
        corpus: The documents and texts of the run.
        graph: The links between the texts, from `explore` on.
    """

    def __init__(
        self,
        corpus: Corpus,
        state: StateIndex,
        stored: FamilyState,
        options: FamilyOptions,
        touched: set[str] | None,
        links_among: LinksAmong,
    ) -> None:
        self._reader = corpus.reader
        self._state = state
        self._options = options
        self._stored = stored
        self._touched = touched
        self._links_among = links_among
        # What is read of families in place of all documents.
        self._resized = ResizedFamilies(frozenset(), FamilyCounts())
        self._stored_pairs: tuple[NotedPairs, ...] = (Dismissals(state), Joins(state))
        self._dismissals, self._joins = stored.dismissals, stored.joins
        self._manual = ManualPairs()
        self.corpus = corpus
        self._components = FamilyComponents(state)

    @property
    def within(self) -> str | None:
        """Field that keeps families apart; None for none."""
        return self._options.within or None

    def explore(self, progress: Progress | None) -> None:
        """Read what may have changed, and everything that is linked with it."""
        seeds = self._changed_texts()
        self._manual = self._manual_pairs_of_texts()
        known = KnownTexts(self.corpus, self._reader, self._components, self._rewritten())
        self.graph = LinkGraph(
            self.corpus, self._reader, known, self._links_among, self._options.memory
        )
        self.graph.explore(set(seeds), self._manual, progress)

    def _rewritten(self) -> set[str] | None:
        """Return the families of documents that were written since what is known of the others.

        Returns:
            None where nothing is known.
        """
        left = self._stored.left
        is_known = left is not None and left.scheme == self._reader.scheme
        return self._touched if is_known and not self._resized.are_all_compared else None

    def _changed_texts(self) -> list[str]:
        """Return the texts of documents without a family, of changed families and manual pairs."""
        changed = self.corpus.add(self._reader.without_family())
        self._resized = resized_families(
            self._reader, self._state, self._stored.left, self._touched
        )
        changed += self.corpus.add(self._reader.of_families(sorted(self._resized.names)))
        pending = {
            id for pair in (*self._dismissals, *self._joins) if pair.pending for id in pair.ids
        }
        changed += self.corpus.add(self._reader.of_ids(sorted(pending)))
        self.corpus.add_copies(sorted(set(changed)))
        return changed

    def _manual_pairs_of_texts(self) -> ManualPairs:
        """Return what a person decided about documents, as pairs of their texts."""
        dismissed, joined = standing(self._dismissals), standing(self._joins)
        self.corpus.add(self._reader.of_ids(sorted({*chain(*dismissed, *joined)})))
        return ManualPairs.of_texts(dismissed, joined, texts_by_id(self._with_texts()))

    def _with_texts(self) -> Iterator[FamilyDocument]:
        """Yield the documents with a text of the run.

        Those without words have none, nor those whose text is not the fingerprinted one.
        """
        for document in self.corpus.documents.values():
            if document.content_hash in self.corpus.copies:
                yield document

    def contradicted(self) -> list[Ids]:
        """Return the dismissed pairs of which joins say the opposite; the dismissals count."""
        texts = texts_by_id(self._with_texts())
        return contradicted_pairs(standing(self._dismissals), texts, self._manual)

    def parted(self) -> list[Ids]:
        """Return the pairs that a person joined and the field keeps apart; the field counts."""
        return parted_pairs(standing(self._joins), values_by_id(self._with_texts()))

    def valueless(self, families: Iterable[Family]) -> list[str]:
        """Return the ids of documents without a value of the field that keeps families apart."""
        if self.within is None:
            return []
        refs = (ref for family in families for ref in family.documents)
        return sorted(ref.id for ref in refs if not self._values(ref))

    def families(self) -> list[Family]:
        """Return the families of all texts that were reached, and of documents without words."""
        copies = {text: self.corpus.copies[text] for text in self.graph.texts}
        linked = LinkedTexts(self.corpus, self.graph.links, self._reader.threshold, self._manual)
        found = list(linked.document_families(copies, self._rank(), self._values))
        families = [
            Family(name, tuple(family.documents))
            for name, family in zip(self._names(found), found, strict=True)
        ]
        for ref in self.corpus.empty:
            families.append(Family(digest_of_key(str(ref.index), ref.id), (ref,)))
        return sorted(families, key=lambda family: family.name)

    def _rank(self) -> Callable[[DocumentRef], Rank]:
        """Return how documents rank; the highest represents its family."""
        documents, characters = self.corpus.documents, self.corpus.characters
        if not self._options.compares_dates:
            return lambda ref: characters[documents[ref].content_hash]
        rule = self._options.rule
        return lambda ref: rank_of(rule, 0, documents[ref].date)

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
        # A name that documents have whose text was not reached belongs to another family.
        sizes = self._reader.sizes_of(
            {*counts, *(name for group in groups for name in new_names(group))}
        )
        taken = {name for name, size in sizes.items() if size > counts[name]}
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

    def store_state(
        self,
        families: Sequence[Family],
        skipped: set[DocumentRef],
        seq_nos: Mapping[str, int] | None,
    ) -> None:
        """Store the sizes of the families, and acknowledge what a person decided, as one write.

        Args:
            families: All that were found.
            skipped: Documents to which nothing was written.
            seq_nos: Up to where the index was written, by the name of the shard; None where that is
                unknown.
        """
        actions = self._state.size_entries(*self._changed_sizes(families, skipped))
        actions += self._component_entries(families, skipped)
        counts = self._counts(families, skipped)
        left = self._stored.left
        if self._touched or left is None or left.counts != counts:
            scheme = None if left is None else left.scheme
            actions.append(self._state.counts_entry(LeftFamilies(counts, seq_nos or {}, scheme)))
        for stored_pairs, pairs in zip(
            self._stored_pairs, (self._dismissals, self._joins), strict=True
        ):
            actions += [stored_pairs.acknowledgement(pair) for pair in pairs if pair.pending]
        self._state.write(actions)

    def _changed_sizes(
        self, families: Sequence[Family], skipped: set[DocumentRef]
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Return the sizes of families that may have changed, and those that are recorded."""
        documents = self.corpus.documents
        sizes = dict.fromkeys(self._resized.names, 0)
        for family in families:
            stored = {documents[ref].family for ref in family.documents}
            sizes.update((name, 0) for name in stored if name is not None)
        for family in families:
            sizes[family.name] = len(set(family.documents) - skipped)
        return sizes, self._state.sizes_of(sizes)

    def _component_entries(
        self, families: Sequence[Family], skipped: set[DocumentRef]
    ) -> Iterator[list[dict[str, Any]]]:
        """Return the actions that store which families are linked."""
        names: dict[str, set[str]] = defaultdict(set)
        processed = {*self._resized.names, *(family.name for family in families)}
        for family in families:
            for ref in family.documents:
                document = self.corpus.documents[ref]
                if document.content_hash not in self.corpus.copies:
                    continue
                names[document.content_hash].add(family.name)
                if document.family is not None:
                    processed.add(document.family)
                    # What was not written keeps its family.
                    names[document.content_hash].update([document.family] if ref in skipped else ())
        joined = self._manual.joined
        pairs = ((text, other) for text in joined.members for other in joined.others(text))
        apart = self._manual.dismissed_pairs()
        linked = linked_components(names, self.graph.links, pairs, apart)
        before = self._components.of(processed)
        components = [*linked, *left_of(before.values(), processed)]
        return self._components.entries(components, before.keys())

    def _counts(self, families: Sequence[Family], skipped: set[DocumentRef]) -> FamilyCounts:
        """Return how many documents families have, as they are written."""
        documents = self.corpus.documents
        names = {ref: family.name for family in families for ref in family.documents}
        counts = self._resized.counts.copy()
        for ref, name in names.items():
            stored = documents[ref].family
            if ref not in skipped and name != stored:
                counts.add(name, 1)
                if stored is not None:
                    counts.add(stored, -1)
        return counts
