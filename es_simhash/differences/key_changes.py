"""Numbers, dates and names of a text, and those that differ between two versions."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from es_simhash.differences.difference import Change, FactKind, KeyChange
from es_simhash.relation.relation import Span
from es_simhash.semantics.entities.entity_rules import find_names
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.word_lists import words_of_kind

# Characters by which the language is detected.
_SAMPLE = 20_000
# Characters between a fact and its neighbour: a space, and one of its own.
_BESIDE = 2
# Characters around a stretch in which a number or a date may begin that is part of it.
_NEAR = 40
_NAMES = {
    form for name in words_of_kind("month") for form in (name, name.capitalize(), name.upper())
}
_MONTH = f"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
# To look at the first letter alone makes the search ten times as fast.
_BEGINS_MONTH = rf"(?<!\w)(?=[{''.join(sorted({name[0] for name in _NAMES}))}])"
_CHINESE_DIGITS = "〇零一二两三四五六七八九十百千万亿"
# No number has more of them; without a bound, a long row of them is read again from each.
_MAX_CHINESE_DIGITS = 20
_CHINESE = rf"[\d{_CHINESE_DIGITS}]{{1,{_MAX_CHINESE_DIGITS}}}"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|º|\.)?"
# Of several alternatives the first counts: a date is no number, nor three of them.
_DATES_BY_DIGIT = (
    # A year has four digits: three characters or fewer before it count years.
    rf"{_CHINESE}\s?年\s?{_CHINESE}\s?月(?:\s?{_CHINESE}\s?[日号])?",
    r"(?<!\d)\d{4}\s?年|[〇零一二三四五六七八九]{4}\s?年",
    rf"{_CHINESE}\s?月\s?{_CHINESE}\s?[日号]",
    rf"(?<!\w){_DAY}\s(?:of\s|de\s)?{_MONTH}\b\.?(?:,?\s(?:de\s)?\d{{4}}\b)?",
    r"(?<!\w)\d{4}(?P<iso>[-/.])\d{1,2}(?P=iso)\d{1,2}\b",
    r"(?<!\w)\d{1,2}(?P<mark>[-/.])\d{1,2}(?P=mark)\d{2,4}\b",
)
_DATES_BY_MONTH = (
    rf"{_MONTH}\b\.?\s{_DAY}(?!\d)(?:,?\s\d{{4}}\b)?",
    rf"{_MONTH}\b\.?,?\s(?:de\s)?\d{{4}}\b",
)
_DATE = (
    rf"(?=[\d{_CHINESE_DIGITS}])(?:{'|'.join(_DATES_BY_DIGIT)})"
    rf"|{_BEGINS_MONTH}(?:{'|'.join(_DATES_BY_MONTH)})"
)
_WORDS = {form for word in words_of_kind("number") for form in (word, word.capitalize())}
_WORD = f"(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_BEGINS_WORD = rf"(?<!\w)(?=[{''.join(sorted({word[0] for word in _WORDS}))}])"
# A minus is behind a space or a bracket, not between two words or numbers; before a date it is a
# dash. The mark comes first, as it is searched for in much less time than what is before it.
_SIGN = (
    rf"(?:[-−](?<![\w)\]\-−].)(?=[$€£¥₹]?\d)"
    rf"(?!\d+(?:[-/.]\d+[-/.]|\s?[年月])|{_DAY}\s(?:of\s|de\s)?{_MONTH}\b))"
)
_NUMBER = "|".join(
    (
        rf"第\s?{_CHINESE}\s?[条條章节節款项項目编編号號届屆次]",
        rf"{_SIGN}?(?:[$€£¥₹]\s?)?\d+(?:[.,'’٫٬]\d+)*(?:st|nd|rd|th)?(?:\s?[%٪‰°€£¥₹])?",
        rf"{_BEGINS_WORD}{_WORD}(?:[ -]{_WORD})*\b",
        # Characters for digits are numbers where something is counted.
        rf"[{_CHINESE_DIGITS}]{{1,{_MAX_CHINESE_DIGITS}}}(?=\s?[条章节款项个人天日月年元倍%％])",
    )
)
_FACTS = re.compile(rf"(?P<date>{_DATE})|(?P<number>{_NUMBER})")
# Words of an edit, on either side, from which on it is a rewritten passage: which number of it
# stands for which is not known.
_MAX_WORDS = 40
# Words of what was only put in, or taken out: more are a passage of its own, whose names are not
# listed, and many more a chapter, whose numbers are not listed either.
_MAX_ADDED_WORDS, _MAX_CLAUSE_WORDS = 12, 200
_FIRST_CJK = "\u2e80"
_KINDS: tuple[FactKind, ...] = ("number", "date", "name")


@dataclass(frozen=True)
class Fact:
    """A number, a date or a name, and where it is."""

    kind: FactKind
    span: Span

    @property
    def value(self) -> str:
        """The key by which two facts are equal."""
        return value(self.span.text)


def value(text: str) -> str:
    """Return what makes two facts equal: the words, whatever their case and the white space."""
    return " ".join(text.split()).casefold().replace("−", "-")


@dataclass(frozen=True)
class Facts:
    """The facts of a text, in order; no two overlap.

    Attributes:
        facts: The facts.
        starts: Offset of each.
    """

    facts: Sequence[Fact]
    starts: Sequence[int]

    @classmethod
    def of(
        cls, text: str, names: Sequence[Fact], near: Iterable[tuple[int, int]] | None = None
    ) -> "Facts":
        """Return the facts of a text.

        Args:
            text: The text.
            names: Its names.
            near: Stretches of the text, ascending, near which numbers and dates are wanted; None
                for all of it.
        """
        counted = [fact for window in _windows(text, near) for fact in _counted(text, *window)]
        facts = sorted(_apart(counted, names), key=lambda fact: fact.span.start)
        return cls(facts, [fact.span.start for fact in facts])

    def within(self, start: int, end: int) -> list[Fact]:
        """Return the facts that a stretch has a part of; at an empty one, those next to it."""
        if start == end:
            start, end = start - _BESIDE, end + _BESIDE
        first = bisect_left(self.starts, start)
        if first and self.facts[first - 1].span.end > start:
            first -= 1
        return list(self.facts[first : bisect_left(self.starts, end)])


def names_of(text: str) -> list[Fact]:
    """Return the names of a text, in no order."""
    mentions = find_names(text, detect_language(text[:_SAMPLE]))
    ends = ((mention.start, mention.start + len(mention.name)) for mention in mentions)
    return [Fact("name", Span(start, end, text[start:end])) for start, end in ends]


def _windows(text: str, near: Iterable[tuple[int, int]] | None) -> Iterator[tuple[int, int]]:
    """Yield the stretches in which numbers are searched, those that overlap as one."""
    first = last = 0
    for start, end in near if near is not None else ((0, len(text)),):
        if start - _NEAR > last:
            yield first, last
            first = start - _NEAR
        last = max(last, end + _NEAR)
    yield first, min(last, len(text))


def _counted(text: str, start: int, end: int) -> Iterator[Fact]:
    """Yield the numbers and dates of a stretch."""
    for match in _FACTS.finditer(text, start, end):
        kind: FactKind = "date" if match["date"] is not None else "number"
        yield Fact(kind, Span(match.start(), match.end(), match.group()))


def _apart(counted: Sequence[Fact], names: Iterable[Fact]) -> Iterator[Fact]:
    """Yield numbers and dates, and the names that are no part of one."""
    yield from counted
    ends = [fact.span.end for fact in counted]
    for name in names:
        place = bisect_left(ends, name.span.start + 1)
        if place == len(counted) or counted[place].span.start >= name.span.end:
            yield name


def key_changes(edits: Iterable[Change], ours: Facts, theirs: Facts) -> tuple[KeyChange, ...]:
    """Return the numbers, dates and names that differ: those that were replaced first.

    Args:
        edits: Changes of words or marks, none longer than `is_short` says.
        ours: The facts of the older text.
        theirs: The facts of the newer text.
    """
    differing = dict.fromkeys(change for edit in edits for change in _of_edit(edit, ours, theirs))
    replaced = [change for change in differing if change.a and change.b]
    paired = {change.a for change in replaced}, {change.b for change in replaced}
    removed = [change for change in differing if not change.b and change.a not in paired[0]]
    added = [change for change in differing if not change.a and change.b not in paired[1]]
    # What is elsewhere in the text is neither gone nor new.
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
    """Check whether an edit is short enough for its facts to be listed."""
    words = _words(edit.a.text), _words(edit.b.text)
    return max(words) <= (_MAX_WORDS if all(words) else _MAX_CLAUSE_WORDS)


def _words(text: str) -> int:
    """Return about how many words there are: two characters are one without spaces between."""
    return len(text.split()) + sum(character >= _FIRST_CJK for character in text) // 2


def _of_edit(edit: Change, ours: Facts, theirs: Facts) -> Iterator[KeyChange]:
    """Yield what differs in one edit."""
    a = ours.within(edit.a.start, edit.a.end)
    b = theirs.within(edit.b.start, edit.b.end)
    is_clause = not (edit.a.text and edit.b.text) and _words(edit.a.text + edit.b.text) > (
        _MAX_ADDED_WORDS
    )
    kinds = _KINDS[:-1] if is_clause else _KINDS
    for kind in kinds if a or b else ():
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
