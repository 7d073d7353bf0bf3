"""Counting the background of an index from a sample of its texts, and storing it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from es_simhash.errors import ClusterError, EsSimhashError, InputError
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.maintenance.backgrounds.background_report import (
    BackgroundReport,
    LearnedReport,
    languages_of,
)
from es_simhash.semantics.background import MIN_DOCUMENTS, Background
from es_simhash.semantics.background_counts import BackgroundCounts, drift
from es_simhash.semantics.entities.document_entities import upstream_entities
from es_simhash.semantics.learned_vectors import LearnedVectors
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.vector_learning import VectorSample
from es_simhash.semantics.vectors import no_vectors
from es_simhash.store.background_entry import (
    CountedIndex,
    background_of,
    counted_index,
    entry_of,
)
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import read_checkpoints
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.intents import Count, DocumentsAt, Find, Parts, Where
from es_simhash.store.mapping_meta import schemes_of, source_of
from es_simhash.store.protocol import Store
from es_simhash.store.rows import Row
from es_simhash.text.limits import is_too_long
from es_simhash.text.normal_forms import normalise

# Texts of a sample: from 200 on rankings are those of all texts (docs/semantic-neighbours.md).
SAMPLE = 2_000
_TEXTS_AT_ONCE = 100
# A sweep counts again when the number of documents has changed by this factor, or as many writes
# were made as there were documents.
_GROWTH = 1.5
# Two samples of one collection differ by 0.02 to 0.05.
DRIFTED = 0.1


def count_background(
    client: Client, index: str, *, config: IndexConfig | None = None, vectors: bool = False
) -> BackgroundReport:
    """Count the background of an index, and store it in place of any other.

    Where the index learns its own vectors, they are learned from the same sample if no document has
    been fingerprinted yet: those that have been would have to be moved by a backfill.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream, or a sidecar.
        config: Names of the fields and the vocabulary; the schemes are read from the mapping.
        vectors: Learn the vectors anew; `backfill` then computes those of the documents.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no `simhash` fields.
        InputError: It finds versions alone, or its vectors are not learned from it.
        ClusterError: A shard does not answer, or a privilege is missing; what was stored stays.
    """
    counter = _Counter.open(Gateway.of(client), index, config or IndexConfig(), vectors=vectors)
    return counter.replaced(counter.state.background())


def renew_background(
    client: Client, index: str, *, config: IndexConfig | None = None
) -> BackgroundReport | None:
    """Count the background of an index again where it may have drifted, and store it if it has.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        config: As in `count_background`.

    Returns:
        What was done; None where nothing changed. Nothing is raised: a failure is its `problem`.
    """
    try:
        counter = _Counter.open(Gateway.of(client), index, config or IndexConfig())
        return counter.renewed()
    except EsSimhashError as error:
        return BackgroundReport(index, problem=str(error))


@dataclass(frozen=True)
class _Counter:
    """Counts the background of one index.

    Attributes:
        store: The index that has the texts.
        config: How they are read.
        state: Where backgrounds are stored.
        vectors: Whether vectors are learned though there are some.
        sidecar: The sidecar that has the fingerprints; None where the index has them.
    """

    store: ElasticsearchStore
    config: IndexConfig
    state: StateIndex
    vectors: bool = False
    sidecar: str | None = None

    @classmethod
    def open(
        cls, gateway: Gateway, index: str, given: IndexConfig, *, vectors: bool = False
    ) -> "_Counter":
        mappings = gateway.mappings(index)
        name = source_of(mappings, given.simhash_field) or index
        # Vectors that cannot be read are not needed: they are learned anew.
        config = schemes_of(index, mappings, given.simhash_field).applied(given)
        if config.semantics is None:
            raise InputError(
                f"Index {index!r} finds versions alone, and a background weighs neighbours. "
                "Install it without --no-semantics."
            )
        if vectors and not config.semantics.is_learned:
            raise InputError(
                f"Index {index!r} has vectors {config.semantics.vectors!r}, which are not learned "
                "from it. Install fields under another name with --vectors index.",
                parameter="vectors",
            )
        store = ElasticsearchStore(gateway, name, config, is_complete=True)
        state = StateIndex(gateway, name, config.learned_field)
        return cls(store, config, state, vectors, None if name == index else index)

    @property
    def _scheme(self) -> str:
        return "" if self.config.semantics is None else self.config.semantics.name

    def replaced(self, entry: Mapping[str, Any] | None) -> BackgroundReport:
        """Count and store the background in place of that of an entry."""
        index = self._index()
        background, counts, learned = self._count()
        report = self._learned(self._report(background, counts, entry), learned)
        self.state.write_background(None if background is None else entry_of(background, index))
        return report

    def _learned(
        self, report: BackgroundReport, learned: LearnedVectors | None
    ) -> BackgroundReport:
        """Store vectors that are to be learned, and return the report with them."""
        if not self._learns or (learned is None and not self.vectors):
            return report
        before = self._head
        if learned is not None:
            self.state.write_table(learned)
        vectors = LearnedReport(
            None if learned is None else learned.name,
            0 if learned is None else learned.words,
            None if before is None else str(before.get("name")),
        )
        return replace(report, vectors=vectors)

    @cached_property
    def _head(self) -> Mapping[str, Any] | None:
        """The entry of the vectors that are stored; None without any."""
        return self.state.table_head()

    @cached_property
    def _learns(self) -> bool:
        """Whether vectors are learned: before documents have any, or on request."""
        semantics = self.config.semantics
        if semantics is None or not semantics.is_learned:
            return False
        return self.vectors or (self._head is None and not self._is_filled)

    @cached_property
    def _is_filled(self) -> bool:
        (fingerprinted,) = self.store.ask([Count(Where(fingerprinted=True))])
        return bool(fingerprinted)

    def renewed(self) -> BackgroundReport | None:
        """Count again where the index has changed enough, and store what has drifted."""
        entry = self.state.background()
        index = self._index()
        if entry is None and index.documents < MIN_DOCUMENTS:
            return None
        if entry is not None and not _has_changed(counted_index(entry), index):
            return None
        background, counts, learned = self._count()
        report = self._learned(self._report(background, counts, entry), learned)
        if entry is None and background is None:
            return None
        if background is not None and report.drift is not None and report.drift < DRIFTED:
            # The one that is stored is still right; remember that it was compared.
            assert entry is not None
            same = {**entry, "documents": index.documents, "writes": index.writes}
            self.state.write_background(same)
            return None if report.vectors is None else replace(report, name=str(entry.get("name")))
        self.state.write_background(None if background is None else entry_of(background, index))
        return report

    def _report(
        self,
        background: Background | None,
        counts: BackgroundCounts,
        entry: Mapping[str, Any] | None,
    ) -> BackgroundReport:
        languages = {} if background is None else languages_of(background)
        before = None if entry is None else str(entry.get("name"))
        name = None if background is None else background.name
        return BackgroundReport(
            self.store.name,
            name,
            None if background is None else background.date,
            languages,
            {
                code: count
                for code, count in sorted(counts.documents.items())
                if code not in languages
            },
            None if before == name else before,
            self._drift(background, entry),
            can_learn=self._could_learn(background),
            sidecar=self.sidecar,
        )

    def _could_learn(self, background: Background | None) -> bool:
        semantics = self.config.semantics
        is_learned = semantics is not None and semantics.is_learned
        return is_learned and background is not None and not self._learns and self._head is None

    def _drift(self, new: Background | None, entry: Mapping[str, Any] | None) -> float | None:
        if new is None or entry is None:
            return None
        try:
            old = background_of(entry, self.store.name, self._scheme)
        except EsSimhashError:
            return None
        return round(drift(old, new), 4)

    def _index(self) -> CountedIndex:
        """Return the index as it is now; without the privilege `monitor` nothing of its writes."""
        (documents,) = self.store.ask([Count()])
        try:
            checkpoints = read_checkpoints(self.store.gateway, self.store.name)
        except ClusterError:
            return CountedIndex(int(documents), 0)
        return CountedIndex(int(documents), sum(point.highest + 1 for point in checkpoints))

    def _count(self) -> tuple[Background | None, BackgroundCounts, LearnedVectors | None]:
        assert self.config.semantics is not None
        profiler = semantic_profiler(self.config.semantics, self.config.vocabulary)
        # Vectors are not counted, and a model may take long for them.
        profiler = replace(profiler, source=no_vectors)
        counts, vectors = BackgroundCounts(), VectorSample()
        fields = self.config.entity_fields
        for rows in _different(_sampled(self.store, fields), fields):
            texts = [str(row.text) for row in rows]
            extractions = profiler.extractions(texts, [row.source for row in rows])
            counts.add(profiler.profiles_of(texts, extractions))
            if self._learns:
                vectors.add(extractions)
        date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        learned = vectors.learned(date, self._scheme) if self._learns else None
        return counts.background(date, self._scheme), counts, learned


def _has_changed(before: CountedIndex, now: CountedIndex) -> bool:
    """Check whether an index may have drifted: it grew or shrank, or was written anew."""
    least, most = sorted((before.documents, now.documents))
    writes = now.writes - before.writes
    return most > _GROWTH * least or writes < 0 or writes > before.documents


def _sampled(store: Store, fields: Sequence[str]) -> Iterator[list[Row]]:
    """Yield documents drawn at random with their texts, some at a time."""
    (found,) = store.ask([Find(size=SAMPLE, order=("random",))])
    refs = [row.ref for row in found.rows]
    for start in range(0, len(refs), _TEXTS_AT_ONCE):
        some = tuple(refs[start : start + _TEXTS_AT_ONCE])
        (rows,) = store.ask([DocumentsAt(some, Parts(text=True, fields=tuple(fields)))])
        yield [rows[ref] for ref in some if ref in rows]


def _different(batches: Iterator[list[Row]], fields: Sequence[str]) -> Iterator[list[Row]]:
    """Yield documents that have a text which none before them has, and names that can be read."""
    seen: set[str] = set()
    for rows in batches:
        different = []
        for row in rows:
            if row.text is None or is_too_long(row.text) or not _has_names(row, fields):
                continue
            digest = content_hash(normalise(row.text))
            if digest not in seen:
                seen.add(digest)
                different.append(row)
        yield different


def _has_names(row: Row, fields: Sequence[str]) -> bool:
    """Check whether the names of a document can be read: without them it has no fingerprints."""
    try:
        upstream_entities(row.source, fields)
    except InputError:
        return False
    return True
