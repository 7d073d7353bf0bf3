"""Hostile texts and bytes, made from a seed."""

import random
from collections.abc import Iterator
from typing import Any

from tests.support.strategies import ENDS, SCRIPTS, STOPS

# Bidirectional controls, ESC, NUL, a lone surrogate of either half, ends of planes, a form feed.
CONTROLS = [
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f",
    *"\x00\x07\x08\x0c\x1b\x7f\x9b",
    *"\ud800\udfff\ufffe\uffff\U0010ffff\U0001fffe",
]
COMMANDS = ["\x1b[2J", "\x1b]0;title\x07", "\r\n", "{{x}}", "<script>", "../..", "%s%n", "'\"`"]
# Reasons quote names, of files, fields and labels, which may be long.
_LONGEST_REASON = 2_000
_PIECES = [*ENDS, *STOPS, *CONTROLS, *COMMANDS]


def hostile_text(chosen: random.Random) -> str:
    """Return a short text, of any of several kinds."""
    kind = chosen.randrange(6)
    if kind == 0:
        return "".join(map(chr, chosen.choices(range(0x3000), k=chosen.randrange(80))))
    if kind == 1:
        data = chosen.randbytes(chosen.randrange(120))
        return data.decode("utf-8", chosen.choice(["replace", "surrogateescape", "ignore"]))
    if kind == 2:
        word = _word(chosen) + chosen.choice(["", " ", "."])
        return word * chosen.randrange(60)
    pieces = (_word(chosen) for _ in range(chosen.randrange(40)))
    if kind == 3:
        return " ".join(pieces)
    return "".join(piece + chosen.choice(_PIECES) for piece in pieces)


def _word(chosen: random.Random) -> str:
    return "".join(chosen.choices(chosen.choice(SCRIPTS), k=chosen.randrange(1, 9)))


def rounds(chosen: random.Random, count: int) -> range:
    """Return so many numbers, or fewer where what chooses wants smaller batches (`most`)."""
    return range(min(count, getattr(chosen, "most", count)))


def hostile_texts(chosen: random.Random, count: int) -> list[str]:
    """Return so many texts; see `rounds`."""
    return [hostile_text(chosen) for _ in rounds(chosen, count)]


def changed(text: str, chosen: random.Random) -> str:
    """Return a text with some parts left out, repeated, moved, or replaced."""
    words = text.split(" ")
    for _ in range(chosen.randrange(1, 6)):
        start = chosen.randrange(len(words) + 1)
        part = words[start : start + chosen.randrange(1, 9)]
        action = chosen.randrange(4)
        if action == 0:
            del words[start : start + len(part)]
        elif action == 1:
            words[start:start] = part * chosen.randrange(1, 4)
        elif action == 2:
            del words[start : start + len(part)]
            place = chosen.randrange(len(words) + 1)
            words[place:place] = part
        else:
            words[start : start + len(part)] = [hostile_text(chosen)]
    return " ".join(words)


def damaged(data: bytes, chosen: random.Random) -> bytes:
    """Return bytes that were cut anywhere, or of which bits are flipped, bytes lost or repeated."""
    result = bytearray(data)
    for _ in range(chosen.randrange(1, 4)):
        if not result:
            break
        place = chosen.randrange(len(result))
        action = chosen.randrange(5)
        if action == 0:
            del result[place:]
        elif action == 1:
            del result[place : place + chosen.randrange(1, 20)]
        elif action == 2:
            result[place:place] = chosen.randbytes(chosen.randrange(1, 20))
        elif action == 3:
            result[place:place] = result[: chosen.randrange(1, 40)]
        else:
            result[place] ^= 1 << chosen.randrange(8)
    return bytes(result)


# What another type may stand in the place of a value.
_VALUES: list[object] = [
    None,
    True,
    0,
    -1,
    1 << 70,
    1.5,
    "",
    "x",
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"": {}},
]


def altered(value: object, chosen: random.Random) -> object:
    """Return a value of JSON of which one part is missing, twice there, or of another type."""
    places = list(_places(value))
    if not places:
        return chosen.choice(_VALUES)
    holder, key = chosen.choice(places)
    action = chosen.randrange(3)
    if action == 0 and isinstance(holder, dict):
        del holder[key]
    elif action == 1 and isinstance(holder, list) and isinstance(key, int):
        holder.insert(key, holder[key])
    else:
        _put(holder, key, chosen.choice(_VALUES))
    return value


def _put(holder: Any, key: Any, value: object) -> None:
    if isinstance(holder, dict) or (isinstance(holder, list) and isinstance(key, int)):
        holder[key] = value


def _places(value: object) -> Iterator[tuple[object, object]]:
    """Yield each place within a value of JSON: what holds it, and its name or number."""
    if isinstance(value, dict):
        for name, member in list(value.items()):
            yield value, name
            yield from _places(member)
    elif isinstance(value, list):
        for number, member in enumerate(list(value)):
            yield value, number
            yield from _places(member)


def spliced(a: bytes, b: bytes, chosen: random.Random) -> bytes:
    """Return the beginning of some bytes and the end of others."""
    return a[: chosen.randrange(len(a) + 1)] + b[chosen.randrange(len(b) + 1) :]


def require_sentence(reason: str) -> None:
    """Check that a reason is one line that can be printed, and no longer than a screen."""
    assert reason, "there is no reason"
    assert "\n" not in reason, reason
    assert len(reason) < _LONGEST_REASON, reason
