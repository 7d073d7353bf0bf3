"""Suggestions for an index from a sample of its documents, and from labelled pairs of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.evaluate import labelled_set
from es_simhash.lab.evaluation.evaluation_figures import LabelledSet
from es_simhash.lab.evaluation.labelled_pairs import usable_pairs
from es_simhash.lab.evaluation.pair_measures import DocumentPairs, Floats
from es_simhash.lab.evaluation.pair_texts import found_pairs, index_texts, require_both_labels
from es_simhash.lab.evaluation.sampled_pairs import count_documents
from es_simhash.lab.methods.project_method import read_texts
from es_simhash.lab.tuning.distance_figures import (
    SharedBlocks,
    block_figures,
    distance_figures,
    suggested_k,
)
from es_simhash.lab.tuning.scheme_proposal import suggested_scheme, unlabelled_scheme
from es_simhash.lab.tuning.threshold_proposal import choose_by_labels, find_valley
from es_simhash.lab.tuning.tuning_figures import (
    SchemeProposal,
    ThresholdProposal,
    TuneOptions,
    Tuning,
)
from es_simhash.lab.tuning.tuning_sample import Neighbours, neighbours_of, sample_of
from es_simhash.maintenance.diagnostics.block_searches import BlockSearches
from es_simhash.maintenance.diagnostics.document_sample import fingerprint_rows
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.scoring import version_value
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.block_scans import BlockScans
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.intents import Configuration
from es_simhash.store.protocol import Progress, ask, no_progress, run


def tune(
    client: Client,
    index: str,
    *,
    labels: str | Path | None = None,
    options: TuneOptions | None = None,
    config: IndexConfig | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Return the scheme, the Hamming distance, the blocks and the threshold that suit an index.

    Nothing is written: `configure(client, index, tuning.settings)` stores the threshold, and
    everything that compares documents of the index reads it there.

    Args:
        client: Client of the cluster; the privileges `read` and `view_index_metadata` are enough.
        index: Index, alias, data stream or sidecar with fingerprints.
        labels: File of labelled pairs of its documents, as `evaluate` reads it. Lines that cannot
            be used are left out and reported in `problems`; when no pairs of both labels are left,
            the suggestions are those without labels.
        options: Size and seed of the sample.
        config: Names of the fields.
        progress: Called with what is done, how many of it, and of how many.

    Returns:
        Without labels, the threshold changes only where the scores of the sample have a clear gap
        elsewhere. With labels, it changes only where that is clearly better on held-out pairs.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
        InputError: It has no documents with fingerprints, or the file of labels cannot be read.
    """
    options, read = options or TuneOptions(), config or IndexConfig()
    gateway = Gateway.of(client)
    store = ElasticsearchStore(gateway, index, read)
    installed = run(ask(Configuration()), store).config
    known = _Labels() if labels is None else _labels_of(gateway, index, Path(labels), read)
    sample = sample_of(store, installed, options)
    neighbours = neighbours_of(store, sample, progress or no_progress)
    scheme = installed.scheme
    documents = count_documents(store, fingerprinted=True)
    proposal, threshold = _proposals(known.labelled, neighbours, installed)
    shared = SharedBlocks.of(fingerprint_rows(sample), scheme.blocks, documents)
    searches = BlockSearches(BlockScans(gateway, index, installed))
    distances = distance_figures(searches, sample, neighbours, shared, threshold.value)
    return Tuning(
        index,
        documents,
        len(sample),
        options.seed,
        len(neighbours.values),
        float(np.median(neighbours.candidates or [0])),
        float(np.median(neighbours.took or [0])),
        proposal,
        suggested_k(distances),
        scheme.max_k,
        distances,
        block_figures(sample, neighbours, shared, threshold.value),
        threshold,
        known.problems,
    )


@dataclass(frozen=True)
class _Labels:
    """Labelled pairs of documents of the index: None where none of both labels are left."""

    labelled: LabelledSet | None = None
    problems: tuple[str, ...] = field(default=())


def _labels_of(gateway: Gateway, index: str, path: Path, config: IndexConfig) -> _Labels:
    pairs = usable_pairs(path)
    if not pairs.labels:
        nothing = (
            f"File {pairs.name!r} has no labelled pair: the sample alone decides. Write two ids "
            "and a label on each line."
        )
        return _Labels(problems=(*pairs.problems, nothing))
    where = f"index {index}"
    ids = sorted({id for pair in pairs.labels for id in pair})
    is_sidecar = sidecar_source(gateway, index, config.simhash_field) is not None
    store = ElasticsearchStore(gateway, index, config, is_sidecar=is_sidecar)
    texts, reasons = index_texts(store, ids)
    known = found_pairs(pairs, texts.__contains__, where, reasons)
    try:
        require_both_labels(known, where)
    except InputError as error:
        return _Labels(problems=(*known.problems, str(error)))
    return _Labels(labelled_set(known, texts), known.problems)


def _proposals(
    labelled: LabelledSet | None, neighbours: Neighbours, config: IndexConfig
) -> tuple[SchemeProposal, ThresholdProposal]:
    """Return the scheme and the threshold, by labels where there are some."""
    scheme, present = config.scheme, config.versions_from
    if labelled is None:
        return unlabelled_scheme(scheme), _threshold_by_gap(neighbours, present)
    texts = read_texts(labelled.texts, scheme).texts
    threshold = _threshold_by_labels(labelled, texts, present)
    return suggested_scheme(scheme, labelled, texts), threshold


def _threshold_by_gap(neighbours: Neighbours, present: float) -> ThresholdProposal:
    valley = find_valley(neighbours.values[neighbours.values > 0], present)
    value = present if valley.threshold is None else valley.threshold
    return ThresholdProposal(value, present, valley.reason)


def _threshold_by_labels(
    labelled: LabelledSet, texts: Sequence[AnalysedText | None], present: float
) -> ThresholdProposal:
    figures = choose_by_labels(labelled.pairs, _values(labelled.pairs, texts), present)
    value = figures.of("proposed").threshold
    if value != present:
        reason = (
            f"On held-out pairs F1 is {figures.of('proposed').f1.value:.3f}, with the present "
            f"threshold {figures.of('present').f1.value:.3f}."
        )
    else:
        reason = (
            f"No other threshold is clearly better on held-out pairs than {present:g}, which stays."
        )
    return ThresholdProposal(value, present, reason, figures)


def _values(pairs: DocumentPairs, texts: Sequence[AnalysedText | None]) -> Floats:
    """Return how far the pairs are versions; texts without words are versions of nothing."""
    values = []
    for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        one, other = texts[first], texts[second]
        values.append(0.0 if one is None or other is None else version_value(one, other))
    return np.array(values)
