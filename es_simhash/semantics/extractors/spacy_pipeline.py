"""What a spaCy pipeline finds in a text, as an `Extraction` (extra: spacy).

A trained pipeline gives its entities, noun chunks, lemmas and content words; what it has no
component for is left out, down to the tokens alone of a blank one. Where the tokeniser of a
language needs a package that is not installed, the words are those of `words`.
"""

import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from es_simhash.errors import InputError, MissingExtra
from es_simhash.semantics.entities.document_fields import clean_name, join_mentions
from es_simhash.semantics.extraction import Entity, Extraction, Phrase, Spans
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.words import count_words

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# Entities of OntoNotes that are no names: a "Monday" or "two" in two texts relates nothing.
AMOUNTS = frozenset({"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
# X is what the tagger could not tell, such as words of another language.
_CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "X")
_BLANK = "blank:"
# spaCy has no tokeniser for these, and for Chinese only jieba, which `chinese` knows better.
_WITHOUT_TOKENIZER = frozenset({"km", "lo", "my", "zh"})
# SudachiPy refuses more than 49,149 bytes at once; a character has four of them at most.
_MOST_JAPANESE = 12_000
# Halves of characters cannot be encoded, so no tokeniser takes them.
_HALVES = re.compile("[\ud800-\udfff]")
# The best place to cut a long text comes first.
_BORDERS = ("\n\n", "\n", ". ", "。", " ")


class SpacyExtractor:
    """Reads texts with a spaCy pipeline; implements `Extractor`."""

    def __init__(
        self,
        pipeline: "str | Language",
        *,
        batch_size: int = 64,
        leave_out: Collection[str] = AMOUNTS,
    ) -> None:
        """Load the pipeline.

        Args:
            pipeline: Name of an installed pipeline (`en_core_web_sm`), folder of one, `blank:`
                and a language for its tokeniser alone (`blank:ja`), or a loaded one.
            batch_size: How many texts the pipeline takes at once.
            leave_out: Labels of entities that are no names.

        Raises:
            MissingExtra: spaCy, the pipeline, or a package it needs is not installed.
            InputError: The pipeline cannot be read.
        """
        self._batch_size = batch_size
        self._leave_out = frozenset(leave_out)
        self._nlp = _loaded(pipeline) if isinstance(pipeline, str) else pipeline
        self._language = str(pipeline).removeprefix(_BLANK) if self._nlp is None else ""

    @property
    def name(self) -> str:
        """Published name: versions of spaCy and of the pipeline, and its components."""
        if self._nlp is None:
            jieba = "-jieba" if _with_jieba(self._language) else ""
            return f"words-{self._language}{jieba}.v1"
        meta = self._nlp.meta
        parts = [f"{meta['lang']}_{meta['name']}-{meta['version']}", *self._nlp.pipe_names]
        return f"spacy{version('spacy')}-{'+'.join(parts)}.v1"

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Read a batch of texts; one extraction for each, in order."""
        if self._nlp is None:
            return [_words_alone(text, self._language) for text in texts]
        most = self._nlp.max_length
        if self._nlp.lang == "ja":
            most = min(most, _MOST_JAPANESE)
        pieces = (
            (piece, (number, offset))
            for number, text in enumerate(texts)
            for offset, piece in split_text(_HALVES.sub("\ufffd", text), most)
        )
        docs = self._nlp.pipe(pieces, as_tuples=True, batch_size=self._batch_size)
        read = (
            (number, shifted(extraction_of(doc, leave_out=self._leave_out), offset))
            for doc, (number, offset) in docs
        )
        return [joined([each for _, each in group]) for _, group in groupby(read, itemgetter(0))]


def require_spacy() -> Any:
    """Return the module spacy.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import spacy
    except ImportError as error:
        raise MissingExtra(
            "Reading texts with a spaCy pipeline needs spaCy: pip install 'es-simhash[spacy]'."
        ) from error
    return spacy


def _loaded(name: str) -> "Language | None":
    """The pipeline; None for a blank one whose tokeniser is missing."""
    spacy = require_spacy()
    if name.startswith(_BLANK):
        return _blank(spacy, name.removeprefix(_BLANK))
    if not spacy.util.is_package(name) and not Path(name).exists():
        raise MissingExtra(
            f"The spaCy pipeline {name!r} is not installed; install it with `python -m spacy "
            f"download {clean_name(name)}`, or name the folder of a trained pipeline."
        )
    try:
        with _sudachi_kept_quiet():
            nlp: Language = spacy.load(name)
    except ImportError as error:
        raise MissingExtra(
            f"The spaCy pipeline {name!r} needs a package that is not installed: "
            f"{_first_line(error)}."
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"The spaCy pipeline {name!r} cannot be loaded: {_first_line(error)}."
        ) from error
    return nlp


def _blank(spacy: Any, language: str) -> "Language | None":
    if language in _WITHOUT_TOKENIZER:
        return None
    try:
        make = spacy.util.get_lang_class(language)
    except ImportError as error:
        raise InputError(
            f"spaCy knows no language {language!r}; give an ISO 639-1 code, or xx for any."
        ) from error
    try:
        with _sudachi_kept_quiet():
            nlp: Language = make()
    except ImportError:
        return None
    return nlp


@contextmanager
def _sudachi_kept_quiet() -> Iterator[None]:
    """Hide that spaCy 3.8 opens SudachiPy's dictionary in a way that 0.7 calls deprecated."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Dictionary\.create\(\)", DeprecationWarning)
        yield


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(". ")


def _words_alone(text: str, language: str) -> Extraction:
    if _with_jieba(language):
        return Extraction(language, dict(Counter(chinese.words(text))))
    return Extraction(language, count_words(text, language))


def _with_jieba(language: str) -> bool:
    return language == "zh" and chinese.available()


def extraction_of(doc: "Doc", *, leave_out: Collection[str] = AMOUNTS) -> Extraction:
    """Return what a document that went through a pipeline is about."""
    words = _content_words(doc)
    return Extraction(
        "" if doc.lang_ == "xx" else doc.lang_,
        dict(Counter(filter(None, words))),
        entities=join_mentions(_names(doc, leave_out)),
        phrases=_noun_phrases(doc, words),
    )


def word_kinds(doc: "Doc") -> dict[str, str]:
    """Return the part of speech of each content word, the most frequent one when it has several."""
    counts = Counter(
        (word, token.pos_) for word, token in zip(_content_words(doc), doc, strict=True) if word
    )
    return dict(pair for pair, _ in reversed(counts.most_common()))


class _Normals(dict[int, str]):
    """Normal form of each form in the pipeline's store of strings; empty without a letter."""

    def __init__(self, doc: "Doc") -> None:
        super().__init__()
        self._strings = doc.vocab.strings

    def __missing__(self, form: int) -> str:
        normal = unicodedata.normalize("NFC", self._strings[form].lower().replace("’", "'"))
        self[form] = normal = normal if any(map(str.isalpha, normal)) else ""
        return normal


def _content_words(doc: "Doc") -> list[str]:
    """Normal form of each token that is a content word; empty for the others."""
    from spacy import attrs, symbols

    orths, lemmas, kinds = doc.to_array([attrs.ORTH, attrs.LEMMA, attrs.POS]).reshape(-1, 3).T
    flags = [attrs.IS_STOP, attrs.IS_PUNCT, attrs.IS_SPACE, attrs.LIKE_URL, attrs.LIKE_EMAIL]
    left_out = doc.to_array(flags).reshape(-1, len(flags)).any(axis=1)
    useful = [0, *(symbols.IDS[kind] for kind in _CONTENT)]
    content = np.isin(kinds, useful) & ~left_out
    forms = np.where(lemmas > 0, lemmas, orths)
    normals = _Normals(doc)
    return [
        normals[form] if used else ""
        for form, used in zip(forms.tolist(), content.tolist(), strict=True)
    ]


def _names(doc: "Doc", leave_out: Collection[str]) -> Iterator[Entity]:
    for entity in doc.ents:
        text = clean_name(entity.text)
        if text and entity.label_ not in leave_out:
            yield Entity(text, 1, ((entity.start_char, entity.end_char),), entity.label_)


def _noun_phrases(doc: "Doc", words: Sequence[str]) -> tuple[Phrase, ...]:
    """Noun chunks of two content words and more, where the language has them and was parsed."""
    if not doc.has_annotation("DEP"):
        return ()
    try:
        chunks = list(doc.noun_chunks)
    except NotImplementedError:
        return ()
    found = []
    for chunk in chunks:
        used = [place for place in range(chunk.start, chunk.end) if words[place]]
        if len(used) > 1:
            first, last = doc[used[0]], doc[used[-1]]
            text = " ".join(words[place] for place in used)
            found.append(Phrase(text, 1, ((first.idx, last.idx + len(last)),)))
    return join_phrases(found)


def join_phrases(phrases: Iterable[Phrase]) -> tuple[Phrase, ...]:
    """Make one of all phrases with the same text."""
    spans: dict[str, Spans] = defaultdict(tuple)
    counts: Counter[str] = Counter()
    for phrase in phrases:
        spans[phrase.text] += phrase.spans
        counts[phrase.text] += phrase.count
    return tuple(Phrase(text, counts[text], places) for text, places in spans.items())


def split_text(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Return the pieces of a text of at most so many characters, each with its offset.

    They end with a paragraph where one ends, else with a line, a sentence or a word.
    """
    start = 0
    while len(text) - start > most:
        end = _border(text, start, start + most)
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _border(text: str, start: int, most: int) -> int:
    for border in _BORDERS:
        place = text.rfind(border, start + 1, most)
        if place > 0:
            return place + len(border)
    return most


def shifted(extraction: Extraction, offset: int) -> Extraction:
    """Return the extraction of a text that begins so many characters further left."""
    if not offset:
        return extraction
    move = partial(_moved, offset=offset)
    return replace(
        extraction,
        entities=tuple(replace(each, spans=move(each.spans)) for each in extraction.entities),
        phrases=tuple(replace(each, spans=move(each.spans)) for each in extraction.phrases),
    )


def _moved(spans: Spans, *, offset: int) -> Spans:
    return tuple((start + offset, end + offset) for start, end in spans)


def joined(pieces: Sequence[Extraction]) -> Extraction:
    """Make one extraction of those of the pieces of one text."""
    if len(pieces) == 1:
        return pieces[0]
    words: Counter[str] = Counter()
    for piece in pieces:
        words.update(piece.words)
    return Extraction(
        pieces[0].language,
        dict(words),
        entities=join_mentions(each for piece in pieces for each in piece.entities),
        phrases=join_phrases(each for piece in pieces for each in piece.phrases),
    )
