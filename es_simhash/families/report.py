"""What a run over an index is told, and what it found."""

from dataclasses import dataclass
from typing import Any, Literal

from es_simhash.errors import InputError

Rule = Literal["longest", "newest", "oldest"]
# Counted up when other scores would give other families of the same texts.
_VERSION = 1
RULES: tuple[Rule, ...] = ("longest", "newest", "oldest")


@dataclass(frozen=True)
class Choice:
    """What a run is told.

    Attributes:
        rule: Which document represents a family: the longest text, the newest or the oldest.
        date_field: Field that tells the newer of two; needed by the rules newest and oldest.
        everything: Ask for all documents, not only for what changed since the last run.
        dry_run: Write nothing.
    """

    rule: Rule = "longest"
    date_field: str | None = None
    everything: bool = False
    dry_run: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InputError(f"Unknown rule {self.rule!r}; there are {', '.join(RULES)}.")
        if self.rule != "longest" and self.date_field is None:
            raise InputError(f"Rule {self.rule!r} needs a date; name its field with --date-field.")

    def told(self) -> str:
        """Return what decides the outcome; a run with other settings compares everything."""
        date_field = None if self.rule == "longest" else self.date_field
        return f"v{_VERSION} {self.rule} {date_field}"

    @classmethod
    def as_told(cls, told: str | None) -> "Choice":
        """Return what an earlier run was told, by `told`; the default when there was none."""
        if told is None:
            return cls()
        _, rule, date_field = told.split(" ", 2)
        return cls(rule, None if date_field == "None" else date_field)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Family:
    """Documents that are versions of each other.

    Attributes:
        name: Value of `simhash.family` of each of them.
        representative: Id of the one each of the others was checked against.
        members: Ids of all, the representative first.
        indices: The index of each of them, not an alias of it.
        routings: What each of them is routed by; None for its id.
    """

    name: str
    representative: str
    members: tuple[str, ...]
    indices: tuple[str, ...] = ()
    routings: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Found:
    """What a run found.

    Attributes:
        families: Families of several documents, of all documents that the run had to look at.
        documents: Documents it looked at.
        asked: Texts it asked the index for.
        written: Documents whose family was written, or would be with `dry_run`.
        left: Ids of documents that changed meanwhile, or whose text is missing or not the one that
            was fingerprinted; the next run takes them.
        truncated: Ids of documents with more candidates than were examined.
        dry_run: True when nothing was written.
    """

    families: tuple[Family, ...]
    documents: int
    asked: int
    written: int
    left: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is printed in JSON."""
        return {
            "families": [
                {"family": each.name, "members": list(each.members)} for each in self.families
            ],
            "documents": self.documents,
            "asked": self.asked,
            "written": self.written,
            "left": list(self.left),
            "truncated": list(self.truncated),
            "dry_run": self.dry_run,
        }
