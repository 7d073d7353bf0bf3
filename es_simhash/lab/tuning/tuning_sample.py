"""A sample of the documents of an index, and what shares text with them, by what is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.lab.evaluation.pair_measures import Floats, Ints
from es_simhash.lab.tuning.tuning_figures import TuneOptions, TuneProgress
from es_simhash.maintenance.diagnostics.document_sample import SampledDocument, draw_sample
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.scoring import version_value
from es_simhash.store import fields
from es_simhash.store.codec import shingles_of, stored_parts
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import shingle_clauses
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.paths import get_path
from es_simhash.store.source import text_of

# Documents that share shingles with one of the sample and are compared with it, the best first.
_COMPARED = 20
# Documents of one request: those that are queried bring their neighbours along.
_PER_REQUEST = 20


@dataclass(frozen=True)
class StoredDocument:
    """A document by what is stored of it.

    Attributes:
        id: Its id.
        text: The stored parts of its text.
        fingerprint: Its document fingerprint.
    """

    id: str
    text: AnalysedText
    fingerprint: bytes


@dataclass(frozen=True)
class Neighbours:
    """What shares shingles with the documents of a sample.

    Attributes:
        values: How far each pair is versions; each pair once.
        distances: Of the document fingerprints of each pair.
        candidates: Documents that share enough shingles with each document of the sample.
        took: Milliseconds of each search, as the cluster reports them.
    """

    values: Floats
    distances: Ints
    candidates: Sequence[int]
    took: Sequence[int]

    def within(self, k: int, threshold: float) -> float:
        """Return the share of the versions within k bits; nan without any."""
        are_versions = self.values >= threshold
        if not are_versions.any():
            return float("nan")
        return float((self.distances[are_versions] <= k).mean())


def sample_of(
    gateway: Gateway, index: str, config: IndexConfig, options: TuneOptions
) -> list[SampledDocument]:
    """Return documents of an index with fingerprints of its scheme, drawn at random.

    Raises:
        InputError: There are none.
    """
    drawn = draw_sample(gateway, index, config, options.sample, options.seed)
    sample = [
        each
        for each in drawn
        if each.scheme == config.scheme.name and each.fingerprint is not None and each.blocks
    ]
    if sample:
        return sample
    if not gateway.count(index):
        raise InputError(f"Index {index!r} has no documents. Ingest some.")
    raise InputError(
        f"None of {len(drawn)} documents of index {index!r} has words and fingerprints of scheme "
        f"{config.scheme.name!r}. Run `es-simhash backfill {index}`."
    )


def neighbours_of(
    gateway: Gateway,
    index: str,
    config: IndexConfig,
    sample: Sequence[SampledDocument],
    progress: TuneProgress,
) -> Neighbours:
    """Return what shares shingles with each document of a sample, compared with it.

    Args:
        gateway: To the cluster.
        index: The index.
        config: Its configuration.
        sample: The documents.
        progress: Called after each request.
    """
    pairs: dict[tuple[str, str], tuple[float, int]] = {}
    candidates: list[int] = []
    took: list[int] = []
    for start in range(0, len(sample), _PER_REQUEST):
        ids = [document.ref.id for document in sample[start : start + _PER_REQUEST]]
        (found,) = gateway.search_all(index, [_by_ids(ids, config)])
        documents = list(_read(found, config))
        bodies = [_sharing(document, config) for document in documents]
        answers = gateway.search_all(index, bodies) if bodies else []
        for document, answer in zip(documents, answers, strict=True):
            others = list(_read(answer, config))
            candidates.append(answer["hits"]["total"]["value"])
            took.append(answer["took"])
            for other, distance in zip(others, _distances(document, others), strict=True):
                key = min(document.id, other.id), max(document.id, other.id)
                if key not in pairs:
                    pairs[key] = version_value(document.text, other.text), distance
        progress("documents", min(start + _PER_REQUEST, len(sample)), len(sample))
    rows = np.array(list(pairs.values()), np.float64).reshape(-1, 2)
    return Neighbours(rows[:, 0], rows[:, 1].astype(np.int64), candidates, took)


def _distances(document: StoredDocument, others: Sequence[StoredDocument]) -> list[int]:
    if not others:
        return []
    row = np.frombuffer(document.fingerprint, np.uint8)[None]
    rows = np.frombuffer(b"".join(other.fingerprint for other in others), np.uint8)
    distances: list[int] = hamming_distances(row, rows.reshape(len(others), -1))[0].tolist()
    return distances


def _by_ids(ids: Sequence[str], config: IndexConfig) -> dict[str, Any]:
    return {**_body({"ids": {"values": list(ids)}}, config), "size": len(ids)}


def _sharing(document: StoredDocument, config: IndexConfig) -> dict[str, Any]:
    """Return the search for what shares enough shingles with a document, as families search."""
    text = document.text
    sharing = shingle_clauses(config.simhash_field, text.queried_shingles, len(text.shingles))
    query = {"bool": {"must_not": [{"ids": {"values": [document.id]}}], **sharing}}
    return {**_body(query, config), "size": _COMPARED, "track_total_hits": True}


def _body(query: Mapping[str, Any], config: IndexConfig) -> dict[str, Any]:
    fingerprint = {"field": config.path(fields.FINGERPRINT), "format": "binary"}
    return {
        "query": {"bool": {"must": [query], "filter": [config.of_scheme]}},
        "_source": [config.path(fields.SHINGLES), config.path(fields.CONTENT_HASH)],
        "docvalue_fields": [*map(config.path, fields.SCORED_MEMBERS), fingerprint],
        "track_total_hits": False,
    }


def _read(response: Mapping[str, Any], config: IndexConfig) -> Iterator[StoredDocument]:
    """Yield the documents of a response that have all stored parts."""
    for hit in response["hits"]["hits"]:
        source = hit.get("_source", {})
        parts = stored_parts(hit.get("fields", {}), config.simhash_field)
        content_hash = text_of(source, config.path(fields.CONTENT_HASH))
        terms = get_path(source, config.path(fields.SHINGLES))
        fingerprint = SampledDocument.of_hit(hit, config).fingerprint
        if parts is None or content_hash is None or fingerprint is None:
            continue
        shingles = shingles_of(terms if isinstance(terms, list) else [])
        text = AnalysedText.of_parts(content_hash, shingles, *parts)
        yield StoredDocument(hit["_id"], text, fingerprint)
