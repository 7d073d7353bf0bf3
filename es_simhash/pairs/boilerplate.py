"""Boilerplate: the passages whose shingles many values or families have, each listed once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_TOKENS
from es_simhash.fingerprints.shingles import all_shingles
from es_simhash.pairs.copies import Boilerplate
from es_simhash.pairs.copy_candidates import CommonShingles
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument
from es_simhash.pairs.postings import Shingles
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.thresholds import SHORT_LETTERS


@dataclass(frozen=True)
class Listing:
    """The boilerplate of an index.

    Attributes:
        passages: Passages that are long enough to be listed, those that most have first.
        short: How many others there are.
    """

    passages: tuple[Boilerplate, ...]
    short: int


def boilerplate_of(
    compared: ComparedDocuments,
    common: CommonShingles,
    read_texts: Callable[[Sequence[DocumentRef]], Mapping[DocumentRef, str]],
    analyser: TextAnalyser,
) -> Listing:
    """Return the passages that consist of common shingles.

    Each shingle is shown in one document, the one that has most of them, so that a passage is
    listed once and as a whole.

    Args:
        compared: The documents that are compared.
        common: Shingles that many of them have.
        read_texts: Returns the texts of documents.
        analyser: Of the scheme of the index.
    """
    if not len(common.shingles):
        return Listing((), 0)
    places = _places(compared, common.shingles)
    owned = _owned(compared, places, len(common.shingles))
    having = Having(compared, common, places)
    texts = read_texts([document.ref for document, _ in owned])
    passages: list[Boilerplate] = []
    short = 0
    for document, shown in owned:
        text = AnalysedText(texts.get(document.ref, ""), analyser)
        for start, end, run in _runs(text, document.shingles, common.shingles, shown):
            letters = text.sentence_words.letters
            if int(letters[end] - letters[start]) < SHORT_LETTERS:
                short += 1
                continue
            span = text.span(start, end)
            passages.append(
                Boilerplate(
                    span.text,
                    document.ref.id,
                    document.ref.index or "",
                    span.start,
                    span.end,
                    *having.half_of(run),
                )
            )
    passages.sort(key=_by_groups)
    return Listing(tuple(passages), short)


class Having:
    """Which texts have each of some common shingles.

    Args:
        compared: The documents that are compared.
        common: The shingles.
        places: The places in `common` of the shingles that each text has.
    """

    def __init__(
        self,
        compared: ComparedDocuments,
        common: CommonShingles,
        places: Sequence[NDArray[np.int64]],
    ) -> None:
        self._common = common
        self._texts = [
            (len(text.documents), values)
            for unit, values in zip(compared.units, compared.value_numbers, strict=True)
            for text in unit.texts
        ]
        ordered = np.concatenate(places)
        order = np.argsort(ordered, kind="stable")
        self._bounds = np.searchsorted(ordered[order], np.arange(len(common.shingles) + 1))
        self._numbers = np.repeat(np.arange(len(places)), list(map(len, places)))[order]

    def half_of(self, places: NDArray[np.int64]) -> tuple[int, int]:
        """Return how many values, and documents, have at least half of a run of shingles.

        Not fewer than have each of them: which shingles the index has at the ends of a passage
        depends on what is around it.

        Args:
            places: The shingles.
        """
        distinct = np.unique(places)
        lists = [self._numbers[self._bounds[at] : self._bounds[at + 1]] for at in distinct]
        numbers, counts = np.unique(np.concatenate(lists), return_counts=True)
        chosen = [self._texts[number] for number in numbers[2 * counts >= len(distinct)].tolist()]
        values = {int(value) for _, several in chosen for value in several}
        documents = sum(count for count, _ in chosen)
        least = int(self._common.groups[distinct].min())
        return max(least, len(values)), max(least, documents)


def _places(compared: ComparedDocuments, shingles: Shingles) -> list[NDArray[np.int64]]:
    """Return the places of the common shingles that each text has, ascending."""
    return [_places_of(text.shingles, shingles) for unit in compared.units for text in unit.texts]


def _places_of(own: Shingles, common: Shingles) -> NDArray[np.int64]:
    # By binary search: there are many common shingles, and few of a text are among them.
    places = np.minimum(np.searchsorted(common, own), len(common) - 1)
    shared: NDArray[np.int64] = places[common[places] == own]
    return shared


def _owned(
    compared: ComparedDocuments, places: Sequence[NDArray[np.int64]], count: int
) -> list[tuple[CopyDocument, NDArray[np.int64]]]:
    """Return the documents in which common shingles are shown, with the places of these."""
    documents = [text.first for unit in compared.units for text in unit.texts]
    order = sorted(
        range(len(documents)), key=lambda number: (-len(places[number]), documents[number].ref)
    )
    is_left = np.ones(count, bool)
    owned = []
    for number in order:
        mine = places[number][is_left[places[number]]]
        if len(mine):
            is_left[mine] = False
            owned.append((documents[number], mine))
    return owned


def _runs(
    text: AnalysedText, indexed: Shingles, common: Shingles, places: NDArray[np.int64]
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield runs of common shingles: first token, end, and the places of the shingles.

    A shingle that the index has and few others do ends a run.

    Args:
        text: The text.
        indexed: Its shingles that the index has.
        common: All common shingles, ascending.
        places: Those of them that are shown in this text.
    """
    numbers = all_shingles(text.sentence_words.tokens)
    at = np.flatnonzero(np.isin(numbers, indexed))
    is_shown = np.isin(numbers[at], common[places])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_shown.astype(np.int8), [0]])))
    seen: set[int] = set()
    for first, behind in edges.reshape(-1, 2).tolist():
        run = np.searchsorted(common, numbers[at[first:behind]])
        # What a text repeats is listed once.
        if not seen.issuperset(run.tolist()):
            seen.update(run.tolist())
            yield int(at[first]), int(at[behind - 1]) + SHINGLE_TOKENS, run


def _by_groups(passage: Boilerplate) -> tuple[int, int, str, str, int]:
    """Key of the order in which passages are listed."""
    return -passage.groups, -len(passage.text), passage.index, passage.id, passage.start
