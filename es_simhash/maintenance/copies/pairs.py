"""From an aligned pair of texts to what is reported: which passages, and whose was first."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone

from es_simhash.maintenance.copies.alignment import AlignedPair
from es_simhash.maintenance.copies.copies_report import CopiedPassage, Copy, CopySide, Order
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.copy_units import CopyDocument, Shingles, UnitText
from es_simhash.relation.relation import Span
from es_simhash.relation.thresholds import SCORE_DIGITS
from es_simhash.store.dates import NANOSECONDS, Date, DateField

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def copy_of(
    aligned: AlignedPair, common: Shingles, options: CopyOptions, date_field: DateField | None
) -> Copy | None:
    """Return what is reported of two texts; None when they share nothing that is a copy.

    Args:
        aligned: The texts and their passages.
        common: Shingles that many have.
        options: Of the search.
        date_field: Field of the dates; None for none.
    """
    least = options.min_letters or aligned.least_letters
    copied = aligned.with_letters(least)
    passages, boilerplate = copied.without_boilerplate(common)
    if not passages:
        return None
    pair = aligned.pair
    since = earliest(pair.ones), earliest(pair.others)
    order = _order(*since)
    sides = [
        _side(text.first, first, coverage, options, date_field)
        for text, first, coverage in zip(
            (pair.one, pair.other), since, _coverages(passages, aligned.lengths), strict=True
        )
    ]
    is_swapped = _is_swapped(order, pair.one.first, pair.other.first, since)
    if is_swapped:
        sides.reverse()
        passages = [passage.swapped() for passage in passages]
    passages.sort(key=lambda passage: (-passage.letters, passage.a.start, passage.b.start))
    letters = sum(passage.letters for passage in passages)
    return Copy(
        sides[0], sides[1], order, passages[0].letters, letters, pair.documents, boilerplate,
        tuple(passages),
    )  # fmt: skip


def earliest(texts: Iterable[UnitText]) -> CopyDocument:
    """Return the earliest document of texts; one without a date only if none has one."""
    return min((text.first for text in texts), key=lambda document: document.age)


def _order(one: CopyDocument, other: CopyDocument) -> Order:
    if one.date is None or other.date is None:
        return "undated"
    return "same_date" if one.date == other.date else "by_date"


def _is_swapped(
    order: Order, one: CopyDocument, other: CopyDocument, since: tuple[CopyDocument, CopyDocument]
) -> bool:
    if order == "by_date":
        return since[1].age < since[0].age
    return other.ref < one.ref


def _side(
    document: CopyDocument,
    since: CopyDocument,
    coverage: float,
    options: CopyOptions,
    date_field: DateField | None,
) -> CopySide:
    is_dated = since.date is not None
    return CopySide(
        document.ref.id,
        document.ref.index or "",
        document.values,
        document.family,
        shown_date(document.date, date_field),
        shown_date(since.date, date_field),
        since.ref.id if is_dated else None,
        coverage,
    )


def _coverages(passages: Sequence[CopiedPassage], lengths: tuple[int, int]) -> tuple[float, float]:
    sides = ([passage.a for passage in passages], [passage.b for passage in passages])
    one, other = (
        round(_covered(spans) / max(1, length), SCORE_DIGITS)
        for spans, length in zip(sides, lengths, strict=True)
    )
    return one, other


def _covered(spans: Sequence[Span]) -> int:
    """Return the characters that lie in any of some spans, each counted once."""
    covered = end = 0
    for span in sorted(spans, key=lambda span: span.start):
        covered += max(0, span.end - max(end, span.start))
        end = max(end, span.end)
    return covered


def shown_date(date: Date | None, field: DateField | None) -> str | float | None:
    """Return a date in ISO 8601, without the time at midnight; a number of a field of numbers.

    Milliseconds since 1970 stand for what ISO 8601 has no year of four digits for.
    """
    if date is None or field is None or field.is_number:
        return date
    try:
        moment = _EPOCH + timedelta(microseconds=int(date) // 1000)
    except OverflowError:
        return date / NANOSECONDS
    text = moment.isoformat().replace("+00:00", "Z")
    return text.removesuffix("T00:00:00Z")
