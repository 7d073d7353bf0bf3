"""Tokens and chunks of texts, in batches; the rules are in docs/fingerprint.md."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from es_simhash.text.characters import (
    CODE_POINTS,
    IGNORED,
    MARK,
    STANDALONE,
    WORD,
    class_table,
    code_points,
)
from es_simhash.text.tokens import Ints, NumberingKey, Segmentation

Item = TypeVar("Item")
# Classes of what ends a sentence; a character of none of them is 0.
_STOP, _FULL_STOP, _CLOSER, _SPACE, _NEWLINE = 1, 2, 3, 4, 5
# Full stops that end a sentence whatever follows: CJK, Arabic, Devanagari, Armenian, Khmer.
_SENTENCE_MARKS = {
    _STOP: ".!?…",
    _FULL_STOP: "。؟۔।॥։។៕",
    _CLOSER: "\"')]}”’»」』】",
    # A carriage return is a space: \r\n after each line makes no blank lines.
    _SPACE: " \t\r\x0b\x0c\x1c\x1d\x1e\x1f",
    _NEWLINE: "\n\x85\u2028\u2029",
}
_SEPARATOR = "\n\n"
# Both classes of a character in one byte.
_MARK_SHIFT = np.uint8(3)
_CLASS_MASK = np.uint8(7)
# As many as are fingerprinted fastest (docs/plan.md#measured-speed-and-size).
BATCH_CHARACTERS = 200_000
# What a text costs whatever its length, in characters: a batch of empty texts ends as well.
_LEAST_CHARACTERS = 10


class ChunkSizes(Protocol):
    """The lengths of chunks, in tokens; every fingerprint scheme has these."""

    @property
    def min_chunk_tokens(self) -> int:
        """Tokens that a chunk has at least where a boundary ends it."""

    @property
    def max_chunk_tokens(self) -> int:
        """Tokens above which a chunk is cut into equal parts."""


class SegmentationScheme(ChunkSizes, Protocol):
    """What a fingerprint scheme says of tokens and chunks."""

    @property
    def key(self) -> NumberingKey | None:
        """Key by which tokens and characters are numbered; None without one."""


@lru_cache(maxsize=1)
def sentence_classes() -> NDArray[np.uint8]:
    """Return what each code point means for the end of a sentence; 0 for nothing."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for kind, characters in _SENTENCE_MARKS.items():
        table[[ord(character) for character in characters]] = kind
    return table


@lru_cache(maxsize=1)
def _classes_and_marks() -> NDArray[np.uint8]:
    """Return both classes of each code point in one number, as one search costs half of two."""
    marks: NDArray[np.uint8] = sentence_classes() << _MARK_SHIFT
    return class_table("characters.txt") | marks


def segment(normalised: Sequence[str], scheme: SegmentationScheme) -> Segmentation:
    """Return the tokens and chunks of normalised texts."""
    joined = _SEPARATOR.join([*normalised, ""])
    codes = code_points(joined)
    lengths = np.fromiter((len(text) + len(_SEPARATOR) for text in normalised), np.int64)
    code_bounds = np.concatenate([[0], np.cumsum(lengths)])
    both = _classes_and_marks().take(codes)
    classes, marks = both & _CLASS_MASK, both >> _MARK_SHIFT
    positions = None
    if (classes == IGNORED).any():
        positions = np.flatnonzero(classes != IGNORED)
        codes, classes, marks = codes[positions], classes[positions], marks[positions]
        code_bounds = np.searchsorted(positions, code_bounds)
    resolved = _resolve_marks(classes)
    starts, ends = _tokens(classes, resolved)
    texts = np.searchsorted(starts, code_bounds)
    boundaries = _boundaries(marks, resolved, starts)
    chunks, text_chunks = chunk_bounds(boundaries.tolist(), texts.tolist(), scheme)
    return Segmentation(
        codes,
        starts,
        ends,
        resolved,
        texts,
        code_bounds,
        chunks,
        text_chunks,
        positions,
        boundaries,
        scheme.key,
    )


def _resolve_marks(classes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the classes, with that of its base for each mark; a mark without one separates.

    Otherwise texts of symbols with variation selectors, such as emoji, would be equal texts.
    """
    marks = classes == MARK
    if not marks.any():
        return classes
    base = np.where(marks, 0, np.arange(len(classes)))
    np.maximum.accumulate(base, out=base)
    resolved: NDArray[np.uint8] = classes[base]
    resolved[resolved == MARK] = 0
    return resolved


def _tokens(classes: NDArray[np.uint8], resolved: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Return starts and ends of the tokens; each `STANDALONE` character begins one."""
    before = np.zeros_like(resolved)
    before[1:] = resolved[:-1]
    begins = (classes == STANDALONE) | ((classes == WORD) & (before != WORD))
    last = resolved > 0
    last[:-1] &= (resolved[1:] == 0) | begins[1:]
    return np.flatnonzero(begins), np.flatnonzero(last) + 1


def _boundaries(marks: NDArray[np.uint8], classes: NDArray[np.uint8], starts: Ints) -> Ints:
    """Tokens before which a sentence or a paragraph ends, ascending."""
    stops = np.flatnonzero((marks == _STOP) | (marks == _FULL_STOP))
    last = len(marks) - 1
    follower = marks[np.minimum(stops + 1, last)]
    second = marks[np.minimum(stops + 2, last)]
    beside_standalone = (classes[np.minimum(stops + 1, last)] == STANDALONE) | (
        classes[stops - 1] == STANDALONE
    )
    ending = (
        (marks[stops] == _FULL_STOP)
        | (follower >= _SPACE)
        | ((follower == _CLOSER) & (second >= _SPACE))
        | beside_standalone
    )
    newlines = np.flatnonzero(marks == _NEWLINE)
    # A blank line: two newlines with nothing but white space between them.
    spaces = np.searchsorted(np.flatnonzero(marks >= _SPACE), newlines)
    blank = newlines[:-1][np.diff(newlines) == np.diff(spaces)]
    ends = np.searchsorted(starts, np.sort(np.concatenate([stops[ending], blank])), side="right")
    is_new = np.ones(len(ends), bool)
    np.not_equal(ends[1:], ends[:-1], out=is_new[1:])
    return ends[is_new]


def chunk_bounds(boundaries: list[int], texts: list[int], sizes: ChunkSizes) -> tuple[Ints, Ints]:
    """Return the bounds of the chunks of texts in tokens, and of the texts in chunks.

    Args:
        boundaries: Tokens before which a chunk may end, ascending.
        texts: Bounds of the texts in tokens.
        sizes: The lengths of chunks.
    """
    chunks = [0]
    text_chunks = [0]
    position, count = 0, len(boundaries)
    for begin, end in pairwise(texts):
        start, first = begin, len(chunks)
        while position < count and boundaries[position] < end:
            boundary = boundaries[position]
            position += 1
            if boundary - start >= sizes.min_chunk_tokens:
                _close(chunks, start, boundary, sizes.max_chunk_tokens)
                start = boundary
        if start < end and end - start < sizes.min_chunk_tokens and len(chunks) > first:
            chunks.pop()  # a short remainder joins the chunk before it
            start = chunks[-1]
        if start < end:
            _close(chunks, start, end, sizes.max_chunk_tokens)
        text_chunks.append(len(chunks) - 1)
    return np.array(chunks), np.array(text_chunks)


def _close(chunks: list[int], start: int, end: int, most: int) -> None:
    if end - start <= most:
        chunks.append(end)
        return
    parts = -(-(end - start) // most)
    chunks.extend(start + (end - start) * part // parts for part in range(1, parts + 1))


def text_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in batches of about the size that is fingerprinted fastest."""
    return batches_of_texts(texts, str)


def batches_of_texts(items: Iterable[Item], text_of: Callable[[Item], str]) -> Iterator[list[Item]]:
    """Yield what has a text in batches of about the size that is fingerprinted fastest.

    Args:
        items: What has texts.
        text_of: Returns the text of an item.
    """
    batch: list[Item] = []
    characters = 0
    for item in items:
        batch.append(item)
        characters += max(_LEAST_CHARACTERS, len(text_of(item)))
        if characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
