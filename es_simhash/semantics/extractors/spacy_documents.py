"""Long texts in pieces that a pipeline accepts, and their extractions merged again."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from es_simhash.semantics.semantic_profile import (
    Entity,
    Extraction,
    Phrase,
    Spans,
    clean_name,
    merge_mentions,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


# The best place to cut a long text comes first.
_BORDERS = ("\n\n", "\n", ". ", "。", " ")
# Entities of OntoNotes that are no names: a "Monday" or "two" in two texts relates nothing.
NUMERIC_LABELS = frozenset({"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
# X is what the tagger could not tell, such as words of another language.
_CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "X")


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


def extraction_of(doc: "Doc") -> Extraction:
    """Return the words, entities and phrases of a document that went through a pipeline."""
    words = _content_words(doc)
    return Extraction(
        "" if doc.lang_ == "xx" else doc.lang_,
        dict(Counter(filter(None, words))),
        entities=merge_mentions(_names(doc)),
        phrases=_noun_phrases(doc, words),
    )


class _NormalForms(dict[int, str]):
    """Normal form of each form in the pipeline's store of strings; empty without a letter."""

    def __init__(self, doc: "Doc") -> None:
        super().__init__()
        self._strings = doc.vocab.strings

    def __missing__(self, form: int) -> str:
        normal = unicodedata.normalize("NFC", self._strings[form].lower().replace("’", "'"))
        self[form] = normal = normal if any(map(str.isalpha, normal)) else ""
        return normal


def _content_words(doc: "Doc") -> list[str]:
    """Return the normal form of each content word; empty for the other tokens."""
    # An optional extra.
    from spacy import attrs, symbols

    orths, lemmas, kinds = doc.to_array([attrs.ORTH, attrs.LEMMA, attrs.POS]).reshape(-1, 3).T
    flags = [attrs.IS_STOP, attrs.IS_PUNCT, attrs.IS_SPACE, attrs.LIKE_URL, attrs.LIKE_EMAIL]
    is_excluded = doc.to_array(flags).reshape(-1, len(flags)).any(axis=1)
    content_kinds = [0, *(symbols.IDS[kind] for kind in _CONTENT)]
    content = np.isin(kinds, content_kinds) & ~is_excluded
    forms = np.where(lemmas > 0, lemmas, orths)
    normals = _NormalForms(doc)
    return [
        normals[form] if is_content else ""
        for form, is_content in zip(forms.tolist(), content.tolist(), strict=True)
    ]


def _names(doc: "Doc") -> Iterator[Entity]:
    for entity in doc.ents:
        text = clean_name(entity.text)
        if text and entity.label_ not in NUMERIC_LABELS:
            yield Entity(text, 1, ((entity.start_char, entity.end_char),), entity.label_)


def _noun_phrases(doc: "Doc", words: Sequence[str]) -> tuple[Phrase, ...]:
    """Return noun chunks of two content words and more, where the document is parsed."""
    if not doc.has_annotation("DEP"):
        return ()
    try:
        chunks = list(doc.noun_chunks)
    except NotImplementedError:
        return ()
    phrases = []
    for chunk in chunks:
        content = [index for index in range(chunk.start, chunk.end) if words[index]]
        if len(content) > 1:
            first, last = doc[content[0]], doc[content[-1]]
            text = " ".join(words[index] for index in content)
            phrases.append(Phrase(text, 1, ((first.idx, last.idx + len(last)),)))
    return merge_phrases(phrases)
