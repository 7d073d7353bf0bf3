"""The numbers, dates and names that differ between two versions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from es_simhash.differences.facts import Fact, Facts, value
from es_simhash.differences.model import Change, FactKind, KeyChange

# Words of an edit, on either side, from which on it is a rewritten passage: which number of it
# stands for which is not known.
_MAX_WORDS = 40
# Words of what was only put in, or taken out, from which on it is a passage of its own.
_MAX_ADDED_WORDS = 12
_FIRST_CJK = "\u2e80"
_KINDS: tuple[FactKind, ...] = ("number", "date", "name")


def key_changes(edits: Iterable[Change], ours: Facts, theirs: Facts) -> tuple[KeyChange, ...]:
    """Return the numbers, dates and names that differ: those that were replaced first.

    Args:
        edits: What differs in words or marks, none longer than `is_short` says.
        ours: The facts of the older text.
        theirs: The facts of the newer text.
    """
    found = dict.fromkeys(change for edit in edits for change in _of_edit(edit, ours, theirs))
    replaced = [change for change in found if change.a and change.b]
    paired = {change.a for change in replaced}, {change.b for change in replaced}
    removed = [change for change in found if not change.b and change.a not in paired[0]]
    added = [change for change in found if not change.a and change.b not in paired[1]]
    # What stands elsewhere is neither gone nor new.
    elsewhere = Counter(map(_value, removed)) & Counter(map(_value, added))
    return (*replaced, *_left_out(removed, elsewhere), *_left_out(added, elsewhere))


def _value(change: KeyChange) -> str:
    span = change.a or change.b
    assert span is not None
    return value(span.text)


def _left_out(changes: Iterable[KeyChange], counts: Counter[str]) -> Iterator[KeyChange]:
    """Yield changes without so many of each value."""
    left = counts.copy()
    for change in changes:
        if left[_value(change)]:
            left[_value(change)] -= 1
        else:
            yield change


def is_short(edit: Change) -> bool:
    """Check whether an edit is short enough for its facts to stand for each other."""
    words = _words(edit.a.text), _words(edit.b.text)
    return max(words) <= (_MAX_WORDS if all(words) else _MAX_ADDED_WORDS)


def _words(text: str) -> int:
    """Return about how many words there are: two characters are one without spaces between."""
    return len(text.split()) + sum(character >= _FIRST_CJK for character in text) // 2


def _of_edit(edit: Change, ours: Facts, theirs: Facts) -> Iterator[KeyChange]:
    """Yield what differs in one edit."""
    a = ours.within(edit.a.start, edit.a.end)
    b = theirs.within(edit.b.start, edit.b.end)
    for kind in _KINDS if a or b else ():
        yield from _of_kind(kind, edit, a, b)


def _of_kind(
    kind: FactKind, edit: Change, a: Sequence[Fact], b: Sequence[Fact]
) -> Iterator[KeyChange]:
    older = [fact for fact in a if fact.kind == kind]
    newer = [fact for fact in b if fact.kind == kind]
    # At the place of what was put in is only what it goes on with.
    if not edit.a.text:
        older = [fact for fact in older if _is_part(fact, newer)]
    if not edit.b.text:
        newer = [fact for fact in newer if _is_part(fact, older)]
    if not older and not newer:
        return
    same = Counter(fact.value for fact in older) & Counter(fact.value for fact in newer)
    sides = (
        [change.a for change in _left_out(_alone(kind, facts), same)] for facts in (older, newer)
    )
    for one, other in zip_longest(*sides):
        yield KeyChange(kind, one, other)


def _alone(kind: FactKind, facts: Iterable[Fact]) -> Iterator[KeyChange]:
    yield from (KeyChange(kind, fact.span, None) for fact in facts)


def _is_part(fact: Fact, longer: Sequence[Fact]) -> bool:
    """Check whether one of some facts is another and more, before or behind it."""
    part = fact.value
    return any(
        other.value != part and (other.value.startswith(part) or other.value.endswith(part))
        for other in longer
    )
