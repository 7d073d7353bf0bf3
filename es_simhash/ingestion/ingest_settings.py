"""The settings of an ingest run, and its progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.ingestion.bulk.batch_preparation import Prepare
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.outcomes import IngestReport
from es_simhash.ingestion.bulk.run_documents import OnConflict, require_on_conflict
from es_simhash.ingestion.bulk.write_policy import AHEAD
from es_simhash.store.elasticsearch.retry import RetryPolicy


@dataclass
class IngestProgress:
    """How far a run has come.

    Attributes:
        done: Bytes that are done.
        before: What became of the documents in the part that an interrupted run did.
        text_fields: Fields of the text that the run has stored in an index that named none; None
            where it had to choose none.
        has_hashes: Whether the first documents have no id, so that theirs are hashes of them.
    """

    done: int = 0
    before: IngestReport = field(default_factory=IngestReport)
    text_fields: str | None = None
    has_hashes: bool = False


@dataclass(frozen=True)
class IngestSettings:
    """How a run works; only `on_conflict` changes what is written.

    Attributes:
        on_conflict: Which text of an id is kept: of several in the run the `last`; the `first`; or
            the first, and the other one fails (`fail`). Documents with one id and the same text are
            repeats, whatever their other fields are.
        processes: Processes that fingerprint. With 1, it is the process that calls.
        limits: How large a batch becomes.
        ahead: Batches under way for each process; bounds the memory.
        rewrite: Also write unchanged documents.
        retry: How long requests to a busy cluster are retried.
        require_scheme: Scheme the index must have; None for any.
        dead_letter: JSONL file for documents that fail; None to leave them to the caller.
        journal: File for the checkpoints of the run; None for a file in the user's cache directory.
        fresh: Begin at the start; an earlier run is not resumed.
        on_progress: Called at the start and after each batch.
        prepare: What a worker does with a batch, instead of fingerprinting it.
        run: Id of the run in the audit log, which no other run has; None for a new one.
        dry_run: Write nothing; show what a run would do. There is no audit log and no journal, and
            the fingerprints of all documents that are read are kept in memory.
    """

    processes: int = field(default=1, metadata=constraints(1))
    limits: BatchLimits = field(default_factory=BatchLimits)
    ahead: int = AHEAD
    rewrite: bool = False
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    require_scheme: Scheme | None = None
    dead_letter: Path | None = None
    journal: Path | None = None
    fresh: bool = False
    on_progress: Callable[[IngestProgress], None] | None = None
    prepare: Prepare | None = None
    on_conflict: OnConflict = "last"
    run: str | None = None
    dry_run: bool = field(default=False, metadata=constraints(group="Options"))

    def __post_init__(self) -> None:
        require_valid(self)
        require_on_conflict(self.on_conflict)


DEFAULT_INGEST_SETTINGS = IngestSettings()
