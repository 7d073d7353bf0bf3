"""Adding fingerprints to documents that an index has already."""

from collections.abc import Iterator

from es_simhash.ingestion.bulk.outcome import Outcome
from es_simhash.maintenance.backfills.job import IndexPart, Selection
from es_simhash.maintenance.backfills.preconditions import open_job, require_text
from es_simhash.maintenance.backfills.run import BackfillSettings, run_backfill
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.sidecar import install_sidecar


def backfill(
    client: Client,
    index: str,
    *,
    config: IndexConfig | None = None,
    selection: Selection | None = None,
    sidecar: str | None = None,
    settings: BackfillSettings | None = None,
) -> Iterator[Outcome]:
    """Add `simhash` fields to documents of an index, and yield the outcome of each.

    Documents without fields of the schemes of the index are read, so that a run that was
    interrupted, even killed, resumes where it was, and a second one writes nothing. A write never
    overwrites a newer version of a document: that is read and fingerprinted in its place. When
    the point in time that is read expires, documents may be yielded again; none is written
    twice.

    Args:
        client: The client.
        index: An index, alias or data stream with `simhash` fields; see `install`.
        config: Names of the fields and the vocabulary; the schemes are those of the index.
        selection: Which documents to read; by default all without current fields.
        sidecar: Index to write the fields to, under the same ids; created when there is none. All
            documents are read, and those written whose version is another than the sidecar's.
        settings: How the run works, where failures are logged, and who gets its reports.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or its documents could not be kept whole.
        ClusterError: The cluster takes no documents, or is away for too long.
        InputError: No document has such a text field, it lies in nested documents, or the index
            weighs another vocabulary.
        MissingExtra: The index needs a package that is not installed.
    """
    settings = settings or BackfillSettings()
    # A cluster that is away is reported at once; only what the run sends is retried.
    gateway = Gateway.of(client)
    retrying = Gateway.of(client, settings.retry)
    job = open_job(gateway, index, config or IndexConfig(), sidecar)
    query = job.query(selection or Selection())
    require_text(retrying, job, query)
    if sidecar is not None:
        install_sidecar(gateway, sidecar, index, job.config)
    yield from run_backfill(retrying, job, [IndexPart(index, query)], settings)
