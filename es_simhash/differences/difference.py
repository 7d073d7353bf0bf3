"""Changes between two versions of a text, moved blocks, key changes and the summary."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from es_simhash.relation.relation import Span
from es_simhash.text.counting import counted

ChangeKind = Literal["equal", "insert", "delete", "replace", "move"]
FactKind = Literal["number", "date", "name"]


@dataclass(frozen=True)
class Change:
    """One step from the older text A to the newer text B.

    Attributes:
        kind: Kind of the change. A moved block has two of kind `move`: where it was, with an empty
            `b`, and where it is now, with an empty `a`.
        a: Its stretch of A.
        b: Its stretch of B.
        white_space: Whether only white space differs, or what nobody sees: invisible characters,
            and the Unicode form of the same letters. Such a change is not shown.
        move: Number of the moved block, as in `Changes.moves`; None for the other kinds.
    """

    kind: ChangeKind
    a: Span
    b: Span
    white_space: bool = False
    move: int | None = None

    @property
    def is_edit(self) -> bool:
        """True when words or marks differ; a block that is only moved is no edit."""
        return self.kind not in ("equal", "move") and not self.white_space


@dataclass(frozen=True)
class MovedBlock:
    """A block that is in another place of B, and what was edited in it.

    Attributes:
        number: Its number, from 1 in the order of A.
        a: Where it was.
        b: Where it is.
        edits: Its changes, in order; they make up both stretches.
    """

    number: int
    a: Span
    b: Span
    edits: tuple[Change, ...]

    @property
    def is_edited(self) -> bool:
        """True when a word or a mark of it differs."""
        return any(edit.is_edit for edit in self.edits)


@dataclass(frozen=True)
class KeyChange:
    """A number, a date or a name that differs.

    Attributes:
        kind: Number, date or name.
        a: The one in A; None when B has it in addition.
        b: The one in B; None when it was taken out.
    """

    kind: FactKind
    a: Span | None
    b: Span | None


@dataclass(frozen=True)
class ChangeSummary:
    """Amount of change, in sections and words; `str` returns one sentence.

    Attributes:
        sections: Kind of the sections: paragraphs, lines or sentences.
        sections_a: Sections of A.
        sections_b: Sections of B.
        changed: Sections of B that are in A as well, and differ from there.
        new: Sections of B that are not in A.
        removed: Sections of A that are not in B.
        moved: Sections of B that are in another place than in A.
        words_a: Words of A.
        words_b: Words of B.
        kept_words: Words of A that B still has, in moved blocks too.
        kept: The share of these of the words of A and B, from 0 to 1.
        identical: Whether no word and no mark differs, or is in another place.
    """

    sections: Literal["paragraph", "line", "sentence"]
    sections_a: int
    sections_b: int
    changed: int
    new: int
    removed: int
    moved: int
    words_a: int
    words_b: int
    kept_words: int
    kept: float
    identical: bool

    def __str__(self) -> str:
        if self.identical:
            return "nothing changed"
        if not self.words_a or not self.words_b:
            which = "older" if not self.words_a else "newer"
            both = not self.words_a and not self.words_b
            return "no words in either text" if both else f"the {which} text has no words"
        if not self.kept_words:
            return "nothing in common: the older text was replaced as a whole"
        parts = [f"{self.changed} of {counted(self.sections_b, 'section')} changed"]
        for count, what in ((self.new, "new"), (self.removed, "removed"), (self.moved, "moved")):
            if count:
                parts.append(f"{count} {what}")
        return ", ".join(parts)

    @property
    def is_partial(self) -> bool:
        """Whether some words were kept, and not all is as it was: only then is a share news."""
        return not self.identical and self.kept_words > 0


@dataclass(frozen=True)
class Changes:
    """Changes from an older text A to a newer text B.

    Attributes:
        changes: All of A and B, in order: the stretches `a` of all make up A, and `b` make up B.
        moves: The moved blocks, in the order of A.
        key_changes: Numbers, dates and names that differ, in the order of B.
        summary: Amount of change.
    """

    changes: tuple[Change, ...]
    moves: tuple[MovedBlock, ...]
    key_changes: tuple[KeyChange, ...]
    summary: ChangeSummary

    @property
    def text_a(self) -> str:
        """The older text, put together from the changes."""
        return "".join(change.a.text for change in self.changes)

    @property
    def text_b(self) -> str:
        """The newer text, put together from the changes."""
        return "".join(change.b.text for change in self.changes)

    @property
    def edits(self) -> Iterator[Change]:
        """Changes of words or marks, those in moved blocks too; the moves are left out."""
        for changes in (self.changes, *(move.edits for move in self.moves)):
            for change in changes:
                if change.is_edit:
                    yield change

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it; the summary with its sentence as `text`."""
        return {
            "summary": {"text": str(self.summary), **asdict(self.summary)},
            "key_changes": [asdict(change) for change in self.key_changes],
            "changes": [asdict(change) for change in self.changes],
            "moves": [asdict(move) for move in self.moves],
        }
