"""What was written to an index between two runs over its families."""

from collections.abc import Sequence

from es_simhash.store.elasticsearch.index_stats import Checkpoint, known_checkpoints
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.state_index import LeftFamilies
from es_simhash.store.intents import Count, Parts, Where


class RecentWrites:
    """What was written to an index since the last run, as far as families go.

    Args:
        store: The index.
        left: What the last run left; None when there was none.
        began: Where the shards were when the run began; None for one that begins now.

    Attributes:
        began: The same; None where it is unknown.
    """

    def __init__(
        self,
        store: ElasticsearchStore,
        left: LeftFamilies | None,
        began: Sequence[Checkpoint] | None = None,
    ) -> None:
        self._store = store
        # Before anything is read, so that no write falls between two runs.
        self.began = known_checkpoints(store.gateway, store.name) if began is None else began
        self._left = left

    def families(self) -> set[str] | None:
        """Return the families of documents that were written since; None where that is unknown."""
        if self._left is None or self.began is None:
            return None
        names: set[str] = set()
        for checkpoint in self.began:
            last = self._left.seq_nos.get(checkpoint.name, -1)
            if last == checkpoint.highest:
                continue
            # All of a shard that was restored to a lower number.
            last = -1 if last > checkpoint.highest else last
            where = Where(fingerprinted=True, has_family=True, above_seq_no=last)
            with self._store.snapshot(checkpoint.index, shard=checkpoint.shard) as snapshot:
                rows = snapshot.rows(where, Parts(family=True))
                names.update(row.family for row in rows if row.family is not None)
        return names

    def ended(self, written: int) -> dict[str, int] | None:
        """Refresh, and return up to where the index was written; None where that is unknown.

        Where another program wrote families meanwhile, that is where the run began.

        Args:
            written: Documents whose family the run has written.
        """
        ended = known_checkpoints(self._store.gateway, self._store.name)
        if ended is not None and ended == self.began:
            # Nobody has written anything: there is nothing to refresh or to count.
            return {checkpoint.name: checkpoint.seq_no for checkpoint in ended}
        self._store.refresh()
        if self.began is None or ended is None:
            return None
        requests = [
            Count(_above(checkpoint.seq_no), checkpoint.index, checkpoint.shard)
            for checkpoint in self.began
        ]
        is_ours = sum(self._store.ask(requests)) == written
        last = ended if is_ours else self.began
        return {checkpoint.name: checkpoint.seq_no for checkpoint in last}


def _above(seq_no: int) -> Where:
    return Where(fingerprinted=True, has_family=True, above_seq_no=seq_no)
