"""Who copied whom: the pairs of documents that share passages, over a whole index."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

from es_simhash.errors import InputError, MappingConflict
from es_simhash.ingestion.bulk.journal_file import INDEX, UUIDS, Job, default_path
from es_simhash.maintenance.copies.copy_files import CopyFiles
from es_simhash.maintenance.copies.copy_journal import CopyJournal
from es_simhash.maintenance.copies.copy_options import LAST, CopyOptions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.maintenance.copies.new_documents import LastRun, NewDocuments, date_filter
from es_simhash.maintenance.copies.pair_alignment import PairAligner
from es_simhash.maintenance.copies.recent_copies import RecentCopies
from es_simhash.maintenance.copies.whole_copies import StoredCommonTexts, WholeCopies
from es_simhash.pairs.boilerplate import boilerplate_of
from es_simhash.pairs.copied_passages import AlignedPair
from es_simhash.pairs.copies import CopiesReport, Copy, LeftOut
from es_simhash.pairs.copy_candidates import CommonShingles
from es_simhash.pairs.copy_order import copy_of
from es_simhash.pairs.copy_units import Reason
from es_simhash.questions.document_contexts import documents_by_key
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import NANOSECONDS, Date, DateField
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.index_stats import known_checkpoints
from es_simhash.store.elasticsearch.store import ElasticsearchStore, opened_store
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.intents import TextFieldHint
from es_simhash.store.mapped_fields import (
    TEXT_TYPES,
    fields_named,
    find_date_field,
    unknown_field,
)
from es_simhash.store.protocol import Progress, Store, run

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_OBJECTS = frozenset({"object", "nested"})


def find_copies(
    client: Client,
    index: str,
    *,
    options: CopyOptions | None = None,
    config: IndexConfig | None = None,
    progress: Progress | None = None,
) -> CopiesReport:
    """Find the documents of different owners, or families, that share passages; see `Index.copies`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        options: Between which documents, and of which of them.
        config: Names of the fields; the schemes are read from the mapping.
        progress: Called now and then, with the pairs that are aligned.
    """
    options = options or CopyOptions()
    given = config or IndexConfig()
    gateway = Gateway.of(client)
    why = "which has the texts and the owners"
    mapped = gateway.mappings(index)
    require_own_fields(mapped, index, given.simhash_field, why=why, command="copies")
    store = opened_store(gateway, index, given, mapped)
    options = _configured(options, store.config)
    date_field = _date_field(mapped, options)
    job = _job(gateway, index, store.config, options)
    last = None
    if options.since == LAST or (options.since is None and options.journal is not None):
        last = LastRun(store, store.config, options, known_checkpoints(store.gateway, index))
    opened = store.snapshot(must_refresh=False)
    with CopyFiles.of(options.journal, job, fresh=options.fresh) as files, opened as snapshot:
        reader = CopyReader(snapshot, options.filters, options.between, date_field)
        aligner = PairAligner(reader, TextAnalyser(store.config.scheme), CopyJournal(files))
        new = _new_documents(reader, store, options, date_field, last)
        if new is None:
            search = CopySearch(reader, WholeCopies(files, options, progress), options)
            search.read(store)
            report = search.report(aligner, date_field, progress)
        else:
            recent = RecentCopies(reader, new.read(), new.count(), options, progress)
            report = _recent_report(recent, aligner, date_field, progress)
        documents = run(documents_by_key(sorted(report.ids), dates=False), store)
        files.remove()
    if last is not None:
        last.store()
    return report.with_titles({key: each.title for key, each in documents.items()})


def _new_documents(
    reader: CopyReader,
    store: ElasticsearchStore,
    options: CopyOptions,
    date_field: DateField | None,
    last: LastRun | None,
) -> NewDocuments | None:
    """Return the documents that are compared with all; None where these are all."""
    if options.since is None:
        return None
    if options.since != LAST or last is None:
        return NewDocuments(reader, date_filter(store, options, date_field))
    return NewDocuments(reader, None, last.written(options.filters)) if last.is_known() else None


def _recent_report(
    recent: RecentCopies,
    aligner: PairAligner,
    date_field: DateField | None,
    progress: Progress | None,
) -> CopiesReport:
    """Return what new documents share with all."""
    pairs, common = recent.pairs()
    new, options = recent.new, recent.options
    finder = _Finder(common, options.min_letters, date_field, progress)
    return CopiesReport(
        copies=finder.copies(aligner.align(pairs), len(pairs)),
        boilerplate=(),
        between=options.between,
        documents=recent.count,
        compared=new.compared,
        groups=len(new.values),
        undated=new.undated if date_field is not None else 0,
        unfamilied=len(new.without_family) if new.by_values else 0,
        aligned=len(pairs),
        short_boilerplate=0,
        left_out=LeftOut(
            without_fingerprints=recent.count - new.read,
            without_words=len(new.empty),
            changed=tuple(sorted(new.changed)),
            without_value=tuple(sorted(new.without_value)),
            without_family=() if new.by_values else tuple(sorted(new.without_family)),
        ),
        since=options.since,
    )


@dataclass(frozen=True)
class _Finder:
    """What is reported of aligned pairs.

    Attributes:
        common: Shingles that many have.
        min_letters: Least letters of a passage.
        date_field: Field of the date; None for none.
        progress: Called now and then.
    """

    common: CommonShingles
    min_letters: int | None
    date_field: DateField | None
    progress: Progress | None

    def copies(self, pairs: Iterable[AlignedPair], total: int) -> tuple[Copy, ...]:
        """Return the copies among pairs, in the order in which they are returned."""
        show_date = partial(shown_date, field=self.date_field)
        copies = []
        for number, aligned in enumerate(pairs, 1):
            copy = copy_of(aligned, self.common.shingles, self.min_letters, show_date)
            if copy is not None:
                copies.append(copy)
            if self.progress is not None:
                self.progress("pairs", number, total)
        return tuple(sorted(copies, key=_by_length))


def default_journal(
    client: Client,
    index: str,
    config: IndexConfig | None = None,
    options: CopyOptions | None = None,
) -> Path:
    """Return the file in the user's cache in which a search over an index keeps its journal.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
    """
    gateway = Gateway.of(client)
    installed = ElasticsearchStore(gateway, index, config).config
    configured = _configured(options or CopyOptions(), installed)
    return default_path(_job(gateway, index, installed, configured))


class CopySearch:
    """One search: the documents that are compared, and what is found among them.

    Args:
        reader: Reads the index; open.
        whole: What is compared.
        options: Of the search; where they name no field `between`, families are compared.
    """

    def __init__(self, reader: CopyReader, whole: WholeCopies, options: CopyOptions) -> None:
        self._reader = reader
        self._whole = whole
        self._files = whole.files
        self._options = options
        self._documents = 0

    def read(self, store: Store) -> None:
        """Read the documents.

        Args:
            store: The index.

        Raises:
            InputError: None of them can be compared, although there are some.
        """
        self._documents = self._reader.count()
        self._whole.read(self._reader)
        if self._documents and not self._count("reason IS NULL"):
            error = self._incomparable(store)
            if error is not None:
                self._files.remove()
                raise error

    def _count(self, where: str) -> int:
        return int(self._files.select(f"SELECT count(*) FROM documents WHERE {where}")[0][0])

    def _ids(self, reason: Reason) -> tuple[str, ...]:
        query = "SELECT id FROM documents WHERE reason = ? ORDER BY id"
        return tuple(id for (id,) in self._files.select(query, [reason]))

    def _incomparable(self, store: Store) -> InputError | None:
        """Return why no document can be compared; None where none has words."""
        index, read, changed = store.name, self._count("1"), self._ids("changed")
        if not read:
            return InputError(
                f"No document of {index!r} has fingerprints. Run `es-simhash backfill {index}`."
            )
        if len(changed) == read:
            (hint,), text_field = store.ask([TextFieldHint()]), self._reader.text_field
            hint = hint or "; name the field of the text"
            return InputError(
                f"Field {text_field!r} does not match the fingerprinted text of any document, such "
                f"as {changed[0]!r}{hint}.",
                parameter="text_field",
            )
        if self._ids("without_value"):
            return InputError(
                f"No document of {index!r} has a value of field {self._options.between!r}. "
                "Set between.",
                parameter="between",
            )
        if self._ids("without_family"):
            return InputError(
                f"No document of {index!r} has a family, and copies are looked for between "
                f"families. Run `es-simhash families run {index}`, or compare the values of a "
                "field, such as the owner. Set between.",
                parameter="between",
            )
        return None

    def report(
        self, aligner: PairAligner, date_field: DateField | None, progress: Progress | None
    ) -> CopiesReport:
        """Align what may share passages and return what was found."""
        self._whole.find()
        common = self._files.common()
        ((total,),) = self._files.select("SELECT count(*) FROM ordered")
        finder = _Finder(common, self._options.min_letters, date_field, progress)
        copies = finder.copies(aligner.align(self._files.text_pairs()), total)
        texts = StoredCommonTexts(self._files, common)
        boilerplate = boilerplate_of(texts, common, self._reader.texts, aligner.analyser)
        is_dated, by_values = date_field is not None, self._options.between is not None
        return CopiesReport(
            copies=copies,
            boilerplate=boilerplate.passages,
            between=self._options.between,
            documents=self._documents,
            compared=self._count("reason IS NULL"),
            groups=int(self._files.select("SELECT count(*) FROM numbered")[0][0]),
            undated=self._count("reason IS NULL AND date IS NULL") if is_dated else 0,
            unfamilied=self._count("reason IS NULL AND family IS NULL") if by_values else 0,
            aligned=total,
            short_boilerplate=boilerplate.short,
            left_out=LeftOut(
                without_fingerprints=self._documents - self._count("1"),
                without_words=self._count("reason = 'empty'"),
                changed=self._ids("changed"),
                without_value=self._ids("without_value"),
                without_family=self._ids("without_family"),
            ),
        )


def _by_length(copy: Copy) -> tuple[int, int, str, str, str, str]:
    """Key of the order in which pairs are returned."""
    return -copy.longest, -copy.letters, copy.a.index, copy.a.id, copy.b.index, copy.b.id


def _configured(options: CopyOptions, config: IndexConfig) -> CopyOptions:
    """Return options with the fields that the index is configured with, where they name none."""
    documents = config.documents
    return replace(
        options,
        between=options.between or documents.owner,
        date_field=options.date_field or documents.date,
    )


def _date_field(
    mappings: Mapping[str, Mapping[str, Any]], options: CopyOptions
) -> DateField | None:
    """Return the field of the dates, if any, and check the one that tells documents apart.

    Raises:
        InputError: No mapping has one of them.
        MappingConflict: The former holds no dates, or the latter is an object.
    """
    if options.between is not None:
        mapped = fields_named(options.between, mappings)
        if not mapped:
            raise unknown_field(options.between, mappings, TEXT_TYPES, parameter="between")
        for name, field in mapped.items():
            if field.type in _OBJECTS:
                raise MappingConflict(
                    f"Field {options.between!r} of {name!r} is mapped as {field.type}; name a "
                    "field in it. Set between.",
                    parameter="between",
                )
    if options.date_field is None:
        return None
    return find_date_field(mappings, options.date_field, parameter="date_field")


def _job(gateway: Gateway, index: str, config: IndexConfig, options: CopyOptions) -> Job:
    """Return what a journal is for: all that decides what is read and aligned."""
    uuids = gateway.settings(index, "index.uuid").values()
    return {
        INDEX: index,
        UUIDS: sorted(entry["index.uuid"] for entry in uuids),
        "command": "copies",
        "scheme": config.scheme.name,
        "text_field": config.text_field,
        "between": options.between,
        "date_field": options.date_field,
        "filters": json.dumps(options.filters, sort_keys=True),
        "boilerplate": str(options.boilerplate),
        "all_pairs": options.all_pairs,
        "since": options.since,
    }


def shown_date(date: Date | None, field: DateField | None) -> str | float | None:
    """Return a date in ISO 8601, without the time at midnight; a number of a field of numbers.

    Milliseconds since 1970 stand for what ISO 8601 has no year of four digits for.
    """
    if date is None or field is None or field.is_number:
        return date
    try:
        moment = _EPOCH + timedelta(microseconds=int(date) // 1000)
    except OverflowError:
        return date / NANOSECONDS
    text = moment.isoformat().replace("+00:00", "Z")
    return text.removesuffix("T00:00:00Z")
