"""A text divided into tokens, chunks and sentences, with their offsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints import features
from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.hashing import Uint64s
from es_simhash.relation.alignment.sentence_words import SentenceWords, WordsOfTexts
from es_simhash.text.normal_forms import normalise, token_bounds
from es_simhash.text.segmentation import segment
from es_simhash.text.tokens import Ints, Segmentation


@dataclass(frozen=True)
class Tokens:
    """The tokens and chunks of a text, and where they are in it.

    Attributes:
        numbers: Number of each token; equal tokens have equal numbers.
        starts: Offset of each token in the original text.
        ends: Offset of the end of each token in the original text.
        chunks: Bounds of the chunks in tokens.
    """

    numbers: Uint64s
    starts: Ints
    ends: Ints
    chunks: Ints

    @classmethod
    def of(cls, original: str, segmentation: Segmentation) -> "Tokens":
        """Return the tokens of a text that was segmented by itself."""
        bounds = token_bounds(original, segmentation)
        return cls(token_numbers(segmentation), *bounds, segmentation.chunks)


class SegmentedText:
    """A text that is divided into tokens when they are first needed.

    Args:
        text: The text; None when it is not known, so that it has no tokens either.
        scheme: Says how it is divided.
    """

    def __init__(self, text: str | None, scheme: Scheme) -> None:
        self.text = text
        self._scheme = scheme

    @property
    def known_text(self) -> str:
        """The text, where only a text that is known will do."""
        assert self.text is not None, "only the stored parts of this text are known"
        return self.text

    @cached_property
    def segmentation(self) -> Segmentation:
        """Tokens by their places in the normal form."""
        return segment([normalise(self.known_text)], self._scheme)

    def set_words(self, texts: WordsOfTexts, number: int, *, with_sentences: bool) -> None:
        """Take the tokens of a text that was segmented with others, where it has none yet.

        Args:
            texts: The texts.
            number: Which of them this one is.
            with_sentences: Whether its sentences are taken as well.
        """
        known = vars(self)
        if "segmentation" not in known:
            known["segmentation"] = texts.segmentation.of_text(number)
        if with_sentences and "sentence_words" not in known:
            known["sentence_words"] = texts.of_text(number)

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens, with their offsets."""
        return Tokens.of(self.known_text, self.segmentation)

    @cached_property
    def sentence_words(self) -> SentenceWords:
        """Sentences, by which passages are aligned."""
        return SentenceWords.of(self.segmentation)

    def words_at(self, tokens: Sequence[int] | NDArray[np.int64]) -> list[str]:
        """Return tokens in normal form; of a script without spaces each with the next one."""
        starts = self.segmentation.starts[tokens].tolist()
        ends = self._word_ends[tokens].tolist()
        text = self._normal_text
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def _word_ends(self) -> Ints:
        """Where each token ends in the normal form, or the next one of a script without spaces."""
        segmentation = self.segmentation
        ends: Ints = segmentation.ends.copy()
        pairs = features.standalone_pairs(segmentation)
        ends[pairs] = segmentation.ends[pairs + 1]
        return ends

    @cached_property
    def _normal_text(self) -> str:
        """Normal form without ignored characters."""
        return self.segmentation.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
