"""Options of a search for copied passages over a whole index."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from es_simhash.described import constraints, require_valid
from es_simhash.relation.thresholds import COMMON_GROUPS


@dataclass(frozen=True)
class CopyOptions:
    """Options of a search for copied passages over a whole index.

    Attributes:
        between: Field whose values tell documents apart, such as their owner: only documents
            without a value in common are compared. None for the owner field that the index is
            configured with, or else for documents of different families.
        filter: Elasticsearch query that documents must match; None for all.
        date_field: Field of the date, by which one of two documents was first; None for the one
            that the index is configured with, if any.
        boilerplate: What so many values of `between`, or families, have is boilerplate.
        min_letters: Least letters of the longest passage of a pair, counted in runs of eight equal
            words; None for 80, and less where a text is short.
        all_pairs: Return all pairs of documents, not one for two families.
        journal: File of what was aligned, from which an interrupted run resumes; None for none.
        fresh: Ignore what the journal has.
    """

    between: str | None = None
    filter: Mapping[str, Any] | None = None
    date_field: str | None = None
    boilerplate: int = field(default=COMMON_GROUPS, metadata=constraints(3))
    min_letters: int | None = field(default=None, metadata=constraints(1))
    all_pairs: bool = False
    journal: Path | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        require_valid(self)
