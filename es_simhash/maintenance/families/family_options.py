"""Options of a run that finds the families of an index."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.errors import InputError
from es_simhash.pairs.representatives import Representative
from es_simhash.relation.thresholds import SCORING, VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.state_entries import FamilyRule

# How settings keys name the score, which gives other families of the same texts when it changes.
_SCORING = SCORING.rpartition("-")[2]
# Stands before the field in settings keys; no name of a field has it.
_WITHIN = "\nwithin "


@dataclass(frozen=True)
class FamilyOptions:
    """Options of a run that finds the families of an index.

    Attributes:
        representative: Document that represents a family: the longest, the newest or the oldest;
            None for what the index is configured with, else for what the last run used, and the
            longest in the first one.
        date_field: Date field for the newest and the oldest; required for these, unless the index
            is configured with one. A document without a date represents a family only if no other
            has one.
        within: Keyword field, as of the owner or the product: documents with different values are
            never of one family, and those without a value only of families of such documents.
            None for what the index is configured with, else for what the last run used; an empty
            name for no field.
        everything: Process all documents. Else only what changed since the last run.
        dry_run: Write nothing.
        memory: Memory for what is compared; the rest is on disk, in a run over all documents.
        journal: File from which an interrupted run resumes: what a run over all documents has done;
            None for one in the user's cache directory.
        fresh: Begin at the start; an earlier run over all documents is not resumed.
    """

    representative: Representative | None = None
    date_field: str | None = None
    within: str | None = field(default=None, metadata=constraints(metavar="FIELD"))
    everything: bool = field(default=False, metadata=constraints(called="all"))
    dry_run: bool = False
    memory: int = field(default=1024, metadata=constraints(16, unit="MiB", group="Run"))
    journal: Path | None = field(default=None, metadata=constraints(group="Run"))
    fresh: bool = field(default=False, metadata=constraints(group="Run"))

    def __post_init__(self) -> None:
        require_valid(self)

    @property
    def rule(self) -> Representative:
        """Which document represents a family; the longest where nothing else was named."""
        return self.representative or "longest"

    @property
    def compares_dates(self) -> bool:
        """True when dates decide which document represents a family."""
        return self.rule != "longest"

    def settings_key(self, threshold: float) -> str:
        """Return what decides the families; a run with another key than the last is a full run.

        Args:
            threshold: Where versions begin in the index.
        """
        date_field = self.date_field if self.compares_dates else None
        scoring = _SCORING if threshold == VERSION_SCORE else f"{_SCORING}@{threshold}"
        within = f"{_WITHIN}{self.within}" if self.within else ""
        return f"{scoring} {self.rule} {date_field}{within}"

    def configured(self, config: IndexConfig) -> "FamilyOptions":
        """Return them with the rule and the fields of an index, where they name none.

        Raises:
            InputError: The rule needs a date, and neither names its field.
        """
        rule: Any = self.representative or config.representative
        options = replace(
            self,
            representative=rule,
            date_field=self.date_field or config.documents.date,
            within=config.within if self.within is None else self.within,
        )
        if options.compares_dates and options.date_field is None:
            raise InputError(
                f"Representative {rule!r} needs a date. Set date_field.", parameter="date_field"
            )
        return options

    def as_before(self, key: str | None) -> "FamilyOptions":
        """Return them with the rule and the field of an earlier run, where they name none.

        Args:
            key: Settings key of that run; None when there was none.
        """
        if key is None:
            return self
        within = key.partition(_WITHIN)[2]
        options = replace(self, within=within) if self.within is None else self
        if self.representative is not None:
            return options
        last = FamilyRule.of_run(key)
        return replace(
            options,
            representative=last.representative,  # type: ignore[arg-type]
            date_field=self.date_field or last.date_field,
        )
