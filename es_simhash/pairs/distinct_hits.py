"""Hits of any search without those that only repeat one before them; no index is needed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.relation.lost_text import says_all_of
from es_simhash.relation.segmented_text import SegmentedText
from es_simhash.relation.thresholds import LOSE
from es_simhash.text.limits import require_text_size

Hit = TypeVar("Hit")


@dataclass(frozen=True)
class DistinctHit(Generic[Hit]):
    """A hit, and those that it stands for.

    Attributes:
        hit: The hit, as it was given.
        repeats: Hits behind it whose text it repeats, in their order.
    """

    hit: Hit
    repeats: tuple[Hit, ...] = ()


def distinct_hits(
    hits: Iterable[Hit], text: Callable[[Hit], str] = str, *, lose: float = LOSE
) -> list[DistinctHit[Hit]]:
    """Return hits without those whose text one before them has as well.

    A hit is left out where one text that stays has all its words, in runs of four, but for the
    share that may be lost, and no number or name would be: the same clause with another date or sum
    stays, and so does a hit without words.

    Args:
        hits: Best first, of any search; strings by default.
        text: Returns the text of a hit.
        lose: Share of the words of a text, from 0 to 1, that may be lost with it.

    Raises:
        InputError: `lose` is not between 0 and 1; what `text` returns is no string, or has more
            than 16 MiB.

    >>> from es_simhash import distinct_hits
    >>> len(distinct_hits(["Pay within 16 days.", "Pay within 18 days.", "pay  within 16 days"]))
    2
    """
    if not 0 <= lose <= 1:
        raise InputError(f"lose must be between 0 and 1, got {lose}.", parameter="lose")
    kept: list[tuple[SegmentedText, Hit, list[Hit]]] = []
    for place, hit in enumerate(hits):
        content = text(hit)
        if not isinstance(content, str):
            raise InputError(
                f"The text of hit {place} must be a string, got {type(content).__name__}.",
                parameter="text",
            )
        segmented = SegmentedText(require_text_size(content), DEFAULT)
        for other, _, repeats in kept:
            if says_all_of(other, segmented, lose):
                repeats.append(hit)
                break
        else:
            kept.append((segmented, hit, []))
    return [DistinctHit(hit, tuple(repeats)) for _, hit, repeats in kept]
