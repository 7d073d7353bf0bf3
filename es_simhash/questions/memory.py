"""An exact index in memory: the oracle for what the cluster answers, and good for small data."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from es_simhash.errors import DocumentMissing, InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.questions.paging import pages_of
from es_simhash.questions.protocol import require_one_query
from es_simhash.questions.query_document import QueryDocument
from es_simhash.questions.ranking import ranked_order
from es_simhash.questions.relations import scored_relations
from es_simhash.questions.settlement import Found, settle
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser, read_profiles
from es_simhash.relation.answer import Answer
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Relation
from es_simhash.relation.scoring import Candidate, compare_texts
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.relation.text_comparison import explained
from es_simhash.relation.thresholds import VERSION_SCORE, require_threshold
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.store.elasticsearch.candidates import queried_shingles
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import SearchOptions


class MemoryIndex:
    """Texts in memory, every one of them compared with each query.

    It answers what an index of the cluster does that holds the same texts and cuts nothing.

    Args:
        scheme: Scheme of the fingerprints.
        semantics: Scheme of the semantic profiles; None to find versions alone.
        version_threshold: Where versions begin, above 0 and below 1; as in `DocumentSettings`.

    Raises:
        InputError: The threshold is not above 0 and below 1.
    """

    def __init__(
        self,
        scheme: Scheme = DEFAULT,
        semantics: SemanticScheme | None = None,
        version_threshold: float = VERSION_SCORE,
    ) -> None:
        profiler = None if semantics is None else semantic_profiler(semantics)
        self._analyser = TextAnalyser(scheme, profiler)
        require_threshold(version_threshold)
        self._threshold = version_threshold
        self._texts: dict[str, AnalysedText] = {}

    @property
    def scheme(self) -> Scheme:
        """Scheme of the fingerprints."""
        return self._analyser.scheme

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        self._texts[id] = self._analysed(text)

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the texts related to a kept one or to any text, best first.

        Raises:
            DocumentMissing: There is no text of that id.
            InputError: Both or neither of id and text are given, or filters, which only a
                cluster can apply.
        """
        require_one_query(id, text)
        options = options or SearchOptions()
        if options.filters:
            raise InputError(
                "filters need a cluster: an index in memory cannot run Elasticsearch queries.",
                parameter="filters",
            )
        if options.sorts_by_date or options.family != "any":
            raise InputError(
                "An index in memory has neither dates nor families. Sort by score, and set no "
                "family.",
                parameter="sort",
            )
        query = self._analysed(text) if text is not None else self._stored(str(id))
        if query.is_empty:
            return Answer()
        neighbours = [
            neighbour
            for neighbour in (self._neighbours(query, id) if options.wants_neighbours else [])
            if neighbour.id not in options.exclude
        ]
        near = {neighbour.id for neighbour in neighbours}
        left_out = {id, *options.exclude}
        candidates = [
            candidate
            for candidate in self._candidates(query, id, options, near)
            if candidate.id not in left_out
        ]
        scored = scored_relations(query, candidates, neighbours, options, self._threshold)
        others = [(None, other) for other in self._texts if other not in left_out]
        found = Found(query, scored, others, ranked_order(neighbours, options))
        if options.passages:
            (shown,) = settle([found], _KeptTexts(self._texts), options, _already_read)
        else:
            shown = found.by_fingerprints(options)
        return found.answer(shown, options)

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many kept texts, by their ids.

        Raises:
            DocumentMissing: One of the ids is not there.
        """
        return {id: self.related(id=id, options=options) for id in ids}

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Return all that is related, in pages of `size`, from the offset of the options on."""
        return pages_of(self, id, text, options)

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two kept texts, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
        """
        query, hit = self._stored(id_a), self._stored(id_b)
        compared = compare_texts(query, hit, self._threshold)
        return replace(explained(compared, query, hit), id=id_b)

    def _analysed(self, text: str) -> AnalysedText:
        (analysed,) = self._analyser.analyse([text])
        read_profiles([analysed])
        return analysed

    def _stored(self, id: str) -> AnalysedText:
        if id not in self._texts:
            raise DocumentMissing(f"Document {id!r} is not in the index in memory. Check the id.")
        return self._texts[id]

    def _neighbours(self, query: AnalysedText, id: str | None) -> list[Neighbour]:
        """Return every text that has anything of the query's semantic profile."""
        if query.profile.is_empty:
            return []
        neighbours = []
        for other_id, text in self._texts.items():
            semantics = compare_profiles(query.profile, text.profile)
            if other_id != id and semantics.similarity > 0:
                chunks, sketch = (None, None) if text.is_empty else (text.chunks, text.sketch)
                # Candidates for versions have no index here, and neither have these.
                neighbours.append(Neighbour(other_id, None, semantics, chunks, sketch))
        return neighbours

    def _candidates(
        self, query: AnalysedText, id: str | None, options: SearchOptions, near: set[str | None]
    ) -> Iterator[Candidate]:
        """Yield all that the searches would find if they cut nothing."""
        k = self.scheme.max_k if options.k is None else options.k
        queried = queried_shingles(query.fingerprints)
        least = least_shared(len(query.shingles))
        for other_id, text in self._texts.items():
            if other_id == id or text.is_empty:
                continue
            shared = np.intersect1d(queried, text.shingles, assume_unique=True)
            same = query.content_hash == text.content_hash
            if same or len(shared) >= least or other_id in near or _are_within(query, text, k):
                yield Candidate(other_id, text.chunks, text.sketch, shared, same)


@dataclass(frozen=True)
class _KeptTexts:
    """The kept texts, which need not be fetched."""

    texts: Mapping[str, AnalysedText]

    def fetch(self, relations: Collection[Relation]) -> None:
        """Do nothing: they are here."""

    def document(self, relation: Relation) -> QueryDocument:
        """Return the document of a candidate."""
        return QueryDocument(self.text(relation), DocumentRef(None, str(relation.id)))

    def text(self, relation: Relation) -> AnalysedText:
        """Return the text of a candidate; what is derived from it is not kept with the index."""
        return copy(self.texts[str(relation.id)])


def _already_read(documents: Sequence[QueryDocument]) -> None:
    """Do nothing: profiles of kept texts are read when they are added."""


def _are_within(query: AnalysedText, hit: AnalysedText, k: int) -> bool:
    """Check whether two document fingerprints differ in at most k bits."""
    document, other = query.fingerprints.document, hit.fingerprints.document
    assert document is not None
    assert other is not None
    return int(hamming_distances(document[None], other[None])[0, 0]) <= k
