"""Adding our fields to the documents an index has already.

`backfill` writes, `estimate` says before what it will take, `prune` deletes from a sidecar what its
index has no longer. `SidecarIndex` finds what is related where the fields lie in a second index,
beside one that may not be touched; `open_index` gives it for a sidecar, and an `Index` for any
other name.
"""

from es_simhash.backfilling.enriching import backfill
from es_simhash.backfilling.estimating import Estimate, estimate
from es_simhash.backfilling.outcome import Outcome, Report
from es_simhash.backfilling.pruning import prune
from es_simhash.backfilling.running import Settings
from es_simhash.backfilling.sidecar import SidecarIndex, open_index

__all__ = [
    "Estimate",
    "Outcome",
    "Report",
    "Settings",
    "SidecarIndex",
    "backfill",
    "estimate",
    "open_index",
    "prune",
]
