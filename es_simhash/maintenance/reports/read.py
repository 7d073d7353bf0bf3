"""Reading an index for a report, within stated bounds of time and memory."""

import time
from dataclasses import replace
from typing import Protocol

from es_simhash.errors import InputError
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.reports.documents import large_families, newest_versions
from es_simhash.maintenance.reports.families import (
    MAX_EXAMINED,
    FamilyCounter,
    count_exact_copies,
    count_families,
)
from es_simhash.maintenance.reports.index_report import (
    ExactCopies,
    FamilySizes,
    IndexReport,
    ReportOptions,
    ScoreSample,
)
from es_simhash.maintenance.reports.scores import (
    close_pairs,
    explained_pairs,
    sample_scores,
    sampled_ids,
    score_search,
)
from es_simhash.pairs.copies import CopiesReport
from es_simhash.questions.document_contexts import Contexts
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.index_counts import Status
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.intents import FindDateField, Where
from es_simhash.store.protocol import Progress, Result, Steps, Store, ask, no_progress, run

# Of more documents, copies are not looked for: one takes some milliseconds (docs/report.md).
MAX_COMPARED = 100_000


class ReportedIndex(RelatedIndex, Protocol):
    """An index that a report is made of, as `Index` is one."""

    @property
    def name(self) -> str:
        """Name of the index, alias or data stream."""

    @property
    def gateway(self) -> Gateway:
        """Gateway to the cluster."""

    @property
    def store(self) -> Store:
        """The documents."""

    @property
    def config(self) -> IndexConfig:
        """How it is read and fingerprinted."""


def read_report(
    index: ReportedIndex,
    *,
    options: ReportOptions | None = None,
    progress: Progress | None = None,
) -> IndexReport:
    """Return how much of an index is versions, copies and unique; nothing is written.

    Args:
        index: Index, alias or data stream with fingerprints.
        options: What to read, and for how long.
        progress: Called, now and then.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields, or is a sidecar, or the date field holds no
            dates.
        InputError: No document has fingerprints, no mapping has the date field, or copies cannot
            be looked for.
    """
    field, why = index.config.simhash_field, "and families are in the documents themselves"
    mapped = index.gateway.mappings(index.name)
    require_own_fields(mapped, index.name, field, why=why, command="families run")
    return _Reader(index, options or ReportOptions(), progress or no_progress).report()


class _Reader:
    """Reads an index for one report."""

    def __init__(self, index: ReportedIndex, options: ReportOptions, progress: Progress) -> None:
        self._index = index
        self._config = index.config
        self._options = options
        self._where = Where(options.filters)
        self._progress = progress
        self._notes: list[str] = []

    def _run(self, steps: Steps[Result]) -> Result:
        return run(steps, self._index.store)

    def report(self) -> IndexReport:
        """Return the report."""
        date_field = self._date_field()
        contexts = Contexts(self._config, date_field)
        self._progress("documents", 0, None)
        status = self._status()
        counter, sizes, exact = self._families(status)
        newest = None
        if date_field is not None and sizes is not None:
            newest = self._run(newest_versions(self._where, contexts, date_field))
        if date_field is None and status.documents:
            self._notes.append(
                "The newest versions, and the dates of families, need a field of dates. Name it "
                f"with `es-simhash config {self._index.name} --date-field FIELD`."
            )
        return IndexReport(
            status=status,
            at=time.strftime("%Y-%m-%d %H:%M %Z"),
            sizes=sizes,
            exact=exact,
            largest=self._run(large_families(counter.largest, self._where, contexts)),
            newest=newest,
            copies=self._copies(status),
            scores=self._scores(status, contexts),
            notes=tuple(self._notes),
        )

    def _date_field(self) -> DateField | None:
        name = self._options.date_field or self._config.documents.date
        if name is None:
            return None
        return self._run(ask(FindDateField(name, "date_field")))

    def _status(self) -> Status:
        status = count_documents(
            self._index.gateway,
            self._index.name,
            config=self._config,
            filters=self._options.filters,
        )
        if status.documents and status.fingerprints.none == status.documents:
            raise InputError(
                f"No document of {self._index.name!r} has fingerprints. "
                f"Run `es-simhash backfill {self._index.name}`."
            )
        return status

    def _families(
        self, status: Status
    ) -> tuple[FamilyCounter, FamilySizes | None, ExactCopies | None]:
        if not status.in_families:
            return FamilyCounter(), None, None
        counter, sizes = self._run(
            count_families(self._where, self._options, self._progress, status.in_families)
        )
        if not sizes.is_complete:
            self._notes.append(
                f"Reading the families ended after {self._options.seconds:g} seconds: shares "
                f"and sizes are those of {sizes.documents:,} of {status.in_families:,} documents."
            )
        sample = counter.sample(MAX_EXAMINED)
        exact = self._run(count_exact_copies(self._where, sample, self._progress))
        if sizes.versions and exact is None:
            self._notes.append("Exact copies were not counted.")
        elif exact is not None and exact.examined < sizes.versions:
            self._notes.append(
                f"Exact copies were counted in a sample of {exact.examined:,} of the "
                f"{sizes.versions:,} documents that have versions."
            )
        return counter, sizes, exact

    def _copies(self, status: Status) -> CopiesReport | None:
        if not self._options.copies or not status.documents:
            return None
        bound = min(self._options.max_compared or MAX_COMPARED, MAX_COMPARED)
        if status.documents > bound:
            self._notes.append(
                f"Copied passages were not looked for: the index has {status.documents:,} "
                f"documents, and a report compares {bound:,} at the most. Run "
                f"`es-simhash copies {self._index.name}`."
            )
            return None
        return find_copies(
            self._index.gateway,
            self._index.name,
            options=CopyOptions(
                date_field=self._options.date_field,
                filters=self._options.filters,
            ),
            config=self._config,
            progress=self._progress,
        )

    def _scores(self, status: Status, contexts: Contexts) -> ScoreSample | None:
        ids: list[str] = []
        if self._options.sampled and status.documents:
            ids = self._run(sampled_ids(self._where, self._options.sampled))
        if not ids:
            return None
        search = score_search(self._config, self._options)
        sample = sample_scores(self._index, ids, search, self._progress)
        if sample.documents < len(ids):
            self._notes.append(
                f"The scores are those of {sample.documents:,} of {len(ids):,} documents that were "
                "drawn."
            )
        if not sample.documents:
            return None
        explained = explained_pairs(self._index, sample, self._config.versions_from)
        return replace(sample, closest=self._run(close_pairs(explained, contexts)))
