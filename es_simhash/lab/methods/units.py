"""Characters and words of a batch of texts as numbers, whatever their language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from es_simhash.fingerprints.features import token_numbers
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.hashing import GroupedRuns, Uint64s, group_runs
from es_simhash.lab.methods.model import Ints
from es_simhash.text.characters import code_points
from es_simhash.text.normal_forms import normalise, normalise_all
from es_simhash.text.segmentation import Segmentation, segment, text_batches


@dataclass(frozen=True)
class Units:
    """The characters or words of texts.

    Attributes:
        numbers: One number for each; equal units have equal numbers.
        bounds: Bounds of the texts in numbers, one more than there are texts.
    """

    numbers: Uint64s
    bounds: Ints

    def runs(self, length: int) -> GroupedRuns:
        """Return the number of each run of so many; a shorter text is one run."""
        return group_runs(self.numbers, self.bounds, length)


def joined(arrays: Sequence[Uint64s], lengths: Sequence[int]) -> Units:
    """Return the units of texts that were read in batches.

    Args:
        arrays: The numbers of each batch.
        lengths: How many each text has.
    """
    numbers = np.concatenate(arrays) if arrays else np.zeros(0, np.uint64)
    return Units(numbers, np.cumsum([0, *lengths], dtype=np.int64))


def segmented(texts: Sequence[str]) -> Iterator[Segmentation]:
    """Yield the tokens and chunks of texts, batch by batch."""
    for batch in text_batches(texts):
        yield segment(normalise_all(batch), DEFAULT)


def words_of(texts: Sequence[str]) -> Units:
    """Return the words of texts; of scripts without spaces each character is one."""
    arrays, lengths = [], []
    for segmentation in segmented(texts):
        arrays.append(token_numbers(segmentation))
        lengths.extend(np.diff(segmentation.texts).tolist())
    return joined(arrays, lengths)


def plain(text: str) -> str:
    """Return a text in normal form, each run of white space one space."""
    return " ".join(normalise(text).split())


def characters_of(texts: Sequence[str]) -> Units:
    """Return the code points of texts in normal form, each run of white space one space.

    Texts without a letter or digit have none.
    """
    plain_texts = (plain(text) for text in texts)
    normal = [text if any(map(str.isalnum, text)) else "" for text in plain_texts]
    codes = code_points("".join(normal)).astype(np.uint64)
    return joined([codes], [len(text) for text in normal])
