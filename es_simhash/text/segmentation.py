"""Text to tokens and chunks, a whole batch at once. The rules are in docs/fingerprint.md."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Classes of data/characters.txt.
_WORD, _OWN, _MARK, _IGNORED = 1, 2, 3, 4
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
_BETWEEN = "\n\n"


class ChunkSizes(Protocol):
    """How long chunks are, in tokens; a scheme says so."""

    @property
    def least_tokens(self) -> int:
        """A chunk is closed at the first boundary where it has this many tokens."""

    @property
    def most_tokens(self) -> int:
        """A chunk longer than this is cut into equal parts."""


@dataclass(frozen=True)
class Segmentation:
    """Tokens and chunks of a batch of texts.

    Attributes:
        codes: Code points of all normalised texts, ignored characters left out.
        starts: First code point of each token.
        ends: One past the last code point of each token.
        classes: Class of each code point (see data/characters.txt); marks have that of their base.
        texts: Bounds of the texts in tokens, one more than there are texts.
        code_bounds: Bounds of the texts in code points, one more than there are texts.
        chunks: Bounds of the chunks in tokens, one more than there are chunks.
        text_chunks: Bounds of the texts in chunks, one more than there are texts.
        kept: Positions of `codes` in the joined normalised texts; None when all were kept.
    """

    codes: NDArray[np.uint32]
    starts: Ints
    ends: Ints
    classes: NDArray[np.uint8]
    texts: Ints
    code_bounds: Ints
    chunks: Ints
    text_chunks: Ints
    kept: Ints | None


def normalise(text: str) -> str:
    """Return the text in Unicode form NFKC, case folded.

    Characters that Unicode 13.0 does not know stay as they are, so that each version of Python
    (and of Java) gives the same: Unicode never changes the mappings of those it knows.
    """
    if text.isascii():
        return text.lower()
    if not code_point_values("later_characters.txt")[_code_points(text)].any():
        return _normalise_known(text)
    later = code_point_values("later_characters.txt")
    parts = groupby(text, key=lambda character: bool(later[ord(character)]))
    return "".join("".join(part) if new else _normalise_known("".join(part)) for new, part in parts)


def _normalise_known(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@lru_cache(maxsize=2)
def code_point_values(name: str) -> NDArray[np.uint8]:
    """Return the value of each code point, from a data file of runs such as characters.txt."""
    lines = (files("es_simhash") / "data" / name).read_text("ascii").splitlines()
    runs = [line.split() for line in lines if not line.startswith("#")]
    firsts = [int(first, 16) for first, _ in runs] + [0x110000]
    return np.repeat(np.array([int(value) for _, value in runs], np.uint8), np.diff(firsts))


@lru_cache(maxsize=1)
def sentence_classes() -> NDArray[np.uint8]:
    """Return of each code point its part in the boundaries of sentences, 0 for none."""
    table = np.zeros(0x110000, np.uint8)
    for kind, characters in _SENTENCE_MARKS.items():
        table[[ord(character) for character in characters]] = kind
    return table


def segment(normalised: Sequence[str], sizes: ChunkSizes) -> Segmentation:
    """Find the tokens and chunks of texts that `normalise` gave."""
    joined = _BETWEEN.join([*normalised, ""])
    codes = _code_points(joined)
    lengths = np.fromiter((len(text) + len(_BETWEEN) for text in normalised), np.int64)
    code_bounds = np.concatenate([[0], np.cumsum(lengths)])
    classes = code_point_values("characters.txt")[codes]
    kept = None
    if (classes == _IGNORED).any():
        keep = classes != _IGNORED
        kept = np.flatnonzero(keep)
        codes, classes = codes[keep], classes[keep]
        code_bounds = np.searchsorted(kept, code_bounds)
    settled = _settle_marks(classes)
    starts, ends = _tokens(classes, settled)
    texts = np.searchsorted(starts, code_bounds)
    boundaries = _boundaries(codes, settled, starts)
    chunks, text_chunks = _chunks(boundaries.tolist(), texts.tolist(), sizes)
    return Segmentation(codes, starts, ends, settled, texts, code_bounds, chunks, text_chunks, kept)


def _settle_marks(classes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return marks the class of what they stand on; those that stand on nothing are separators.

    Otherwise texts of symbols with variation selectors, such as emoji, would be equal texts.
    """
    marks = classes == _MARK
    if not marks.any():
        return classes
    base = np.where(marks, 0, np.arange(len(classes)))
    np.maximum.accumulate(base, out=base)
    settled: NDArray[np.uint8] = classes[base]
    settled[settled == _MARK] = 0
    return settled


def _tokens(classes: NDArray[np.uint8], settled: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Runs of word characters and marks; a character of class `_OWN` begins a token of its own."""
    before = np.zeros_like(settled)
    before[1:] = settled[:-1]
    begins = (classes == _OWN) | ((classes == _WORD) & (before != _WORD))
    last = settled > 0
    last[:-1] &= (settled[1:] == 0) | begins[1:]
    return np.flatnonzero(begins), np.flatnonzero(last) + 1


def _boundaries(codes: NDArray[np.uint32], classes: NDArray[np.uint8], starts: Ints) -> Ints:
    """Tokens before which a sentence or a paragraph ends, ascending."""
    marks = sentence_classes()[codes]
    stops = np.flatnonzero((marks == _STOP) | (marks == _FULL_STOP))
    last = len(codes) - 1
    follower = marks[np.minimum(stops + 1, last)]
    second = marks[np.minimum(stops + 2, last)]
    beside_own = (classes[np.minimum(stops + 1, last)] == _OWN) | (classes[stops - 1] == _OWN)
    ending = (
        (marks[stops] == _FULL_STOP)
        | (follower >= _SPACE)
        | ((follower == _CLOSER) & (second >= _SPACE))
        | beside_own
    )
    newlines = np.flatnonzero(marks == _NEWLINE)
    # A blank line: two newlines with nothing but white space between them.
    visible = np.searchsorted(np.flatnonzero(marks < _SPACE), newlines)
    blank = newlines[:-1][visible[:-1] == visible[1:]]
    return np.unique(np.searchsorted(starts, np.concatenate([stops[ending], blank]), side="right"))


def _chunks(boundaries: list[int], texts: list[int], sizes: ChunkSizes) -> tuple[Ints, Ints]:
    """Bounds of the chunks in tokens, and of the texts in chunks."""
    chunks = [0]
    text_chunks = [0]
    position, count = 0, len(boundaries)
    for begin, end in pairwise(texts):
        start, first = begin, len(chunks)
        while position < count and boundaries[position] < end:
            boundary = boundaries[position]
            position += 1
            if boundary - start >= sizes.least_tokens:
                _close(chunks, start, boundary, sizes.most_tokens)
                start = boundary
        if start < end and end - start < sizes.least_tokens and len(chunks) > first:
            chunks.pop()  # a short rest joins the chunk before it
            start = chunks[-1]
        if start < end:
            _close(chunks, start, end, sizes.most_tokens)
        text_chunks.append(len(chunks) - 1)
    return np.array(chunks), np.array(text_chunks)


def _close(chunks: list[int], start: int, end: int, most: int) -> None:
    if end - start <= most:
        chunks.append(end)
        return
    parts = -(-(end - start) // most)
    chunks.extend(start + (end - start) * part // parts for part in range(1, parts + 1))
