"""Long texts in pieces that a pipeline accepts, and their extractions merged again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from es_simhash.semantics.entities.names import merge_mentions
from es_simhash.semantics.extraction import Extraction, Phrase, Spans

# The best place to cut a long text comes first.
_BORDERS = ("\n\n", "\n", ". ", "。", " ")


def merge_phrases(phrases: Iterable[Phrase]) -> tuple[Phrase, ...]:
    """Return one phrase for all phrases with the same text."""
    spans: dict[str, Spans] = defaultdict(tuple)
    counts: Counter[str] = Counter()
    for phrase in phrases:
        spans[phrase.text] += phrase.spans
        counts[phrase.text] += phrase.count
    return tuple(Phrase(text, counts[text], mentions) for text, mentions in spans.items())


def split_text(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """Yield the pieces of a text of at most so many characters, each with its offset.

    A piece ends at the end of a paragraph, else of a line, a sentence or a word.
    """
    start = 0
    while len(text) - start > longest:
        end = _border(text, start, start + longest)
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _border(text: str, start: int, limit: int) -> int:
    for border in _BORDERS:
        position = text.rfind(border, start + 1, limit)
        if position > 0:
            return position + len(border)
    return limit


def shift_offsets(extraction: Extraction, offset: int) -> Extraction:
    """Return an extraction with an offset added to its spans."""
    if not offset:
        return extraction
    move = partial(_moved, offset=offset)
    return replace(
        extraction,
        entities=tuple(replace(entity, spans=move(entity.spans)) for entity in extraction.entities),
        phrases=tuple(replace(phrase, spans=move(phrase.spans)) for phrase in extraction.phrases),
    )


def _moved(spans: Spans, *, offset: int) -> Spans:
    return tuple((start + offset, end + offset) for start, end in spans)


def merge_extractions(pieces: Sequence[Extraction]) -> Extraction:
    """Return one extraction for those of the pieces of one text."""
    if len(pieces) == 1:
        return pieces[0]
    words: Counter[str] = Counter()
    for piece in pieces:
        words.update(piece.words)
    return Extraction(
        pieces[0].language,
        dict(words),
        entities=merge_mentions(entity for piece in pieces for entity in piece.entities),
        phrases=merge_phrases(phrase for piece in pieces for phrase in piece.phrases),
    )
