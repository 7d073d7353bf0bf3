"""Where in two texts their common parts lie, as a picture."""

from collections.abc import Iterable, Iterator

from es_simhash.differences.difference import Changes
from es_simhash.differences.rendering.rows import kept_stretches
from es_simhash.relation.relation import SharedPassage

_WIDTH, _BAR, _HEIGHT = 1000, 14, 84
# Stretches that are nearer than this share of the longer text are drawn as one.
_GAP = 0.003

Stretch = tuple[int, int, int, int, str]


def strip(changes: Changes, evidence: Iterable[SharedPassage] = ()) -> str:
    """Return both texts as bars, A above B, with the common parts joined by bands, as SVG.

    Args:
        changes: From A to B.
        evidence: Passages that they share; those that were reworded are drawn, too.
    """
    length_a, length_b = len(changes.text_a), len(changes.text_b)
    longest = max(length_a, length_b)
    if not longest:
        return ""
    reworded = [
        (each.query.start, each.query.end, each.hit.start, each.hit.end, "reworded")
        for each in evidence
        if each.kind in ("edited", "paraphrased")
    ]
    scale = _WIDTH / longest
    bands = "".join(
        _band(stretch, scale) for stretch in [*reworded, *_merged(changes, _GAP * longest)]
    )
    return (
        f'<svg class="strip" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" '
        'role="img" aria-label="Where the common parts lie: the older text above the newer one">'
        f'<rect class="bar" width="{length_a * scale:.1f}" height="{_BAR}"/>'
        f'<rect class="bar" y="{_HEIGHT - _BAR}" width="{length_b * scale:.1f}" height="{_BAR}"/>'
        f"{bands}</svg>"
    )


def _merged(changes: Changes, gap: float) -> Iterator[Stretch]:
    """Yield the stretches that both have; those that are near each other in both are one."""
    last: Stretch | None = None
    for a_start, a_end, b_start, b_end, is_moved in kept_stretches(changes):
        style = "moved" if is_moved else "kept"
        if (
            last is not None
            and last[4] == style
            and 0 <= a_start - last[1] <= gap
            and 0 <= b_start - last[3] <= gap
        ):
            last = (last[0], a_end, last[2], b_end, style)
            continue
        if last is not None:
            yield last
        last = (a_start, a_end, b_start, b_end, style)
    if last is not None:
        yield last


def _band(stretch: Stretch, scale: float) -> str:
    a_start, a_end, b_start, b_end, style = stretch
    top, low = _BAR, _HEIGHT - _BAR
    left_a, right_a, left_b, right_b = (
        f"{place * scale:.1f}" for place in (a_start, a_end, b_start, b_end)
    )
    return (
        f'<path class="{style}" d="M{left_a} 0H{right_a}V{top}L{right_b} {low}V{_HEIGHT}H{left_b}'
        f'V{low}L{left_a} {top}Z"/>'
    )
