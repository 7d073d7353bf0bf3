"""The plan of an index, and what its sample says of a document: time, bytes and shared text."""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import (
    ClusterError,
    DocumentAmbiguous,
    DocumentMissing,
    MappingConflict,
    SchemeMismatch,
)
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.ingestion.bulk.json_documents import splice
from es_simhash.maintenance.plans.cost_model import (
    EVERYTHING,
    REFERENCE,
    TEXT,
    VERSIONS,
    Plan,
    PlanOptions,
    SampleFigures,
    constant,
    plan_for,
)
from es_simhash.maintenance.plans.sample_texts import (
    Sample,
    SampledText,
    is_file,
    sample_of_file,
    sample_of_index,
)
from es_simhash.pairs.postings import Postings
from es_simhash.questions.index import Index
from es_simhash.relation.shared_shingles import least_shared, sampled
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.config import DEFAULT_TEXT_FIELD, IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import count_statuses, primary_sizes
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.encoding import encode
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.trial_index import TrialIndex
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Progress, no_progress
from es_simhash.text.segmentation import text_batches

# Documents of the sample that are written, and fingerprinted with a clock.
MEASURED = 5_000
_BATCH, _QUESTIONS = 250, 30
# Whether it is there does not matter.
_NO_INDEX = "es-simhash-plan"
_MEMBER = f'"{DEFAULT_FIELD}"'.encode()
_ASKED: Mapping[str, SearchOptions] = {
    VERSIONS: SearchOptions(
        kinds=("exact", "version", "contains", "excerpt_of"), evidence=False, passages=False
    ),
    EVERYTHING: SearchOptions(),
}


class _Encoded:
    """The objects of some texts, and what each took.

    Args:
        texts: The texts.
        semantics: Scheme of the semantic features; None for fingerprints alone.
    """

    def __init__(self, texts: Sequence[SampledText], semantics: SemanticScheme | None) -> None:
        config = IndexConfig(semantics=semantics)
        contents = [each.text for each in texts]
        # Loads what is loaded once.
        encode(contents[:1], config)
        started = time.process_time()
        batches = (encode(batch, config) for batch in text_batches(contents))
        self.objects = [each for batch in batches for each in batch.objects]
        self.seconds = (time.process_time() - started) / len(texts)
        self.bytes = sum(map(len, self.objects)) / len(texts)


def shared_pairs(texts: Sequence[str]) -> float:
    """Return which share of the pairs of texts shares enough shingles to be compared."""
    shingles: dict[int, NDArray[np.uint32]] = {}
    for batch in text_batches(texts):
        for each in fingerprint_batch(batch):
            shingles[len(shingles)] = sampled(each.shingles)
    if len(shingles) < 2:
        return 0.0
    postings = Postings(shingles)
    pairs = sum(
        len(postings.after(number, least_shared(len(numbers))))
        for number, numbers in shingles.items()
        if len(numbers)
    )
    return 2 * pairs / (len(shingles) * (len(shingles) - 1))


def measured_file(
    gateway: Gateway | None,
    sample: Sample,
    name: str,
    text_field: str = DEFAULT_TEXT_FIELD,
    progress: Progress = no_progress,
) -> SampleFigures:
    """Return the figures of a sample, of which some documents are written into trial indices.

    Args:
        gateway: To the cluster; None where there is none, and constants say what it takes.
        sample: The sample.
        name: What it is called.
        text_field: Field that has the texts.
        progress: Called after each step.
    """
    texts = sample.texts[:MEASURED]
    progress("steps", 0, 5)
    shared = shared_pairs([each.text for each in sample.texts])
    progress("steps", 1, 5)
    encoded = {VERSIONS: _Encoded(texts, None), EVERYTHING: _Encoded(texts, DEFAULT_SEMANTICS)}
    progress("steps", 2, 5)
    if gateway is None:
        characters = _mean([len(each.text) for each in texts])
        stored = _modelled_bytes(_mean([len(each.source) for each in texts]), encoded)
        engine = _engine_by_constants(characters)
        asked, questions = REFERENCE.asked, dict(REFERENCE.question_ms)
    else:
        config = IndexConfig(text_field=text_field)
        stored, engine, questions = _tried(gateway, texts, encoded, config, progress)
        asked = len(texts)
    progress("steps", 5, 5)
    return SampleFigures(
        source=name,
        documents=len(sample.texts),
        without_text=sample.without_text,
        characters=_mean([len(each.text) for each in sample.texts]),
        stored=stored,
        client_seconds={choice: each.seconds for choice, each in encoded.items()},
        engine_seconds=engine,
        shared_pairs=shared,
        asked=asked,
        question_ms=questions,
    )


def _tried(
    gateway: Gateway,
    texts: Sequence[SampledText],
    encoded: Mapping[str, _Encoded],
    config: IndexConfig,
    progress: Progress,
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return bytes and seconds of the cluster by what is stored, and milliseconds of questions."""
    stored: dict[str, float] = {}
    engine: dict[str, float] = {}
    questions: dict[str, float] = {}
    sources = {TEXT: [each.source for each in texts]} | {
        choice: [
            splice(each.source, _MEMBER, one)
            for each, one in zip(texts, of_choice.objects, strict=True)
        ]
        for choice, of_choice in encoded.items()
    }
    for step, (choice, documents) in enumerate(sources.items(), 3):
        semantics = DEFAULT_SEMANTICS if choice == EVERYTHING else None
        with TrialIndex(gateway, semantics, has_fields=choice != TEXT) as trial:
            numbered = [(str(number), each) for number, each in enumerate(documents)]
            engine[choice] = statistics.median(
                trial.write(batch) / len(batch) for batch in _batches(numbered)
            )
            stored[choice] = trial.stored() / len(texts)
            if choice == EVERYTHING:
                ids = [id for id, _ in numbered]
                questions = question_times(Index(gateway, trial.name, config=config), ids)
        progress("steps", step, 5)
    return stored, engine, questions


def _batches(documents: Sequence[tuple[str, bytes]]) -> Iterator[Sequence[tuple[str, bytes]]]:
    for start in range(0, len(documents), _BATCH):
        yield documents[start : start + _BATCH]


def question_times(index: Index, ids: Sequence[str]) -> dict[str, float]:
    """Return the median of the milliseconds of a question, by what it asks for.

    Documents that no question can be asked about are passed over; where there are no others,
    nothing is returned.
    """
    every = max(1, len(ids) // _QUESTIONS)
    chosen = ids[::every][:_QUESTIONS]
    times: dict[str, float] = {}
    for choice, options in _ASKED.items():
        # The first ones warm up.
        for id in chosen[: len(chosen) // 3]:
            _milliseconds(index, id, options)
        taken = [_milliseconds(index, id, options) for id in chosen]
        if known := [each for each in taken if each is not None]:
            times[choice] = statistics.median(known)
    return times if len(times) == len(_ASKED) else {}


def _milliseconds(index: Index, id: str, options: SearchOptions) -> float | None:
    """Return what a question takes; None where the document is gone, or in several indices."""
    started = time.perf_counter()
    try:
        index.related(id=id, options=options)
    except (DocumentAmbiguous, DocumentMissing, SchemeMismatch):
        return None
    return 1000 * (time.perf_counter() - started)


def measured_index(
    gateway: Gateway, index: str, config: IndexConfig, sample: Sample
) -> SampleFigures:
    """Return the figures of an index, by its own size where that is known; nothing is written."""
    texts = sample.texts
    encoded = {VERSIONS: _Encoded(texts, None), EVERYTHING: _Encoded(texts, DEFAULT_SEMANTICS)}
    characters = _mean([len(each.text) for each in texts])
    stored = _modelled_bytes(_mean([len(each.source) for each in texts]), encoded)
    asked, questions = REFERENCE.asked, REFERENCE.question_ms
    asking = Index(gateway, index, config=config)
    sizes, has = primary_sizes(gateway, index), stored_choice(gateway, index, config)
    if sizes is not None and sizes[1]:
        # Its segments are as they are; the model adds that to one segment.
        own = sizes[0] / sizes[1] / constant("loaded_over_merged")
        # Our part of it is modelled, and that of the text is the rest.
        rest = max(own - (stored[has] - stored[TEXT]), own / 4)
        stored = {choice: each - stored[TEXT] + rest for choice, each in stored.items()}
        stored[has] = own
        if has == EVERYTHING and (times := question_times(asking, sample.ids)):
            asked, questions = sizes[1], times
    return SampleFigures(
        source=f"index {index!r}",
        documents=len(texts),
        without_text=sample.without_text,
        characters=characters,
        stored=stored,
        client_seconds={choice: each.seconds for choice, each in encoded.items()},
        engine_seconds=_engine_by_constants(characters),
        shared_pairs=shared_pairs([each.text for each in texts]),
        asked=asked,
        question_ms=questions,
    )


def stored_choice(gateway: Gateway, index: str, config: IndexConfig) -> str:
    """Return what most documents of an index have: the text alone, fingerprints, or everything."""
    try:
        installed = ElasticsearchStore(gateway, index, config).config
    except MappingConflict:
        return TEXT
    status = count_statuses(gateway, index, installed)
    if 2 * status.fingerprints.current < status.documents:
        return TEXT
    profiles = status.profiles
    return VERSIONS if profiles is None or not profiles.current else EVERYTHING


def _modelled_bytes(source: float, encoded: Mapping[str, _Encoded]) -> dict[str, float]:
    """Return the bytes of a document on disk from those of its JSON and of the object."""
    text = source * constant("text_bytes")
    return {
        TEXT: text,
        **{
            choice: text + each.bytes * constant(f"object_bytes_{choice}")
            for choice, each in encoded.items()
        },
    }


def _engine_by_constants(characters: float) -> dict[str, float]:
    longer = characters / constant("engine_characters")
    return {choice: longer * constant(f"engine_{choice}") for choice in (TEXT, *_ASKED)}


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers)


def plan_index(
    client: Client,
    options: PlanOptions,
    *,
    config: IndexConfig | None = None,
    progress: Progress = no_progress,
) -> Plan:
    """Return what an index of so many documents will cost.

    Args:
        client: Client of a cluster. Documents of a file are written into indices of their own
            there, which are deleted again; where no cluster answers, constants say what it takes.
        options: How many documents, and like which.
        config: Names of the fields.
        progress: Called after each step.

    Raises:
        InputError: The sample is neither a file nor an index, or has no document with a text.
        ClusterError: The index cannot be read.
    """
    gateway, config, sample = Gateway.of(client), config or IndexConfig(), options.sample
    if sample is None:
        figures = REFERENCE
    elif is_file(sample):
        drawn = sample_of_file(sample, config)
        name = f"file {sample!r}"
        figures = measured_file(_answering(gateway), drawn, name, config.text_field, progress)
    else:
        drawn = sample_of_index(gateway, sample, config)
        figures = measured_index(gateway, sample, config, drawn)
    return plan_for(figures, options.documents, options.processes)


def _answering(gateway: Gateway) -> Gateway | None:
    """Return the gateway when its cluster answers."""
    try:
        gateway.exists(_NO_INDEX)
    except RequestRejected:
        return gateway
    except ClusterError:
        return None
    return gateway
