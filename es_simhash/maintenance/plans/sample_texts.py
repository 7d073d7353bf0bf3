"""The documents of a sample: from a file of JSON Lines, a folder of texts, or an index."""

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from es_simhash.errors import IndexMissing, InputError, nearest_name
from es_simhash.ingestion.bulk.document_batches import BatchLimits, location_text
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.sources.record_file import json_of
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.index_stats import names_like
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.intents import Find, Parts, Where
from es_simhash.store.paths import without_path
from es_simhash.store.rows import Row, Rows
from es_simhash.store.source import text_of
from es_simhash.text.limits import require_text_size

# Documents that are drawn at random of a file, and of an index.
OF_FILE, OF_INDEX = 20_000, 2_000
_OF_REQUEST = 200


@dataclass(frozen=True)
class SampledText:
    """A document of a sample: its id, its text, and its JSON without our fields."""

    id: str
    text: str
    source: bytes


@dataclass(frozen=True)
class Sample:
    """Documents drawn at random.

    Attributes:
        texts: Those that have a text.
        without_text: How many have none.
    """

    texts: Sequence[SampledText]
    without_text: int

    @property
    def ids(self) -> list[str]:
        """Ids of those that have a text."""
        return [each.id for each in self.texts]


def is_file(sample: str) -> bool:
    """Check whether a sample is a file or a folder; else it is the name of an index."""
    return Path(sample).exists()


def sample_of_file(path: str, config: IndexConfig) -> Sample:
    """Return documents of a file or a folder, which is read to its end.

    Raises:
        InputError: It has no document with a text.
    """
    chosen: list[Document] = []
    generator = random.Random(1)
    count, failed = 0, 0
    first = ""
    with open(os.devnull, "rb") as nothing:
        for source in open_sources([path], stream=nothing):
            for batch in source.batches(BatchLimits(), None):
                for document in batch.documents(config):
                    if isinstance(document, Failure):
                        failed += 1
                        place = location_text(batch, document.position)
                        first = first or f"{place}: {document.reason}"
                        continue
                    count += 1
                    _draw(chosen, document, generator, count)
    if not chosen:
        reason = f"has no document with a text: {first}" if first else "is empty."
        raise InputError(f"Sample {path!r} {reason} Set sample.", parameter="sample")
    texts = [SampledText(each.id, each.text, each.source) for each in chosen]
    return Sample(texts, round(failed * len(texts) / count))


def _draw(chosen: list[Document], document: Document, generator: random.Random, count: int) -> None:
    """Keep a document with the chance of all before it (reservoir sampling)."""
    if len(chosen) < OF_FILE:
        chosen.append(document)
    elif (place := generator.randrange(count)) < OF_FILE:
        chosen[place] = document


def sample_of_index(gateway: Gateway, index: str, config: IndexConfig) -> Sample:
    """Return documents of an index drawn at random; nothing is written.

    Raises:
        InputError: There is no such index, or it has no document with a text.
    """
    try:
        gateway.mappings(index)
    except IndexMissing as error:
        raise no_such_sample(gateway, index) from error
    store = ElasticsearchStore(gateway, index, config, is_complete=True)
    rows = list(_drawn(store, config))
    sampled = [_sampled(row, config) for row in rows]
    texts = [each for each in sampled if each is not None]
    if not texts:
        what = f"no document with a text in {config.text_field!r}" if rows else "no document"
        raise InputError(f"Sample {index!r} has {what}. Set sample.", parameter="sample")
    return Sample(texts, len(rows) - len(texts))


def _drawn(store: ElasticsearchStore, config: IndexConfig) -> Iterator[Row]:
    """Yield documents, each once; each request has a seed of its own."""
    parts = Parts(fields=("*",))
    seen: set[DocumentRef] = set()
    for seed in range(OF_INDEX // _OF_REQUEST):
        rows: Rows
        (rows,) = store.ask([Find(Where(), parts, _OF_REQUEST, order=("random",), seed=seed)])
        new = [row for row in rows.rows if row.ref not in seen]
        seen.update(row.ref for row in new)
        yield from new
        if len(rows.rows) < _OF_REQUEST:
            break


def _sampled(row: Row, config: IndexConfig) -> SampledText | None:
    try:
        text = text_of(row.source, config.text_field)
        if text is None:
            return None
        own = without_path(row.source, config.simhash_field)
        return SampledText(row.id, require_text_size(text), json_of(own))
    except InputError:
        return None


def no_such_sample(gateway: Gateway, sample: str) -> InputError:
    """Return the error for a sample that is neither a file nor an index, with the nearest name."""
    path = Path(sample)
    folder = path.parent
    files = sorted(os.listdir(folder)) if folder.is_dir() else []
    near = names_like(gateway, sample)
    if file := nearest_name(path.name, files):
        near.append(str(folder / file))
    nearest = nearest_name(sample, near) or next(iter(near), "")
    meant = f" Did you mean {nearest!r}?" if nearest else ""
    return InputError(
        f"Sample {sample!r} is neither a file nor an index.{meant} Set sample.", parameter="sample"
    )
