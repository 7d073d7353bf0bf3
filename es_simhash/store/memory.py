"""Texts in memory as a store: every one of them is compared, so that nothing is missed.

It is the oracle for what an engine answers, and good for small data.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_batch import TextFingerprints
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser, read_profiles
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.shared_shingles import least_shared, sampled
from es_simhash.semantics.background import Background
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.store import intents
from es_simhash.store.config import IndexConfig, Installed
from es_simhash.store.fields import STATUS_EMPTY
from es_simhash.store.rows import (
    FamilyPage,
    IndexState,
    Neighbour,
    Place,
    Row,
    Rows,
    SharingText,
    SimilarTexts,
    TextHits,
)


class MemoryStore:
    """Texts in memory, every one of them compared with each query.

    It has no dates, no families and none of a person's decisions.

    Args:
        config: Schemes of the fingerprints and of the semantic profiles, and where versions begin.

    Attributes:
        name: What errors call it.
        config: That configuration.
        background: How common words and names are; None for general word frequencies alone.
    """

    def __init__(self, config: IndexConfig) -> None:
        self.name = "in memory"
        self.config = config
        self.background: Background | None = None
        semantics = config.semantics
        profiler = (
            None
            if semantics is None
            else semantic_profiler(semantics, config.vocabulary, config.table)
        )
        self._analyser = TextAnalyser(config.scheme, profiler)
        self._texts: dict[str, AnalysedText] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        (analysed,) = self._analyser.analyse([text])
        read_profiles([analysed])
        self._texts[id] = analysed

    def ask(self, requests: Sequence[intents.Request[Any]]) -> list[Any]:
        """Return the answer to each request."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: intents.Request[Any]) -> Any:
        match request:
            case intents.Configuration() | intents.RenewConfiguration():
                return Installed(self.name, self.config)
            case intents.FindSimilar():
                return self._similar(request)
            case intents.CompareShingles():
                return self._compared(request)
            case intents.FindNear():
                return self._near(request)
            case intents.FindSharedWords():
                return TextHits(keys=[(None, id) for id, _ in self._matching(request.where)])
            case intents.DocumentsById():
                return [self._row(id) for id in request.ids]
            case intents.DocumentsAt():
                return {ref: self._row(ref.id) for ref in request.refs if ref.id in self._texts}
            case intents.Find():
                return self._found(request)
            case intents.Count():
                return sum(1 for _ in self._matching(request.where))
            case intents.FindAll():
                rows = [self._row(id) for id, _ in self._matching(request.where)]
                return Rows(rows, len(rows))
            case intents.ListFamilies():
                return FamilyPage()
            case intents.MeasureFamilies() | intents.FindVectors():
                # Texts alone have neither families nor a field for vectors.
                return {}
            case intents.FindIndexState():
                return self._state()
            case intents.FindBackground():
                return self.background
            case intents.TextFieldHint():
                return ""
            case intents.RequireTextField():
                return None
            case intents.FindDateField() | intents.FindKeywordField():
                raise InputError(
                    f"An index in memory has texts alone, and no field {request.name!r}. Omit it.",
                    parameter=request.parameter,
                )
        raise TypeError(f"{type(request).__name__} is no request of this store")

    def _state(self) -> IndexState:
        background, table = self.background, self.config.table
        return IndexState(
            background=None if background is None else background.name,
            vectors=None if table is None else table.name,
        )

    def _row(self, id: str) -> Row:
        text = self._texts.get(id)
        if text is None:
            return Row(DocumentRef(None, id), found=False)
        scheme = self.config.scheme.name
        stored = None if text.is_empty else text
        ref = DocumentRef(None, id)
        return Row(
            ref,
            text=text.text,
            scheme=scheme,
            content_hash=text.content_hash,
            status=STATUS_EMPTY if text.is_empty else None,
            stored=stored,
            version=DocumentVersion(ref, 0, 1),
        )

    def _matching(self, where: intents.Where) -> Iterator[tuple[str, AnalysedText]]:
        """Yield the texts that match conditions.

        Raises:
            InputError: There are filters, which only an engine can apply.
        """
        if where.filters:
            raise InputError(
                "filters need a cluster: an index in memory cannot run Elasticsearch queries.",
                parameter="filters",
            )
        if where.families is not None or where.has_family or where.is_current is False:
            return
        for id, text in self._texts.items():
            is_wanted = where.ids is None or id in where.ids
            hash = text.content_hash
            has_text = where.content_hashes is None or hash in where.content_hashes
            is_excluded = id in where.excluded_ids or hash in where.excluded_hashes
            is_sharing = where.sharing is None or _shared(where.sharing, text) > 0
            if is_wanted and has_text and is_sharing and not is_excluded:
                yield id, text

    def _found(self, find: intents.Find) -> Rows:
        rows = []
        for id, text in self._matching(find.where):
            score = max((_shared(sharing, text) for sharing in find.sharing), default=0)
            if score or not find.sharing:
                rows.append(self._row(id)._replace(score=float(score)))
        if find.sharing:
            rows.sort(key=lambda row: -row.score)
        return Rows(rows[: find.size], len(rows))

    def _similar(self, request: intents.FindSimilar) -> SimilarTexts:
        """Return all that the searches of an engine would find if they cut nothing."""
        prints = request.fingerprints
        k = Scheme.parse(prints.scheme).max_k if request.k is None else request.k
        least = least_shared(len(prints.shingles))
        sharing, within = [], []
        for id, text in self._matching(request.where):
            if text.is_empty:
                continue
            candidate = _candidate(id, text, prints)
            if candidate.same_content or len(candidate.shared) >= least:
                sharing.append(candidate)
            if _are_within(prints, text, k):
                within.append(candidate)
        return SimilarTexts(sharing, within)

    def _compared(self, request: intents.CompareShingles) -> SimilarTexts:
        where = replace(request.where, ids=request.ids)
        return SimilarTexts(
            [
                _candidate(id, text, request.fingerprints)
                for id, text in self._matching(where)
                if not text.is_empty
            ]
        )

    def _near(self, request: intents.FindNear) -> TextHits:
        """Return every text that has anything of a semantic profile."""
        neighbours = []
        for id, text in self._matching(request.where):
            semantics = compare_profiles(request.profile, text.profile)
            if semantics.similarity > 0:
                stored = None if text.is_empty else text
                neighbours.append(Neighbour(id, None, semantics, stored))
        neighbours.sort(key=lambda each: (-each.semantics.similarity, str(each.id)))
        return TextHits(neighbours, [(None, each.id) for each in neighbours])


class MemorySnapshot:
    """The texts of a store in memory, as those see them who process a whole index.

    Args:
        store: The store.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.config = store.config
        self._store = store

    def count(self, where: intents.Where) -> int:
        """Return how many documents match conditions."""
        (count,) = self._store.ask([intents.Count(where)])
        return int(count)

    def rows(
        self, where: intents.Where, parts: intents.Parts, *, page: int = 5000
    ) -> Iterator[Row]:
        """Yield all documents that match conditions."""
        (matching,) = self._store.ask([intents.FindAll(where, parts)])
        yield from matching.rows

    def find(self, requests: Sequence[intents.Find]) -> list[Rows]:
        """Return the first documents of each request."""
        return self._store.ask(requests)

    def sharing(self, requests: Sequence[intents.Find]) -> list[list[SharingText]]:
        """Return the first documents of each request with what they share."""
        return [
            [SharingText(_place(row), int(row.score), row.stored) for row in rows.rows]
            for rows in self.find(requests)
        ]

    def at(self, places: Collection[Place], parts: intents.Parts) -> Iterator[tuple[Place, Row]]:
        """Yield the documents at places that `sharing` returned."""
        ids = tuple(str(id) for place in places for id in place.position)
        for row in self.rows(intents.Where(ids=ids), parts):
            yield _place(row), row

    def family_sizes(self, where: intents.Where) -> dict[str, int]:
        """Return the number of documents of each family: nothing is stored in memory."""
        return {}

    def prefix_counts(self, where: intents.Where, prefixes: Sequence[str]) -> list[int]:
        """Return how many documents families of these names have: nothing is stored in memory."""
        return [0] * len(prefixes)

    def shingle_counts(self, where: intents.Where, shingles: NDArray[np.uint32]) -> list[int]:
        """Return how many documents that match conditions have each shingle."""
        sharing = [intents.Sharing(shingles[at : at + 1], 1) for at in range(len(shingles))]
        counts = [intents.Count(replace(where, sharing=each)) for each in sharing]
        return [int(count) for count in self._store.ask(counts)]


def _place(row: Row) -> Place:
    return Place("", 0, (row.id,))


def _candidate(id: str, text: AnalysedText, prints: TextFingerprints) -> Candidate:
    shared: NDArray[np.uint32] = np.intersect1d(
        sampled(prints.shingles), text.shingles, assume_unique=True
    )
    same = prints.content_hash == text.content_hash
    return Candidate(id, text, shared, same)


def _shared(sharing: intents.Sharing, text: AnalysedText) -> int:
    """Return how many shingles of a request a text has; 0 for too few."""
    if text.content_hash == sharing.content_hash:
        return len(text.shingles) + 1
    shared = len(np.intersect1d(sharing.shingles, text.shingles, assume_unique=True))
    return shared if shared >= sharing.least else 0


def _are_within(query: TextFingerprints, hit: AnalysedText, k: int) -> bool:
    """Check whether two document fingerprints differ in at most k bits."""
    document, other = query.document, hit.fingerprints.document
    if document is None or other is None:
        return False
    return int(hamming_distances(document[None], other[None])[0, 0]) <= k
