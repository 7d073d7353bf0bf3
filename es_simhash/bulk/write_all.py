"""The default policy of a run: write every document that the index has not as it is."""

from collections.abc import Mapping
from concurrent.futures import Executor

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.outcome import Failure, Outcome
from es_simhash.bulk.preparation import Prepare, Prepared, Stored, identify, prepare
from es_simhash.bulk.sequencer import Turn
from es_simhash.bulk.target import TargetIndex
from es_simhash.bulk.write_policy import BatchReport


class WriteAll:
    """Writes every document, but those that the index has already.

    Args:
        target: The index.
        rewrite: Write documents that the index has as well.
        prepare: What a worker does with a batch.
    """

    def __init__(
        self, target: TargetIndex, *, rewrite: bool = False, prepare: Prepare = prepare
    ) -> None:
        self._target = target
        self._prepare = prepare
        self._compares = not rewrite and not target.is_empty()

    def prepare(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body of the bulk request, without what the index has."""
        if not self._compares:
            return self._prepared(batch, workers, None)
        ids = workers.submit(identify, batch, self._target.config).result()
        return self._prepared(batch, workers, self._target.stored(ids))

    def is_outdated(self, ready: Prepared, turn: Turn) -> bool:
        """Check whether a document that is left out was written meanwhile."""
        return turn.written_recently(ready.stored_ids)

    def prepare_again(self, batch: Batch, workers: Executor) -> Prepared:
        """Return the body with all documents: what is being written cannot be looked up yet."""
        return self._prepared(batch, workers, None)

    def _prepared(self, batch: Batch, workers: Executor, stored: Stored | None) -> Prepared:
        return workers.submit(self._prepare, batch, self._target.config, stored).result()

    def write(self, batch: Batch, ready: Prepared, turn: Turn) -> BatchReport:
        """Send the body, while later batches with other ids are sent as well."""
        turn.pass_on(ready.ids)
        return _report(batch, ready, self._target.write(ready))

    def stop(self) -> None:
        """End all waiting for the cluster."""
        self._target.gateway.stop()


def _report(batch: Batch, prepared: Prepared, rejections: Mapping[int, str]) -> BatchReport:
    settled = [
        (position, Outcome(id, "unchanged", reason)) for position, id, reason in prepared.unchanged
    ]
    failures = list(prepared.failures)
    written = zip(prepared.positions, prepared.ids, strict=True)
    for number, (position, id) in enumerate(written):
        if number in rejections:
            failures.append(Failure(position, id, rejections[number]))
        else:
            settled.append((position, Outcome(id, "written")))
    return BatchReport.of(batch, settled, failures)
