"""Numbers in sentences: 1 pair, 2 pairs; shares in percent; scores."""

from decimal import ROUND_HALF_UP, Decimal


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a word as it is used of so many.

    >>> plural(1, "family"), plural(2, "family"), plural(2, "has", "have")
    ('family', 'families', 'have')

    Args:
        count: How many.
        one: The word for one.
        many: The word for any other number; by default `one` with the ending of the plural.
    """
    if count == 1:
        return one
    if many is not None:
        return many
    return f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return so many things in words.

    >>> counted(1, "pair"), counted(1200, "pair")
    ('1 pair', '1,200 pairs')

    Args:
        count: How many.
        one: The word for one.
        many: The word for any other number, as in `plural`.
    """
    return f"{count:,} {plural(count, one, many)}"


def percent(share: float) -> str:
    """Return a share in percent, half rounded up as browsers do; 0% and 100% only if just that.

    >>> percent(0.625), percent(0.9999), percent(1.0)
    ('63%', '99%', '100%')
    """
    shown = int((100 * Decimal(str(share))).quantize(Decimal(1), ROUND_HALF_UP))
    return f"{min(99, max(1, shown)) if 0 < share < 1 else shown}%"


def score_text(score: float) -> str:
    """Return a score in hundredths, never rounded up to a tenth, as kinds begin at some of these.

    >>> score_text(0.874), score_text(0.5999), score_text(0.6), score_text(0.9998), score_text(1.0)
    ('0.87', '0.59', '0.60', '0.99', '1.00')
    """
    shown = f"{score:.2f}"
    return f"{float(shown) - 0.01:.2f}" if shown.endswith("0") and float(shown) > score else shown
