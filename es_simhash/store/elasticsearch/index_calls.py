"""Requests as calls of Elasticsearch: searches that travel together, and hits that become rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.references import DocumentRef
from es_simhash.store import intents
from es_simhash.store.config import IndexConfig, Installed
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch import documents
from es_simhash.store.elasticsearch.background_search import BackgroundLookup
from es_simhash.store.elasticsearch.calls import Calls, mappings
from es_simhash.store.elasticsearch.candidates import (
    compare_bodies,
    read_compared,
    read_similar,
    similar_bodies,
)
from es_simhash.store.elasticsearch.conditions import (
    NEWER,
    conditions,
    find_body,
    newer,
    source_fields,
)
from es_simhash.store.elasticsearch.families import (
    list_body,
    measure_body,
    read_list,
    read_measured,
)
from es_simhash.store.elasticsearch.hit_rows import missing_row, row_of
from es_simhash.store.elasticsearch.hits import ref_of
from es_simhash.store.elasticsearch.index_searches import IndexSearches, Responses, Searches
from es_simhash.store.elasticsearch.index_state_search import IndexStateLookup
from es_simhash.store.elasticsearch.method_search import block_bodies, read_block_hits
from es_simhash.store.elasticsearch.near_searches import NearSearches
from es_simhash.store.elasticsearch.neighbours import near_bodies, other_vectors_body, read_near
from es_simhash.store.elasticsearch.pages import all_hits
from es_simhash.store.elasticsearch.passages import passage_queries, read_shared_words
from es_simhash.store.elasticsearch.searches import count, search
from es_simhash.store.elasticsearch.vector_table_search import with_usable_table
from es_simhash.store.elasticsearch.word_search import (
    excerpt_bodies,
    read_excerpts,
    read_values,
    read_words,
    searchable_fields,
    value_bodies,
    word_bodies,
)
from es_simhash.store.installation.text_fields import misspelt_hint, require_mapped
from es_simhash.store.mapped_fields import find_date_field, find_keyword_field, keyword_fields
from es_simhash.store.mapping_meta import schemes_of
from es_simhash.store.rows import Row, Rows
from es_simhash.store.semantic_codec import own_vector

# Hits of one page where all are read: with their texts or what is stored of these, and without.
_TEXTS_PAGE, _PAGE = 200, 5_000
# So long, who asks for hours does not see that an index was rolled over, or got its fields.
_LEFT_OUT_SECONDS = 60.0


class IndexCalls:
    """The calls for requests to an index, alias or data stream that has fingerprints.

    They are made and read here, and sent by whoever drives them. The configuration is read from
    the mapping when it is needed.

    Args:
        searches: Of the index; of a sidecar, those of both indices.
        is_complete: Whether what is known of its configuration is all, so that nothing is read.
    """

    def __init__(self, searches: IndexSearches, *, is_complete: bool = False) -> None:
        self.name = searches.name
        self.given = searches.given
        self._searches = searches
        self._is_complete = is_complete
        self._config = self.given if is_complete else None
        self._has_vectors = is_complete
        self._read_at = 0.0
        self._dates: dict[tuple[str, bool], DateField] = {}
        self._near = NearSearches()

    @property
    def _text_index(self) -> str:
        return self._searches.text_index

    def opened(self) -> Calls[str]:
        """Return the index that has the texts."""
        yield from self._searches.open()
        return self._text_index

    def calls(self, requests: Sequence[intents.Request[Any]]) -> Calls[list[Any]]:
        """Return the answer to each request, by calls that whoever drives them sends."""
        config = yield from self._configured()
        planned = [self._searches_of(request, config, are_sent=True) for request in requests]
        searches = [each for each in planned if each is not None]
        answers = iter((yield from self._searches.responses(searches)) if searches else [])
        results = []
        for request, plan in zip(requests, planned, strict=True):
            if plan is None:
                answer = yield from self._other(request, config)
            else:
                answer = plan.read(next(answers))
                if answer is None and plan.whole is not None:
                    answer = yield from plan.whole()
            results.append(answer)
        return results

    def bodies(self, requests: Sequence[intents.Request[Any]]) -> Calls[list[dict[str, Any]]]:
        """Return the bodies of the searches for requests, which are not sent."""
        config = yield from self._configured()
        plans = [self._searches_of(request, config, are_sent=False) for request in requests]
        bodies = yield from self._searches.bodies([plan for plan in plans if plan is not None])
        return [dict(body) for some in bodies for body in some]

    def _searches_of(
        self, request: intents.Request[Any], config: IndexConfig, *, are_sent: bool
    ) -> Searches | None:
        if isinstance(request, intents.FindNear):
            bodies, read = _CANDIDATES[intents.FindNear]
            others = other_vectors_body(config)
            return self._near.searches(request, config, bodies, read, others, are_sent=are_sent)
        return _searches_of(request, self._searches, config)

    def _configured(self, *, vectors: bool = False) -> Calls[IndexConfig]:
        yield from self._searches.open()
        if self._config is None:
            mapped = yield from mappings(self.name)
            schemes = schemes_of(self.name, mapped, self.given.simhash_field)
            self._config = schemes.applied(self.given)
            self._read_at = monotonic()
        elif not self._is_complete and monotonic() - self._read_at >= _LEFT_OUT_SECONDS:
            self._config = yield from self._with_left_out(self._config)
            self._read_at = monotonic()
        if vectors and not self._has_vectors:
            self._config = yield from with_usable_table(self._text_index, self._config)
            self._has_vectors = True
        return self._config

    def _with_left_out(self, config: IndexConfig) -> Calls[IndexConfig]:
        """Return a configuration, as it is unless other indices are left out or it was upgraded."""
        mapped = yield from mappings(self.name)
        schemes = schemes_of(self.name, mapped, self.given.simhash_field)
        if schemes.field != config.simhash_field:
            self._has_vectors = False
            return schemes.applied(self.given)
        left_out = schemes.left_out
        return config if left_out == config.left_out else replace(config, left_out=left_out)

    def _other(self, request: intents.Request[Any], config: IndexConfig) -> Calls[Any]:
        """Answer what is no search of candidates or documents."""
        match request:
            case intents.Configuration():
                configured = yield from self._configured(vectors=request.vectors)
                return Installed(self._text_index, configured)
            case intents.RenewConfiguration():
                self._config = self.given if self._is_complete else None
                self._has_vectors = self._is_complete
                return Installed(self._text_index, (yield from self._configured(vectors=True)))
            case intents.DocumentsById():
                return (yield from self._by_id(request, config))
            case intents.DocumentsAt():
                return (yield from self._at(request, config))
            case intents.FindPlaces():
                hits = yield from documents.hits_by_id(self._text_index, request.ids, False)
                return {id: list(map(ref_of, some)) for id, some in hits.items()}
            case intents.FindAll():
                return (yield from self._all(request, config))
            case intents.Count():
                query = conditions(request.where, config)
                index = request.index or self.name
                return (yield from count(index, query, shard=request.shard))
            case intents.FindVectors():
                return (yield from _vectors(request))
            case intents.FindDateField():
                return (yield from self._date_field(request))
            case intents.FindKeywordField():
                mapped = yield from mappings(self._text_index)
                return find_keyword_field(mapped, request.name, parameter=request.parameter)
            case intents.TextFieldHint():
                mapped = yield from mappings(self._text_index)
                return misspelt_hint(mapped, config.text_field)
            case intents.RequireTextField():
                mapped = yield from mappings(self._text_index)
                names = config.text_fields if request.names is None else request.names
                return require_mapped(mapped, names)
            case intents.RequireFilter():
                find = intents.Find(intents.Where((request.filter,)), size=0)
                yield from search(self.name, find_body(find, config))
                return None
            case intents.SearchableFields():
                mapped = yield from mappings(self._text_index)
                return searchable_fields(request.names, mapped)
            case intents.KeywordFields():
                mapped = yield from mappings(self._text_index)
                return keyword_fields(request.names, mapped)
        raise TypeError(f"{type(request).__name__} is no request of this store")

    def _by_id(self, request: intents.DocumentsById, config: IndexConfig) -> Calls[list[Row]]:
        parts = request.parts
        if not self._searches.has_fingerprints:
            # The first index may have fingerprints of its own, of whatever scheme.
            parts = replace(parts, members=False)
        wanted = source_fields(parts, config)
        entries = yield from self._searches.entries_by_id(request.ids, wanted)
        return [
            row_of(entry, parts, config, strict=True) if entry.get("found") else missing_row(id)
            for id, entry in zip(request.ids, entries, strict=True)
        ]

    def _at(
        self, request: intents.DocumentsAt, config: IndexConfig
    ) -> Calls[dict[DocumentRef, Row]]:
        parts = request.parts
        wanted = None if parts.whole else source_fields(parts, config)
        excluded = map(config.path, config.large_members if parts.whole else parts.excluded)
        entries = yield from self._searches.entries_at(request.refs, wanted, list(excluded))
        return {ref: row_of(entry, parts, config) for ref, entry in entries.items()}

    def _all(self, request: intents.FindAll, config: IndexConfig) -> Calls[Rows]:
        parts = request.parts
        size = _TEXTS_PAGE if parts.text or parts.fields or parts.stored else _PAGE
        find = intents.Find(request.where, parts, size, order=())
        body = find_body(find, config)
        hits = yield from all_hits(self._text_index, body)
        return Rows([row_of(hit, request.parts, config) for hit in hits], len(hits))

    def _date_field(self, request: intents.FindDateField) -> Calls[DateField]:
        if self._is_complete and not request.numbers:
            # Bodies for a text are made without any request.
            return DateField(request.name)
        key = request.name, request.numbers
        if key not in self._dates:
            mapped = yield from mappings(self._text_index)
            self._dates[key] = find_date_field(
                mapped, request.name, parameter=request.parameter, numbers=request.numbers
            )
        return self._dates[key]


# Makes the searches of candidates for a text from conditions, and reads what they find.
_CANDIDATES: Mapping[type[Any], tuple[Callable[..., Any], Callable[..., Any]]] = {
    intents.FindSimilar: (similar_bodies, read_similar),
    intents.CompareShingles: (compare_bodies, read_compared),
    intents.FindNear: (near_bodies, read_near),
    intents.FindByBlocks: (block_bodies, read_block_hits),
}


def _searches_of(
    request: intents.Request[Any], index: IndexSearches, config: IndexConfig
) -> Searches | None:
    """Return the searches of a request; None for one that is answered otherwise."""
    match request:
        case intents.FindSimilar() | intents.CompareShingles() | intents.FindByBlocks():
            bodies, read = _CANDIDATES[type(request)]
            return Searches(
                candidates=partial(bodies, request, config),
                read=partial(read, request=request, config=config),
                where=request.where,
            )
        case intents.FindSharedWords():
            return Searches(
                passage_queries(request, config, has_fingerprints=index.has_fingerprints),
                partial(read_shared_words, request=request),
                optional=True,
            )
        case intents.Find():
            body = find_body(request, config)
            return Searches([body], partial(_read_rows, request=request, config=config))
        case intents.ListFamilies():
            body = list_body(request, config)
            return Searches([body], partial(read_list, request=request))
        case intents.MeasureFamilies():
            body = measure_body(request, config)
            return Searches([body], partial(read_measured, request=request))
        case intents.FindWords():
            read = partial(read_words, request=request, config=config)
            return Searches(word_bodies(request, config), read)
        case intents.FindExcerpts():
            return Searches(excerpt_bodies(request, config), read_excerpts)
        case intents.CountValues():
            return Searches(value_bodies(request, config), read_values)
        case intents.CheckDate():
            date_check = {"size": 0, "query": newer(request.field, request.date)}
            return Searches([date_check], _is_valid, optional=True)
        case intents.FindIndexState():
            state = IndexStateLookup(index.text_index, config)
            return Searches(
                state.searches(request.ids),
                state.read,
                optional=True,
                index=state.state_index,
                whole=state.all,
            )
        case intents.FindBackground():
            background = BackgroundLookup(index.text_index, config)
            return Searches(
                background.searches(),
                background.read,
                optional=True,
                index=background.state_index,
            )
    return None


def _read_rows(responses: Responses, *, request: intents.Find, config: IndexConfig) -> Rows:
    hits = responses[0]["hits"]
    rows = [row_of(hit, request.parts, config) for hit in hits["hits"]]
    if request.newer_than is not None:
        newer = (NEWER in hit.get("matched_queries", ()) for hit in hits["hits"])
        rows = [row._replace(is_newer=one) for row, one in zip(rows, newer, strict=True)]
    total = hits["total"]["value"] if request.count else len(rows)
    return Rows(rows, total, responses[0]["took"])


def _is_valid(responses: Responses) -> bool:
    return all("rejected" not in response for response in responses)


def _vectors(
    request: intents.FindVectors,
) -> Calls[dict[DocumentRef, NDArray[np.float32]]]:
    """Return unit vectors of a field, of documents that have one, a search for each index."""
    ids_by_index: dict[str, list[str]] = {}
    for ref in request.refs:
        ids_by_index.setdefault(str(ref.index), []).append(ref.id)
    vectors: dict[DocumentRef, NDArray[np.float32]] = {}
    body = {
        "_source": False,
        "docvalue_fields": [{"field": request.field, "format": "binary"}],
    }
    for index, ids in sorted(ids_by_index.items()):
        for hit in (yield from documents.hits_of_ids(index, ids, body)):
            for packed in hit.get("fields", {}).get(request.field, []):
                vector = own_vector(packed)
                norm = np.linalg.norm(vector)
                if norm > 0:
                    vectors[ref_of(hit)] = vector / norm
    return vectors
