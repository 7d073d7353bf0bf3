"""From an aligned pair of texts to what is reported: which passages, and whose was first."""

from collections.abc import Callable, Sequence

from es_simhash.pairs.copied_passages import AlignedPair
from es_simhash.pairs.copies import CopiedPassage, Copy, CopySide, Order
from es_simhash.pairs.copy_units import CopyDocument, earliest
from es_simhash.pairs.postings import Shingles
from es_simhash.relation.relation import Span
from es_simhash.relation.thresholds import SCORE_DIGITS

# Returns a date as it is reported; None for none.
ShowDate = Callable[[float | None], str | float | None]


def copy_of(
    aligned: AlignedPair, common: Shingles, min_letters: int | None, show_date: ShowDate
) -> Copy | None:
    """Return what is reported of two texts; None when they share nothing that is a copy.

    Args:
        aligned: The texts and their passages.
        common: Shingles that many have.
        min_letters: Least letters of a passage; None for what is no coincidence in such texts.
        show_date: Returns a date as it is reported.
    """
    least = min_letters or aligned.least_letters
    copied = aligned.with_letters(least)
    passages, boilerplate = copied.without_boilerplate(common)
    if not passages:
        return None
    pair = aligned.pair
    since = earliest(pair.ones), earliest(pair.others)
    order = _order(*since)
    sides = [
        _side(text.first, first, coverage, show_date)
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
    show_date: ShowDate,
) -> CopySide:
    is_dated = since.date is not None
    return CopySide(
        document.ref.id,
        document.ref.index or "",
        document.values,
        document.family,
        show_date(document.date),
        show_date(since.date),
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
