"""The default policy of a run: write every document that the index has not as it is."""

from collections.abc import Mapping
from concurrent.futures import Executor
from functools import partial

from es_simhash.ingestion.bulk.batches import Batch
from es_simhash.ingestion.bulk.conflicts import RunDocuments
from es_simhash.ingestion.bulk.kept_members import kept_fields
from es_simhash.ingestion.bulk.lookup import Lookup
from es_simhash.ingestion.bulk.outcome import Outcome
from es_simhash.ingestion.bulk.preparation import Prepare, identify, prepare
from es_simhash.ingestion.bulk.prepared import Prepared
from es_simhash.ingestion.bulk.run_conflicts import BatchConflicts
from es_simhash.ingestion.bulk.sequencer import Turn
from es_simhash.ingestion.bulk.target import TargetIndex
from es_simhash.ingestion.bulk.write_policy import BatchReport


class WriteAll:
    """Writes every document, but those that the index has already.

    Args:
        target: The index.
        run: The documents of the run so far; those of none by default.
        rewrite: Write documents that the index has as well.
        prepare: What a worker does with a batch; None for what fingerprints it.
    """

    def __init__(
        self,
        target: TargetIndex,
        run: RunDocuments | None = None,
        *,
        rewrite: bool = False,
        prepare: Prepare | None = None,
    ) -> None:
        self._target = target
        self._run = run or RunDocuments()
        self._prepare = prepare or _preparing(self._run)
        self._rewrite = rewrite
        self._is_empty = target.is_empty()
        if not self._is_empty:
            # Read now: what the run itself writes does not count.
            _ = target.has_routings

    def prepare(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body of the bulk request, without what the index has."""
        return self._prepared(batch, workers, is_compared=not self._rewrite)

    def is_outdated(self, ready: Prepared, turn: Turn) -> bool:
        """Check whether a document that is left out was written meanwhile."""
        return turn.written_recently(ready.stored_ids)

    def prepare_again(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body with all documents: what is being written cannot be looked up yet."""
        return self._prepared(batch, workers, is_compared=False)

    def _prepared(self, batch: Batch, workers: Executor, *, is_compared: bool) -> Prepared:
        config, lookup = self._target.config, Lookup(is_compared=False)
        if not self._is_empty:
            identities = workers.submit(identify, batch, config).result()
            fields = None if is_compared else kept_fields(config)
            lookup = self._target.lookup(identities, fields)
        return workers.submit(self._prepare, batch, config, lookup).result()

    def write(self, batch: Batch, ready: Prepared, turn: Turn) -> BatchReport:
        """Send the body, while later batches with other ids are sent as well."""
        turn.pass_on(ready.ids, ready.stored_ids)
        conflicts = BatchConflicts(ready, self._run)
        ready.leave_out(conflicts.left_out)
        results = _results(ready, self._target.write(ready))
        # What the run does not remember, as another function prepared it, meets nothing.
        outcomes = {**results, **dict(conflicts.outcomes(results))}
        records = self._run.put(conflicts.standing_after(results))
        return BatchReport.of(batch, outcomes, ready.failures, records)

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.gateway.stop()


def _preparing(run: RunDocuments) -> Prepare:
    return partial(prepare, on_conflict=run.on_conflict)


def _results(prepared: Prepared, rejections: Mapping[int, str]) -> dict[int, Outcome]:
    """Return the outcomes of documents that were sent, or that the index has, by position."""
    results = {position: Outcome(id, "unchanged") for position, id in prepared.unchanged}
    for number, (position, id) in enumerate(zip(prepared.positions, prepared.ids, strict=True)):
        reason = rejections.get(number)
        results[position] = Outcome(id, "written" if reason is None else "failed", reason)
    return results
