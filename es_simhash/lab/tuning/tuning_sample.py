"""A sample of the documents of an index, and what shares text with them, by what is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from es_simhash.errors import InputError
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.lab.evaluation.pair_measures import Floats, Ints
from es_simhash.lab.evaluation.sampled_pairs import count_documents
from es_simhash.lab.tuning.tuning_figures import TuneOptions
from es_simhash.maintenance.diagnostics.document_sample import SampledDocument, draw_sample
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.scoring import version_value
from es_simhash.relation.shared_shingles import least_shared
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import Find, Parts, Sharing, Where
from es_simhash.store.protocol import Progress, Store
from es_simhash.store.rows import Rows
from es_simhash.text.counting import counted

# Documents that share shingles with one of the sample and are compared with it, the best first.
_COMPARED = 20
# Documents of one request: those that are queried bring their neighbours along.
_PER_REQUEST = 20
_PARTS = Parts(stored=True, fingerprint=True)


@dataclass(frozen=True)
class StoredDocument:
    """A document by what is stored of it.

    Attributes:
        id: Its id.
        text: The stored parts of its text.
        fingerprint: Its document fingerprint.
    """

    id: str
    text: StoredText
    fingerprint: bytes


@dataclass(frozen=True)
class Neighbours:
    """Documents that share shingles with those of a sample.

    Attributes:
        values: How far each pair is versions; each pair once.
        distances: Distance of the document fingerprints of each pair.
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


def sample_of(store: Store, config: IndexConfig, options: TuneOptions) -> list[SampledDocument]:
    """Return documents of an index with fingerprints of its scheme, drawn at random.

    Raises:
        InputError: There are none.
    """
    drawn = draw_sample(store, config, options.sample, options.seed)
    sample = [
        document
        for document in drawn
        if document.scheme == config.scheme.name
        and document.fingerprint is not None
        and document.blocks
    ]
    if sample:
        return sample
    if not count_documents(store):
        raise InputError(f"Index {store.name!r} has no documents. Ingest some.")
    raise InputError(
        f"None of {counted(len(drawn), 'document')} of index {store.name!r} has words and "
        f"fingerprints of scheme {config.scheme.name!r}. Run `es-simhash backfill {store.name}`."
    )


def neighbours_of(
    store: Store, sample: Sequence[SampledDocument], progress: Progress
) -> Neighbours:
    """Return what shares shingles with each document of a sample, compared with it.

    Args:
        store: The index.
        sample: The documents.
        progress: Called after each request.
    """
    pairs: dict[tuple[str, str], tuple[float, int]] = {}
    candidates: list[int] = []
    took: list[int] = []
    for start in range(0, len(sample), _PER_REQUEST):
        ids = tuple(document.ref.id for document in sample[start : start + _PER_REQUEST])
        where = Where(fingerprinted=True, ids=ids)
        (stored,) = store.ask([Find(where, _PARTS, len(ids), order=())])
        documents = list(_complete(stored))
        answers = store.ask([_sharing(document) for document in documents])
        for document, answer in zip(documents, answers, strict=True):
            others = list(_complete(answer))
            candidates.append(answer.total)
            took.append(answer.took)
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


def _sharing(document: StoredDocument) -> Find:
    """Return the request for what shares enough shingles with a document, as families search."""
    text = document.text
    sharing = Sharing(text.queried_shingles, least_shared(len(text.shingles)))
    where = Where(fingerprinted=True, excluded_ids=(document.id,))
    return Find(where, _PARTS, _COMPARED, sharing=(sharing,), count=True)


def _complete(rows: Rows) -> Iterator[StoredDocument]:
    """Yield the documents that have all stored parts."""
    for row in rows.rows:
        if row.stored is not None and row.fingerprint is not None:
            yield StoredDocument(row.id, row.stored, row.fingerprint)
