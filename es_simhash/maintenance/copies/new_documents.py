"""Which documents are new for a search for copies: by their dates, or since the last run."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

import xxhash

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.whole_files import replace_file
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.copy_reader import CopyReader
from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.index_stats import Checkpoint
from es_simhash.store.home_folder import home_folder
from es_simhash.store.intents import CheckDate, Filter, Parts, Where
from es_simhash.store.protocol import Store, WritableStore

_LATER = re.compile(r"now\+")
# Of a year, or of a month, Python reads no moment, though ISO 8601 has the first one of it.
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d\d)?")


def date_filter(store: Store, options: CopyOptions, field: DateField | None) -> Filter:
    """Return the query for documents from a date on.

    Args:
        store: The index.
        options: Of the search; `since` is a date.
        field: Field of the dates; None for none.

    Raises:
        InputError: There is no field, it cannot hold the date, or the date is in the future.
    """
    since = str(options.since)
    if field is None:
        raise InputError(
            f"since {since!r} needs the date of documents. Set date_field.",
            parameter="date_field",
        )
    (is_date,) = store.ask([CheckDate(field, since)])
    if not is_date:
        raise InputError(
            f"since must be 'last', a date that field {field.name!r} can hold, or date math such "
            f"as 'now-1d', got {since!r}.",
            parameter="since",
        )
    if not field.is_number and _is_future(since):
        raise InputError(f"since {since!r} is in the future. Set since.", parameter="since")
    return {"range": {field.name: {"gte": since}}}


def _is_future(date: str) -> bool:
    if _LATER.match(date):
        return True
    if period := _YEAR_OR_MONTH.fullmatch(date):
        date += "-01" if period[1] else "-01-01"
    with suppress(ValueError):
        moment = datetime.fromisoformat(date.replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return moment > datetime.now(timezone.utc)
    # Other formats, and date math from a date.
    return False


class LastRun:
    """Where the last search with the same options left the shards of an index.

    It is kept in the user's cache directory, as nothing is written to the index.

    Args:
        store: The index.
        config: Of the index.
        options: Of the search.
        began: Where the shards were before this run read anything; None where that is unknown.
    """

    def __init__(
        self,
        store: WritableStore,
        config: IndexConfig,
        options: CopyOptions,
        began: Sequence[Checkpoint] | None,
    ) -> None:
        self._store = store
        self._config = config
        self._began = began
        settings = [
            store.name, config.simhash_field, options.between, options.filters,
            options.boilerplate, options.all_pairs,
        ]  # fmt: skip
        name = xxhash.xxh3_128_hexdigest(json.dumps(settings, sort_keys=True).encode())
        self._path: Path = home_folder() / "copies" / f"{name}.json"
        self._ended: dict[str, tuple[int, str]] = {}
        with suppress(OSError, ValueError):
            stored = json.loads(self._path.read_text("utf-8"))
            self._ended = {key: (int(seq_no), str(name)) for key, (seq_no, name) in stored.items()}

    def is_known(self) -> bool:
        """Check whether there was one.

        Raises:
            InputError: Where the index is written cannot be read, or the last run was with other
                fingerprints.
        """
        if self._began is None:
            raise InputError(
                "since 'last' needs the privilege `monitor` on the index. Name a date. Set since.",
                parameter="since",
            )
        schemes = {self._ended[shard.name][1] for shard in self._began if shard.name in self._ended}
        others = schemes - {self._config.scheme.name}
        if others:
            raise InputError(
                f"The last run was with scheme {min(others)!r}, and {self._store.name!r} has "
                f"{self._config.scheme.name!r} now. Run once without since.",
                parameter="since",
            )
        return bool(schemes)

    def written(self, filters: Sequence[Filter]) -> list[DocumentRef]:
        """Return where documents are that were written since, with fingerprints or without."""
        refs: list[DocumentRef] = []
        for shard in self._began or ():
            last = self._ended.get(shard.name, (-1, ""))[0]
            # All of a shard that was restored to a lower number.
            last = -1 if last > shard.highest else last
            if last == shard.highest:
                continue
            where = Where(tuple(filters), above_seq_no=last)
            opened = self._store.snapshot(shard.index, shard=shard.shard, must_refresh=False)
            with opened as snapshot:
                refs += (row.ref for row in snapshot.rows(where, Parts()))
        return refs

    def store(self) -> None:
        """Store where this run began, for the next one; nothing without the privilege for it."""
        if self._began is None:
            return
        scheme = self._config.scheme.name
        ended = {**self._ended, **{shard.name: (shard.seq_no, scheme) for shard in self._began}}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, json.dumps(ended))


class NewDocuments:
    """The documents that are new.

    Args:
        reader: Reads the index.
        filter: Query for them; None where it is known where they are.
        refs: Where they are.
    """

    def __init__(
        self, reader: CopyReader, filter: Filter | None, refs: Sequence[DocumentRef] = ()
    ) -> None:
        self._reader = reader
        self._filter = filter
        self._refs = {ref.key for ref in refs}

    def count(self) -> int:
        """Return how many there are, with fingerprints or without."""
        return len(self._refs) if self._filter is None else self._reader.count(self._filter)

    def read(self) -> Iterator[CopyDocument]:
        """Yield those that have fingerprints."""
        if self._filter is None:
            for document in self._reader.of_ids(sorted({str(id) for _, id in self._refs})):
                if document.ref.key in self._refs:
                    yield document
        else:
            yield from self._reader.matching(self._filter)
