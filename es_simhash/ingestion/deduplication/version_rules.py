"""What is to be done with versions, and for which index: rules, and the context of a run."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from es_simhash.errors import InputError
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.relation import VERSION_KINDS, Kind
from es_simhash.store.config import IndexConfig

Action = Literal["skip", "flag", "link", "replace"]
Keep = Literal["newest", "longest", "first"]
ACTIONS: tuple[Action, ...] = get_args(Action)
KEEPS: tuple[Keep, ...] = get_args(Keep)


@dataclass(frozen=True)
class OnVersion:
    """What to do with a document that is a version of one that is there.

    Attributes:
        action: `skip` writes nothing, `flag` writes it with the id of the original, `link` gives
            both one family as well, `replace` keeps one of the two.
        kinds: Kinds of relations that count. Neither of two texts of which one holds the other
            does by default: the shorter would be skipped, or the longer replaced.
        min_score: Minimum score that counts.
        keep: Which of the two `replace` keeps; the original when neither is ahead.
        date_field: Field whose date says which of two documents is newer; the engine reads it, by
            its mapping. A document without a date is older than all that have one. By default the
            one that the index is configured with.
        audit: File of the audit log, or `index:NAME`; by default INDEX.audit.jsonl here.
        lease: Seconds for which a text stays reserved for a writer that does not write it.
    """

    action: Action = "flag"
    kinds: tuple[Kind, ...] = ("exact", "version")
    min_score: float = 0.0
    keep: Keep = "longest"
    date_field: str | None = None
    audit: str | Path | None = None
    lease: float = 30.0

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise _unknown("action", self.action, ACTIONS)
        if self.keep not in KEEPS:
            raise _unknown("keep", self.keep, KEEPS)
        unknown = [kind for kind in self.kinds if kind not in VERSION_KINDS]
        if unknown or not self.kinds:
            raise _unknown("kinds", unknown[0] if unknown else "", VERSION_KINDS)
        if not 0 <= self.min_score <= 1:
            raise InputError(
                f"min_score must be between 0 and 1, got {self.min_score}.", parameter="min_score"
            )

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


def _unknown(parameter: str, value: str, known: tuple[str, ...]) -> InputError:
    what = f"Unknown {parameter.removesuffix('s')} {value!r}"
    return InputError(f"{what}; choose from {', '.join(known)}.", parameter=parameter)


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
