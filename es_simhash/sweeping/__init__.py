"""Finding what other writers added or changed, and doing for it what `ingest` would have done."""

from es_simhash.sweeping.outcome import Swept
from es_simhash.sweeping.running import sweep

__all__ = ["Swept", "sweep"]
