"""Normal form of texts, and offsets in the original text; the rules are in docs/fingerprint.md."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.characters import (
    BEYOND_ASCII,
    CODE_POINTS,
    class_table,
    code_points,
)
from es_simhash.text.marks import in_order
from es_simhash.text.memo import Memo
from es_simhash.text.tokens import Ints, Segmentation

# Hangul vowels and finals, which are composed with the letter before, though they are no marks.
_JAMO = range(0x1160, 0x1200)
# The table is slower for fewer characters.
_LEAST_IN_BATCH = 4000
# Each is searched for in each text that holds one of them.
_MOST_REPLACED = 16
# What is not one character: not looked up yet, several in any text, or as the neighbours make it.
_UNKNOWN, _SEVERAL, _DEPENDS = -1, -2, -3


def normalise(text: str) -> str:
    """Return the text in Unicode form NFKC, case folded.

    Characters that Unicode 13.0 does not know stay as they are, so that each version of Python
    (and of Java) gives the same: Unicode never changes the mappings of those it knows.
    """
    if text.isascii():
        return text.lower()
    if not class_table("later_characters.txt")[code_points(text)].any():
        return _normalise_known(text)
    later = class_table("later_characters.txt")
    parts = groupby(text, key=lambda character: bool(later[ord(character)]))
    return "".join("".join(part) if new else _normalise_known("".join(part)) for new, part in parts)


def _normalise_known(text: str) -> str:
    composed = unicodedata.normalize("NFKC", in_order(text, "NFKD"))
    return unicodedata.normalize("NFKC", composed.casefold())


def normalise_all(texts: Sequence[str]) -> list[str]:
    """Return `normalise` of each text, several times as fast."""
    others = iter(_normalise_others([text for text in texts if not text.isascii()]))
    return [text.lower() if text.isascii() else next(others) for text in texts]


def _normalise_others(texts: Sequence[str]) -> list[str]:
    """Return the forms of texts with characters beyond ASCII."""
    joined = "".join(texts)
    if len(joined) < _LEAST_IN_BATCH:
        return [normalise(text) for text in texts]
    codes = code_points(joined)
    beyond = np.flatnonzero(codes >= BEYOND_ASCII)
    others = codes[beyond]
    forms = single_forms(others)
    normalised = codes + ((codes - np.uint32(ord("A")) < 26) * np.uint32(ord("a") - ord("A")))
    normalised[beyond] = np.where(forms < 0, others, forms)
    whole = normalised.tobytes().decode("utf-32-le", "surrogatepass")
    ends = np.cumsum([len(text) for text in texts])

    def places(kind: int) -> set[int]:
        return set(np.searchsorted(ends, beyond[forms == kind], side="right").tolist())

    depending, longer = places(_DEPENDS), places(_SEVERAL)
    several = [chr(code) for code in np.unique(others[forms == _SEVERAL]).tolist()]
    if len(several) > _MOST_REPLACED:
        depending |= longer
    longer -= depending
    results = []
    for place, (text, end) in enumerate(zip(texts, ends.tolist(), strict=True)):
        form = normalise(text) if place in depending else whole[end - len(text) : end]
        # No normal form holds such a character.
        for character in several if place in longer else ():
            form = form.replace(character, normalise(character))
        results.append(form)
    return results


def single_forms(codes: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the normal form of each character that becomes one character in any text.

    Returns:
        Its code point; a negative number for a character that may become several, or be composed
        with one before it.
    """
    table = _forms()
    forms = table[codes]
    unknown = np.unique(codes[forms == _UNKNOWN])
    if len(unknown):
        table[unknown] = [_form(chr(code)) for code in unknown.tolist()]
        forms = table[codes]
    return forms


@lru_cache(maxsize=1)
def _forms() -> NDArray[np.int32]:
    """Return the table of `single_forms`, which fills as characters are met."""
    return np.full(CODE_POINTS, _UNKNOWN, np.int32)


def _form(character: str) -> int:
    """Return the form of one character, or which kind it has.

    No character is composed with one before it but marks and Hangul vowels and finals
    (NFC_Quick_Check is Maybe for these alone, of the characters that `normalise` changes).
    """
    form = normalise(character)
    if any(map(_may_be_composed, character + form[0])):
        return _DEPENDS
    return ord(form) if len(form) == 1 else _SEVERAL


def _may_be_composed(character: str) -> bool:
    return unicodedata.category(character).startswith("M") or ord(character) in _JAMO


def original_offsets(original: str) -> NDArray[np.int64]:
    """Return the offset in the original of each character of `normalise(original)` and of its end.

    Only marks and Hangul vowels and finals are composed with what is before them, so each other
    character is mapped with those behind it, character by character from the first.
    """
    if original.isascii():
        return np.arange(len(original) + 1)
    # The same few letters have marks again and again.
    offsets = Memo(_run_offsets)
    parts: list[NDArray[np.int64]] = []
    place = 0
    for start, end in _runs_to_normalise(original):
        of_run = offsets[original[start:end]]
        if len(of_run) != end - start:
            parts += [np.arange(place, start), start + of_run]
            place = end
    parts.append(np.arange(place, len(original) + 1))
    return np.concatenate(parts)


def _runs_to_normalise(original: str) -> Iterator[tuple[int, int]]:
    """Return the bounds of characters with their marks that may change their length."""
    forms = single_forms(code_points(original))
    begins = forms != _DEPENDS
    begins[0] = True
    bounds = np.append(np.flatnonzero(begins), len(forms))
    runs = np.unique(np.searchsorted(bounds, np.flatnonzero(forms < 0), side="right"))
    return zip(bounds[runs - 1].tolist(), bounds[runs].tolist(), strict=True)


def _run_offsets(run: str) -> NDArray[np.int64]:
    normalised = normalise(run)
    if len(normalised) == len(run):
        return np.arange(len(run))
    # Where marks were composed or put in order, these are near the places that they are from.
    places = np.repeat(np.arange(len(run)), [len(normalise(character)) for character in run])
    return places[np.minimum(np.arange(len(normalised)), len(places) - 1)]


class TokenBounds(NamedTuple):
    """Where the tokens of a text are: offset of each in the original text, and of its end."""

    starts: Ints
    ends: Ints


def token_bounds(original: str, segmentation: Segmentation) -> TokenBounds:
    """Return where the tokens of a text are that was segmented by itself."""
    codes = np.arange(len(segmentation.codes))
    positions = codes if segmentation.positions is None else segmentation.positions
    offsets = original_offsets(original)
    # The end of a token is the offset after its last character, not that of the next one.
    last = np.minimum(positions[segmentation.ends - 1] + 1, len(offsets) - 1)
    return TokenBounds(
        offsets[np.minimum(positions[segmentation.starts], len(offsets) - 1)],
        np.maximum(offsets[last], offsets[positions[segmentation.ends - 1]] + 1),
    )
