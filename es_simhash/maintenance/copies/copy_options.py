"""Options of a search for copied passages over a whole index."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.relation.thresholds import COMMON_GROUPS

# Stands for the last run in place of a date.
LAST = "last"


@dataclass(frozen=True)
class CopyOptions:
    """Options of a search for copied passages over a whole index.

    Attributes:
        between: Field that tells documents apart, as the owner: only those without a value in
            common are compared. None for the owner field that the index is
            configured with, or else for documents of different families.
        filters: Elasticsearch query that documents must match, as JSON.
        date_field: Date field, by which one of two was first; None for the one
            that the index is configured with, if any.
        boilerplate: Values of the field that make a passage boilerplate; or families that do, in
            place of values.
        min_letters: Minimum letters of the longest passage; counted in runs of eight equal words.
            None for 80, less of short texts.
        all_pairs: Return all pairs, not one for two families.
        since: Compare only what is new, with everything: documents from a date of the date field
            on, or date math of it; `last` for what was written since the last run with the same
            options, which compares all if there was none. None for all documents. Boilerplate is
            left out and not listed.
        memory: Memory for what is compared; the rest is on disk.
        journal: File from which an interrupted run resumes: what was read and aligned. None for
            none.
        fresh: Begin at the start; an earlier run is not resumed.
    """

    between: str | None = None
    filters: tuple[Mapping[str, Any], ...] = ()
    date_field: str | None = None
    boilerplate: int = field(default=COMMON_GROUPS, metadata=constraints(3))
    min_letters: int | None = field(default=None, metadata=constraints(1))
    all_pairs: bool = False
    since: str | None = None
    memory: int = field(default=1024, metadata=constraints(16, unit="MiB", group="Run"))
    journal: Path | None = field(default=None, metadata=constraints(group="Run"))
    fresh: bool = field(default=False, metadata=constraints(group="Run"))

    def __post_init__(self) -> None:
        require_valid(self)
