"""What is to be done with versions, and for which index: rules, and the context of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, get_args

from es_simhash.constraints import constraints
from es_simhash.described import require_valid
from es_simhash.errors import InputError
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.relation import VERSION_KINDS, Kind
from es_simhash.relation.thresholds import LOSE
from es_simhash.store.config import IndexConfig

Action = Literal["skip", "flag", "link", "replace"]
Keep = Literal["newest", "longest", "existing"]
ACTIONS: tuple[Action, ...] = get_args(Action)
# What a run may have done with a version instead: kept and flagged, as text would have been lost.
RETAIN: Final = "retain"
# What `undo` reverts, and of that what has set flags.
REVERSIBLE = (*ACTIONS, RETAIN)
FLAGGING = ("flag", "link", RETAIN)
# What was done, as sentences have it.
DONE: Mapping[str, str] = {
    "skip": "skipped",
    "flag": "flagged",
    "link": "linked",
    "replace": "replaced",
    RETAIN: "kept and flagged",
    "write": "written",
}


@dataclass(frozen=True)
class OnVersion:
    """What to do with a document that is a version of one that is there.

    Attributes:
        action: What to do with versions: `skip` writes nothing, `flag` writes a version of an
            existing document with the id of the original, `link` gives both one family as well,
            `replace` keeps one of the two.
        kinds: Kinds that count as a version. Neither of two texts of which one holds
            the other does by default: the shorter would be skipped, or the longer replaced.
        min_score: Minimum score of a version; None for where versions begin.
        keep: Document that `replace` keeps; the existing one when neither is ahead.
        lose: Share of words that may be lost, from 0 to 1. So much of the removed text need
            not be in the other one for `skip` and `replace`; above it, or where a number or a name
            would be lost, both are kept and the new one is flagged. 1 removes every version.
        date_field: Date field that says which document is newer. It is one of the mapping; a
            document without a date is older than all that have one. None for the one that the
            index is configured with.
        audit: Audit log: a file, or index:NAME; None for INDEX.audit.jsonl in the working
            directory.
        lease: Seconds for which a text stays reserved for a writer that does not write it.
    """

    action: Action = field(default="flag", metadata=constraints(called="on-version"))
    kinds: tuple[Kind, ...] = field(
        default=("exact", "version"), metadata=constraints(choices=VERSION_KINDS)
    )
    min_score: float | None = field(default=None, metadata=constraints(0, 1))
    keep: Keep = "longest"
    lose: float = field(default=LOSE, metadata=constraints(0, 1))
    date_field: str | None = None
    audit: str | Path | None = None
    lease: float = 30.0

    def __post_init__(self) -> None:
        require_valid(self)
        if not self.kinds:
            raise InputError(
                f"kinds must be among {', '.join(VERSION_KINDS)}, got none.", parameter="kinds"
            )

    @property
    def least_score(self) -> float:
        """The minimum score that counts; versions are no relations below their threshold."""
        return self.min_score or 0.0

    @property
    def compares_dates(self) -> bool:
        """True when decisions rest on dates."""
        return self.action == "replace" and self.keep == "newest"

    def configured(self, config: IndexConfig) -> "OnVersion":
        """Return them with the date field of an index, where they name none.

        Raises:
            InputError: They need a date, and neither names its field.
        """
        rules = replace(self, date_field=self.date_field or config.documents.date)
        if rules.compares_dates and rules.date_field is None:
            raise InputError(
                "date_field is required to keep the newest of two documents. "
                "Name the field of their dates.",
                parameter="date_field",
            )
        return rules

    @classmethod
    def of(cls, value: "OnVersion | str") -> "OnVersion":
        """Return the rules of an action, or the rules themselves.

        Raises:
            InputError: There is no such action.
        """
        return value if isinstance(value, cls) else cls(value)  # type: ignore[arg-type]


@dataclass(frozen=True)
class RunContext:
    """What all parts of one run of a policy share.

    Attributes:
        index: The user's index.
        config: How it is read and fingerprinted.
        rules: What counts as a version, and what is to be done.
        run: Id of the run in the audit log.
        manual: Pairs of documents that a person decided about.
    """

    index: str
    config: IndexConfig
    rules: OnVersion
    run: str
    manual: ManualPairs = field(default_factory=ManualPairs)
