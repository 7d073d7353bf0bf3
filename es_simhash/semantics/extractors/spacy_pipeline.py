"""The extractor of a spaCy pipeline (extra: spacy).

A trained pipeline yields entities, noun chunks, lemmas and content words, a blank one tokens.
Where the tokeniser of a language needs a package that is not installed, the words are those of
`words`.
"""

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from es_simhash.errors import InputError, MissingExtra
from es_simhash.semantics.extractors.spacy_documents import (
    extraction_of,
    merge_extractions,
    shift_offsets,
    split_text,
)
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.semantic_profile import Extraction, clean_name

if TYPE_CHECKING:
    from spacy.language import Language

_BLANK = "blank:"
# spaCy has no tokeniser for these, and for Chinese only jieba, which `chinese` knows better.
_CHINESE = "zh"
_WITHOUT_TOKENIZER = frozenset({"km", "lo", "my", _CHINESE})
# SudachiPy refuses more than 49,149 bytes at once; a character has four of them at most.
_MAX_JAPANESE = 12_000
# Halves of characters cannot be encoded, so no tokeniser takes them.
# Texts that a pipeline takes at once.
BATCH_SIZE = 64
_HALVES = re.compile("[\ud800-\udfff]")


class SpacyExtractor:
    """Extracts with a spaCy pipeline; implements `Extractor`."""

    def __init__(self, pipeline: "str | Language") -> None:
        """Load the pipeline.

        Args:
            pipeline: Name of an installed pipeline (`en_core_web_sm`), folder of one, `blank:`
                and a language for its tokeniser alone (`blank:ja`), or a loaded one.

        Raises:
            MissingExtra: spaCy, the pipeline, or a package it needs is not installed.
            InputError: The pipeline cannot be read.
        """
        self._nlp = _loaded(pipeline) if isinstance(pipeline, str) else pipeline
        self._language = str(pipeline).removeprefix(_BLANK) if self._nlp is None else ""

    @property
    def name(self) -> str:
        """Published name: versions of spaCy and of the pipeline, and its components."""
        if self._nlp is None:
            jieba = "-jieba" if self._language == _CHINESE else ""
            return f"words-{self._language}{jieba}.v1"
        meta = self._nlp.meta
        parts = [f"{meta['lang']}_{meta['name']}-{meta['version']}", *self._nlp.pipe_names]
        return f"spacy{version('spacy')}-{'+'.join(parts)}.v1"

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return one extraction for each text of a batch, in order.

        Raises:
            MissingExtra: The words are Chinese, and jieba is not installed.
        """
        if self._nlp is None:
            return [_plain_words(text, self._language) for text in texts]
        longest = self._nlp.max_length
        if self._nlp.lang == "ja":
            longest = min(longest, _MAX_JAPANESE)
        pieces = (
            (piece, (number, offset))
            for number, text in enumerate(texts)
            for offset, piece in split_text(_HALVES.sub("\ufffd", text), longest)
        )
        docs = self._nlp.pipe(pieces, as_tuples=True, batch_size=BATCH_SIZE)
        extractions = (
            (number, shift_offsets(extraction_of(doc), offset)) for doc, (number, offset) in docs
        )
        return [
            merge_extractions([extraction for _, extraction in group])
            for _, group in groupby(extractions, itemgetter(0))
        ]


def require_spacy() -> Any:
    """Return the module spacy.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import spacy  # an optional extra
    except ImportError as error:
        need = "Reading texts with a spaCy pipeline needs spaCy"
        raise MissingExtra.of("spacy", need) from error
    return spacy


def is_folder(name: str) -> bool:
    """Check whether spaCy would take a folder, not an installed pipeline, for this name.

    Raises:
        MissingExtra: spaCy is not installed.
    """
    return not require_spacy().util.is_package(name) and Path(name).exists()


def _loaded(name: str) -> "Language | None":
    """Return the pipeline; None for a blank one whose tokeniser is not installed."""
    spacy = require_spacy()
    if name.startswith(_BLANK):
        return _blank(spacy, name.removeprefix(_BLANK))
    if not spacy.util.is_package(name) and not Path(name).exists():
        if "/" in name:
            raise MissingExtra(
                f"The folder {name!r} of a spaCy pipeline does not exist on this machine; copy the "
                "pipeline to that path, or install an index with a pipeline that is a package "
                "(`python -m spacy package`)."
            )
        raise MissingExtra(
            f"The spaCy pipeline {name!r} is not installed; install it with `python -m spacy "
            f"download {clean_name(name)}`, or name the folder of a trained pipeline."
        )
    try:
        with _sudachi_warnings_ignored():
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
        with _sudachi_warnings_ignored():
            nlp: Language = make()
    except ImportError:
        return None
    return nlp


@contextmanager
def _sudachi_warnings_ignored() -> Iterator[None]:
    """Ignore that spaCy 3.8 opens SudachiPy's dictionary in a way that 0.7 calls deprecated."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Dictionary\.create\(\)", DeprecationWarning)
        yield


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(". ")


def _plain_words(text: str, language: str) -> Extraction:
    if language == _CHINESE:
        # Never without jieba: the scheme does not say so, and every machine reads it alike.
        return Extraction(language, dict(Counter(chinese.words(text))))
    return Extraction(language, count_words(text, language))
