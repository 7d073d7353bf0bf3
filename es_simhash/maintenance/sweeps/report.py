"""The report of a sweep."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from es_simhash.maintenance.backfills.report import STATUSES
from es_simhash.maintenance.families.report import FamiliesReport


@dataclass(frozen=True)
class SweepReport:
    """What a sweep did.

    Attributes:
        enriched: Documents that were processed, by status, as `backfill` reports it.
        families: BackfillReport of the run over the families; None when nothing was written since.
        decisions: Versions by what was done with them: flag, link, skip or replace.
        conflicted: Ids of versions that another writer changed while they were decided; the next
            sweep decides them.
        undated: Ids of changed documents, and of those compared with them, without a date in the
            field of the rules: they come last, and where the newest is kept they are the oldest.
        audit: Name of the audit log; None without rules for versions.
        run: Id of the run in that log.
    """

    enriched: Counter[str] = field(default_factory=Counter)
    families: FamiliesReport | None = None
    decisions: Counter[str] = field(default_factory=Counter)
    conflicted: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()
    audit: str | None = None
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as it is printed in JSON."""
        return {
            "enriched": {name: self.enriched[name] for name in STATUSES},
            "families": self.families.to_dict() if self.families else None,
            "decisions": dict(sorted(self.decisions.items())),
            "conflicted": list(self.conflicted),
            "undated": list(self.undated),
            "audit": self.audit,
            "run": self.run,
        }
