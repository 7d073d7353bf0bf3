"""A unified diff of two texts, which `patch` and `git apply` apply."""

from collections.abc import Iterator, Sequence

import numpy as np

from es_simhash.differences.anchors import Stretch
from es_simhash.differences.sequence_alignment import Sequences, aligned, between

_CONTEXT = 3
# Characters that stand for others in a name in quotes, as in C.
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def unified_diff(a: str, b: str, name: str, note: str = "") -> str:
    r"""Return the lines that differ, with three lines around them; empty for equal texts.

    Lines end with a line feed alone: a carriage return before it belongs to the line.

    Args:
        a: The older text.
        b: The newer text.
        name: Name of the file that is patched.
        note: Printed behind the name of the newer text, which no program reads.
    """
    ours, theirs = _lines(a), _lines(b)
    numbers: dict[str, int] = {}
    sequences = Sequences.of(
        *(
            np.array([numbers.setdefault(line, len(numbers)) for line in lines], np.int64)
            for lines in (ours, theirs)
        )
    )
    gaps = list(between(sequences.whole, aligned(sequences)))
    if not gaps:
        return ""
    head = [f"--- {_path('a', name)}\n", f"+++ {_path('b', name)}\t{_quoted(note)}\n"]
    body = [line for hunk in _grouped(gaps) for line in _hunk(hunk, ours, theirs)]
    return "".join(head + body)


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    # What follows the last line feed is a line only when there is something.
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _path(side: str, name: str) -> str:
    path = f"{side}/{name.lstrip('/')}"
    quoted = _quoted(path)
    return f'"{quoted}"' if quoted != path or " " in path else path


def _quoted(name: str) -> str:
    """Return a name with what would end it or steer a terminal escaped as git does."""
    return "".join(
        _ESCAPES.get(character)
        or (
            character
            if character.isprintable()
            else "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogatepass"))
        )
        for character in name
    )


def _grouped(gaps: Sequence[Stretch]) -> Iterator[list[Stretch]]:
    """Yield the gaps that share their context."""
    group: list[Stretch] = []
    for gap in gaps:
        if group and gap.a_start - group[-1].a_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(gap)
    yield group


def _hunk(gaps: Sequence[Stretch], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    before = min(_CONTEXT, gaps[0].a_start, gaps[0].b_start)
    behind = min(_CONTEXT, len(ours) - gaps[-1].a_end, len(theirs) - gaps[-1].b_end)
    at = Stretch(
        gaps[0].a_start - before,
        gaps[-1].a_end + behind,
        gaps[0].b_start - before,
        gaps[-1].b_end + behind,
    )
    yield f"@@ -{_range(at.a_start, at.a_end)} +{_range(at.b_start, at.b_end)} @@\n"
    place = at.a_start
    for gap in gaps:
        yield from _marked(" ", ours[place : gap.a_start])
        yield from _marked("-", ours[gap.a_start : gap.a_end])
        yield from _marked("+", theirs[gap.b_start : gap.b_end])
        place = gap.a_end
    yield from _marked(" ", ours[place : at.a_end])


def _range(start: int, end: int) -> str:
    """Return the first line and their number; of none, the line before them."""
    return f"{start + (end > start)},{end - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        end = "" if line.endswith("\n") else "\n\\ No newline at end of file\n"
        yield f"{mark}{line}{end}"
