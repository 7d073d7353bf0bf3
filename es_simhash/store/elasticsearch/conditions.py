"""Conditions, terms and orders of requests as queries, and what is read of each hit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store import fields
from es_simhash.store.codec import shingle_terms
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.shingle_grid import ShingleGrid
from es_simhash.store.id_groups import MAX_DOCUMENTS
from es_simhash.store.intents import Filter, Find, Order, Parts, Sharing, Where

# The same text counts more than whatever else is shared.
SAME_TEXT_BOOST = 1000
# The greatest k of a kNN search that the engine accepts, and hits of one search.
MAX_HITS = MAX_DOCUMENTS


def any_value(field: str, values: Sequence[str | int]) -> dict[str, Any]:
    """Return the filter for documents that have one of some values in a field."""
    return {"terms": {field: list(values)}}


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


# Name of the clause that matches documents newer than the date of a request.
NEWER = "newer"
# Members of the object that `Parts.members` reads, with its family.
_MEMBERS = (
    fields.SCHEME,
    fields.CONTENT_HASH,
    fields.STATUS,
    fields.FAMILY,
    fields.REPRESENTATIVE,
    fields.DUPLICATE_OF,
)
# Content hashes and shingles have no doc values.
_STORED = (fields.CONTENT_HASH, fields.SHINGLES)


def find_body(find: Find, config: IndexConfig) -> dict[str, Any]:
    """Return the body of the search for the documents of a request."""
    body: dict[str, Any] = {
        "size": find.size,
        "query": query_of(find, config),
        "track_total_hits": find.count,
        **read_of(find.parts, config),
    }
    if order := order_of(find.order, find.date, config):
        body["sort"] = order
    return body


def order_of(names: Sequence[Order], date: DateField | None, config: IndexConfig) -> list[Any]:
    """Return the value of `sort` for orders by name.

    Args:
        names: The orders.
        date: Field of the dates, where one of them is `newest`.
        config: Names of the fields.
    """
    return [entry for name in names for entry in _sorted(name, date, config)]


def query_of(find: Find, config: IndexConfig) -> dict[str, Any]:
    """Return the query for the documents of a request."""
    query = conditions(find.where, config)
    if find.sharing and not find.order:
        query["bool"]["filter"].append(shares_with_any(find.sharing, config))
    elif find.sharing:
        shared = [clause for each in find.sharing for clause in _shares(each, config)]
        query["bool"]["must"] = [{"bool": {"should": shared, "minimum_should_match": 1}}]
    if find.newer_than is not None and find.date is not None:
        query["bool"]["should"] = [newer(find.date, find.newer_than)]
    if "random" in find.order:
        order = {"seed": find.seed, "field": "_seq_no"}
        return {"function_score": {"query": query, "random_score": order, "boost_mode": "replace"}}
    return query


def newer(field: DateField, date: str) -> dict[str, Any]:
    """Return the clause, with a name, for documents newer than a date."""
    return {"range": {field.name: {"gt": date, "_name": NEWER}}}


def conditions(where: Where, config: IndexConfig) -> dict[str, Any]:
    """Return the query for the documents that match conditions, without a score."""
    required, excluded = clauses(where, config)
    return {"bool": {"filter": required, **({"must_not": excluded} if excluded else {})}}


def of_seq_nos(seq_nos: Mapping[str, Sequence[int]]) -> Filter:
    """Return the query for documents of these sequence numbers of each index, in any shard."""
    of_index = [
        {"bool": {"filter": [{"term": {"_index": index}}, {"terms": {"_seq_no": list(some)}}]}}
        for index, some in seq_nos.items()
    ]
    return {"bool": {"should": of_index}}


def filters_of(where: Where, config: IndexConfig) -> list[Filter]:
    """Return the filters that documents must match, those they must not in one of them."""
    required, excluded = clauses(where, config)
    return [*required, *([{"bool": {"must_not": excluded}}] if excluded else [])]


def clauses(where: Where, config: IndexConfig) -> tuple[list[Filter], list[Filter]]:
    """Return what documents must match, and what they must not."""
    required: list[Filter] = [*where.filters]
    excluded: list[Filter] = []
    if where.fingerprinted:
        required.append(config.of_scheme)
    if where.is_current is not None:
        (required if where.is_current else excluded).append(_has_schemes(config))
    for values, query in (
        (where.ids, _ids),
        (where.families, _terms(config.path(fields.FAMILY))),
        (where.family_prefixes, _prefixes(config.path(fields.FAMILY))),
        (where.content_hashes, _terms(config.path(fields.CONTENT_HASH))),
    ):
        if values is not None:
            required.append(query(values))
    for exists, member in (
        (where.has_family, fields.FAMILY),
        (where.is_flagged, fields.DUPLICATE_OF),
    ):
        if exists is not None:
            (required if exists else excluded).append(_exists(config.path(member)))
    required += [_exists(field) for field in where.has_fields]
    if where.of_values is not None and config.within is not None:
        if where.of_values:
            required.append({"terms": {config.within: [*where.of_values]}})
        else:
            excluded.append(_exists(config.within))
    if where.has_words:
        excluded.append({"term": {config.path(fields.STATUS): fields.STATUS_EMPTY}})
    if where.above_seq_no is not None:
        required.append({"range": {"_seq_no": {"gt": where.above_seq_no}}})
    if where.sharing is not None:
        required += _shares(where.sharing, config)
    if where.excluded_ids:
        excluded.append(_ids(where.excluded_ids))
    if where.excluded_families:
        excluded.append(_terms(config.path(fields.FAMILY))(where.excluded_families))
    if where.excluded_hashes:
        excluded.append(_terms(config.path(fields.CONTENT_HASH))(where.excluded_hashes))
    return required, excluded


def read_of(parts: Parts, config: IndexConfig) -> dict[str, Any]:
    """Return what a search asks for, so that its hits have the parts of documents."""
    source = [*parts.fields]
    values: list[Any] = []
    if parts.text:
        source += config.text_fields
    source += map(config.path, parts.simhash)
    if parts.members:
        source += map(config.path, _MEMBERS)
    elif parts.family:
        values.append(config.path(fields.FAMILY))
    if parts.stored:
        source += map(config.path, _STORED)
        values += map(config.path, fields.SCORED_MEMBERS)
    if parts.fingerprint or parts.has_fingerprint:
        values.append({"field": config.path(fields.FINGERPRINT), "format": "binary"})
    if parts.date is not None:
        values.append(parts.date.requested)
    includes = list(dict.fromkeys(source))
    excludes = [config.path(member) for member in parts.excluded]
    body: dict[str, Any] = {"_source": includes or False}
    if excludes:
        body["_source"] = {"includes": includes, "excludes": excludes}
    if values:
        body["docvalue_fields"] = values
    if parts.values:
        body["fields"] = list(parts.values)
    if parts.version:
        body |= {"seq_no_primary_term": True, "version": True}
    return body


def source_fields(parts: Parts, config: IndexConfig) -> list[str]:
    """Return the fields of `_source` that the parts of a document are in."""
    source = read_of(replace(parts, excluded=()), config)["_source"]
    return list(source) if source else []


def _has_schemes(config: IndexConfig) -> Filter:
    members = config.scheme_members.items()
    schemes = [{"term": {config.path(name): scheme}} for name, scheme in members]
    return {"bool": {"filter": schemes, "must_not": [has_lost_vectors(config)]}}


def has_lost_vectors(config: IndexConfig) -> Filter:
    """Return the query for documents that were read and written back without their vectors.

    `_source` has none from Elasticsearch 9.2 on. The rest is as it was, also the scheme.
    """
    without_words = {"term": {config.path(fields.STATUS): fields.STATUS_EMPTY}}
    others = [_exists(config.path(fields.FINGERPRINT)), without_words]
    return {"bool": {"filter": [config.of_scheme], "must_not": others}}


def _ids(values: Sequence[str]) -> Filter:
    return {"ids": {"values": list(values)}}


def _terms(path: str) -> Any:
    def query(values: Sequence[str]) -> Filter:
        if len(values) == 1:
            return {"term": {path: values[0]}}
        return {"terms": {path: list(values)}}

    return query


def _prefixes(path: str) -> Any:
    def query(prefixes: Sequence[str]) -> Filter:
        return {"bool": {"should": [{"prefix": {path: prefix}} for prefix in prefixes]}}

    return query


def _exists(path: str) -> Filter:
    return {"exists": {"field": path}}


def _shares(sharing: Sharing, config: IndexConfig) -> Iterator[Filter]:
    """Yield a clause for documents that share enough with a text, and one for the same text."""
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
    grid, single = ShingleGrid(max(len(text.shingles) for text in texts)), []
    clauses: list[Filter] = []
    for text, terms in zip(texts, _terms_of_each(texts), strict=True):
        if text.least == 1:
            single += terms
        elif text.least > 2 or not grid.add(terms):
            clauses += _shares(text, config)
    hashes = [text.content_hash for text in texts if text.content_hash is not None]
    path = config.path(fields.SHINGLES)
    clauses += (
        {"bool": {"should": [any_value(path, some) for some in lines], "minimum_should_match": 2}}
        for lines in grid.lines
    )
    clauses += (
        any_value(field, terms)
        for field, terms in ((path, single), (config.path(fields.CONTENT_HASH), hashes))
        if terms
    )
    return {"bool": {"should": clauses or [{"match_none": {}}]}}


def _terms_of_each(texts: Sequence[Sharing]) -> Iterator[list[str]]:
    terms = iter(shingle_terms(np.concatenate([text.shingles for text in texts])))
    for text in texts:
        yield list(islice(terms, len(text.shingles)))


def _sorted(order: Order, date: DateField | None, config: IndexConfig) -> Iterator[Any]:
    if order == "representative":
        yield {config.path(fields.REPRESENTATIVE): {"order": "desc"}}
    elif order == "newest":
        assert date is not None, "the order needs a field"
        kind = "long" if date.is_number else "date"
        yield {date.name: {"order": "desc", "mode": "max", "unmapped_type": kind}}
    elif order == "written":
        yield from ({"_score": "desc"}, {"_seq_no": "asc"})
