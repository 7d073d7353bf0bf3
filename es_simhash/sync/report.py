"""What a sweep found and did."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from es_simhash.backfills.report import STATUSES
from es_simhash.families.report import Found


@dataclass(frozen=True)
class Swept:
    """What a sweep found and did.

    Attributes:
        enriched: Documents that were looked at, by status, as `backfill` gives it.
        families: Families that were looked at; None when nothing was written since.
        decisions: Versions by what was done with them: flag, link, skip or replace.
        left: Ids of versions that somebody changed while they were decided; the next sweep
            decides them.
        audit: Name of the log of decisions; None without a policy.
        run: Id of the run in that log.
    """

    enriched: Counter[str] = field(default_factory=Counter)
    families: Found | None = None
    decisions: Counter[str] = field(default_factory=Counter)
    left: tuple[str, ...] = ()
    audit: str | None = None
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is printed in JSON."""
        return {
            "enriched": {name: self.enriched[name] for name in STATUSES},
            "families": self.families.to_dict() if self.families else None,
            "decisions": dict(sorted(self.decisions.items())),
            "left": list(self.left),
            "audit": self.audit,
            "run": self.run,
        }
