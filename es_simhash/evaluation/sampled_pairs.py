"""Pairs of related documents of an index, found from a random sample of its documents."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from es_simhash.errors import (
    DocumentAmbiguous,
    DocumentMissing,
    EsSimhashError,
    InputError,
    SchemeMismatch,
)
from es_simhash.evaluation.labelled_pairs import Pair
from es_simhash.evaluation.useful_pairs import SURE_NOT, OfferedPair, PairedDocument
from es_simhash.query.options import SearchOptions
from es_simhash.query.random_order import in_random_order
from es_simhash.relation.answer import Answer
from es_simhash.relation.model import VERSION_KINDS, Relation
from es_simhash.search.index import Index
from es_simhash.storage import fields

MAX_SAMPLE = 2_000
# Documents of one request.
_DOCUMENTS = 25
# A large family has many sure versions, of which the unsure ones are the last.
_VERSIONS = SearchOptions(
    size=50,
    kinds=VERSION_KINDS,
    min_score=0,
    evidence=False,
    passages=False,
    dismissed=True,
    context=True,
)
_OTHERS = SearchOptions(
    size=5, kinds=("shares_passages", "semantic"), min_score=0, evidence=False, context=True
)
# What is wrong with one document, and not with the search.
_UNREADABLE = (DocumentAmbiguous, DocumentMissing, InputError, SchemeMismatch)

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SampledPairs:
    """What a sample was found to be related to.

    Attributes:
        pairs: Each pair once, in the order of the sample.
        documents: Documents of the sample.
        unreadable: Those that could not be compared with others, such as those without a text.
    """

    pairs: tuple[OfferedPair, ...]
    documents: int
    unreadable: tuple[str, ...] = ()


def related_pairs(
    index: Index, *, sample: int, seed: int, progress: Progress | None = None
) -> SampledPairs:
    """Return the related documents of a random sample, as pairs.

    Args:
        index: The index.
        sample: Documents to draw, at most 2,000.
        seed: Of the sample; the same one draws the same documents, unless these were written again.
        progress: Called with the documents that are done, and all of them.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
        InputError: It has no documents with fingerprints, none of the sample can be read, or
            nothing in it is related.
    """
    ids = _drawn(index, sample, seed)
    found: dict[Pair, OfferedPair] = {}
    failed: dict[str, EsSimhashError] = {}
    for start in range(0, len(ids), _DOCUMENTS):
        batch = ids[start : start + _DOCUMENTS]
        for id, answer in _answers(index, batch, failed):
            for pair in _pairs(id, answer):
                found.setdefault(pair.ids, pair)
        if progress is not None:
            progress(start + len(batch), len(ids))
    if len(failed) == len(ids):
        raise next(iter(failed.values()))
    if not found:
        raise InputError(
            f"None of {len(ids)} documents of index {index.name!r} is related to another. Use a "
            "larger sample.",
            parameter="sample",
        )
    if all(pair.score >= SURE_NOT for pair in found.values()):
        # As in an index without semantic fields: a file of versions alone measures nothing.
        found.update(_unrelated([id for id in ids if id not in failed], found))
    return SampledPairs(tuple(found.values()), len(ids), tuple(failed))


def _unrelated(ids: Sequence[str], found: Collection[Pair]) -> dict[Pair, OfferedPair]:
    """Return pairs of neighbouring documents of the sample that have no relation."""
    pairs = (
        OfferedPair(PairedDocument(min(both)), PairedDocument(max(both)), "none", 0.0)
        for both in pairwise(ids)
    )
    return {pair.ids: pair for pair in pairs if pair.ids not in found}


def _drawn(index: Index, size: int, seed: int) -> list[str]:
    """Return the ids of documents drawn at random among those with fingerprints."""
    if not 1 <= size <= MAX_SAMPLE:
        raise InputError(
            f"sample must be between 1 and {MAX_SAMPLE}, got {size}.", parameter="sample"
        )
    config = index.config
    has_fingerprints = {"term": {config.path(fields.SCHEME): config.scheme.name}}
    body: dict[str, Any] = {
        "size": size,
        "query": in_random_order(has_fingerprints, seed),
        "_source": False,
        "track_total_hits": False,
    }
    ids = [hit["_id"] for hit in index.gateway.search(index.name, body)["hits"]["hits"]]
    if ids:
        # An id may be in several indices behind an alias.
        return list(dict.fromkeys(ids))
    if not index.gateway.count(index.name):
        raise InputError(f"Index {index.name!r} has no documents. Ingest some.")
    raise InputError(
        f"Index {index.name!r} has no documents with fingerprints of scheme "
        f"{config.scheme.name!r}. Run `es-simhash backfill {index.name}`."
    )


def _answers(
    index: Index, ids: Sequence[str], failed: dict[str, EsSimhashError]
) -> Iterator[tuple[str, Answer]]:
    """Yield what is related to each document; those that cannot be read are noted as failed."""
    try:
        yield from _related(index, ids).items()
    except _UNREADABLE as error:
        if len(ids) == 1:
            failed[ids[0]] = error
            return
        for id in ids:
            yield from _answers(index, [id], failed)


def _related(index: Index, ids: Sequence[str]) -> Mapping[str, Answer]:
    versions = index.related_to_each(ids, options=_VERSIONS)
    others = index.related_to_each(ids, options=_OTHERS)
    return {id: Answer([*versions[id], *others[id]], document=versions[id].document) for id in ids}


def _pairs(id: str, answer: Answer) -> Iterator[OfferedPair]:
    query = PairedDocument(id, answer.document)
    for relation in answer:
        if relation.id not in (None, id):
            yield _pair(query, relation)


def _pair(query: PairedDocument, relation: Relation) -> OfferedPair:
    hit = PairedDocument(str(relation.id), relation.document)
    if relation.direction in ("older", "newer"):
        is_turned = relation.direction == "older"
    else:
        is_turned = hit.id < query.id
    first, second = (hit, query) if is_turned else (query, hit)
    return OfferedPair(first, second, relation.kind, relation.score)
