"""Pairs of related documents of an index, found from a random sample of its documents."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from es_simhash.errors import OF_ONE_DOCUMENT, EsSimhashError, InputError
from es_simhash.lab.evaluation.labelled_pairs import Pair
from es_simhash.lab.evaluation.useful_pairs import SURE_NOT, OfferedPair, PairedDocument
from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import VERSION_KINDS, Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import Filter, Find, Where
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Progress, Store
from es_simhash.text.counting import counted

SAMPLE, MAX_SAMPLE = 200, 2_000
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


class SampledIndex(Protocol):
    """An index whose documents are drawn and searched."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def fingerprint_store(self) -> Store:
        """The documents that have the fingerprints: of a sidecar its own."""

    @property
    def config(self) -> IndexConfig:
        """Its configuration."""

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> Mapping[str, Answer]:
        """Return what is related to each of many stored documents."""


@dataclass(frozen=True)
class SampledPairs:
    """Pairs of a sample and the documents related to it.

    Attributes:
        pairs: Each pair once, in the order of the sample.
        documents: Documents of the sample.
        unreadable: Those that could not be compared with others, such as those without a text.
    """

    pairs: tuple[OfferedPair, ...]
    documents: int
    unreadable: tuple[str, ...] = ()


def related_pairs(
    index: SampledIndex,
    *,
    sample: int,
    seed: int,
    filters: Sequence[Filter] = (),
    progress: Progress | None = None,
) -> SampledPairs:
    """Return the related documents of a random sample, as pairs.

    Args:
        index: The index.
        sample: Documents to draw, at most 2,000.
        seed: Seed of the sample; the same one draws the same documents, unless these were written
            again.
        filters: That both documents of each pair match.
        progress: Called after each batch, with the documents that are done.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
        InputError: It has no documents with fingerprints, none of the sample can be read, or
            nothing in it is related.
    """
    ids = _drawn(index, sample, seed, filters)
    pairs: dict[Pair, OfferedPair] = {}
    failed: dict[str, EsSimhashError] = {}
    for start in range(0, len(ids), _DOCUMENTS):
        batch = ids[start : start + _DOCUMENTS]
        for id, answer in _answers(index, batch, filters, failed):
            for pair in _pairs(id, answer):
                pairs.setdefault(pair.ids, pair)
        if progress is not None:
            progress("documents", start + len(batch), len(ids))
    if len(failed) == len(ids):
        raise next(iter(failed.values()))
    if not pairs:
        raise InputError(
            f"None of {counted(len(ids), 'document')} of index {index.name!r} is related to "
            "another. Use a larger sample.",
            parameter="sample",
        )
    if all(pair.score >= SURE_NOT for pair in pairs.values()):
        # As in an index without semantic fields: a file of versions alone measures nothing.
        pairs.update(_unrelated([id for id in ids if id not in failed], pairs))
    return SampledPairs(tuple(pairs.values()), len(ids), tuple(failed))


def _unrelated(ids: Sequence[str], related: Collection[Pair]) -> dict[Pair, OfferedPair]:
    """Return pairs of neighbouring documents of the sample that have no relation."""
    pairs = (
        OfferedPair(PairedDocument(min(both)), PairedDocument(max(both)), "none", 0.0)
        for both in pairwise(ids)
    )
    return {pair.ids: pair for pair in pairs if pair.ids not in related}


def _drawn(index: SampledIndex, size: int, seed: int, filters: Sequence[Filter]) -> list[str]:
    """Return the ids of documents drawn at random among those with fingerprints."""
    if not 1 <= size <= MAX_SAMPLE:
        raise InputError(
            f"sample must be between 1 and {MAX_SAMPLE}, got {size}.", parameter="sample"
        )
    store = index.fingerprint_store
    where = Where(tuple(filters), fingerprinted=True)
    (drawn,) = store.ask([Find(where, size=size, order=("random",), seed=seed)])
    if drawn.rows:
        # An id may be in several indices behind an alias.
        return list(dict.fromkeys(row.id for row in drawn.rows))
    if not count_documents(store):
        raise InputError(f"Index {index.name!r} has no documents. Ingest some.")
    raise InputError(
        f"Index {index.name!r} has no documents with fingerprints of scheme "
        f"{index.config.scheme.name!r}. Run `es-simhash backfill {index.name}`."
    )


def count_documents(store: Store, *, fingerprinted: bool = False) -> int:
    """Return how many documents an index has, or how many of them have fingerprints."""
    where = Where(fingerprinted=fingerprinted)
    (counted,) = store.ask([Find(where, size=0, order=(), count=True)])
    total: int = counted.total
    return total


def _answers(
    index: SampledIndex,
    ids: Sequence[str],
    filters: Sequence[Filter],
    failed: dict[str, EsSimhashError],
) -> Iterator[tuple[str, Answer]]:
    """Yield what is related to each document; those that cannot be read are noted as failed."""
    try:
        yield from _related(index, ids, filters).items()
    except OF_ONE_DOCUMENT as error:
        if len(ids) == 1:
            failed[ids[0]] = error
            return
        for id in ids:
            yield from _answers(index, [id], filters, failed)


def _related(
    index: SampledIndex, ids: Sequence[str], filters: Sequence[Filter]
) -> Mapping[str, Answer]:
    filters = tuple(filters)
    versions = index.related_to_each(ids, options=replace(_VERSIONS, filters=filters))
    others = index.related_to_each(ids, options=replace(_OTHERS, filters=filters))
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
