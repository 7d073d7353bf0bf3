"""Boilerplate: the passages whose shingles many values or families have, each listed once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_TOKENS
from es_simhash.fingerprints.hashing import ranks_within
from es_simhash.fingerprints.shingles import wide_shingles
from es_simhash.pairs.copies import Boilerplate
from es_simhash.pairs.copy_candidates import CommonShingles
from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.pairs.postings import Counts, Shingles, paired, parted
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Span
from es_simhash.relation.thresholds import SHORT_LETTERS

Places = NDArray[np.int64]
# Texts that are read together.
_TEXTS = 50


@dataclass(frozen=True)
class Listing:
    """The boilerplate of an index.

    Attributes:
        passages: Passages that are long enough to be listed, those that most have first.
        short: How many others there are.
    """

    passages: tuple[Boilerplate, ...]
    short: int


@dataclass(frozen=True)
class HavingTexts:
    """Texts that have common shingles.

    Attributes:
        places: Of each text the places of the common shingles that it has.
        documents: How many documents have each text.
        values: Numbers of the values, or families, of each text.
    """

    places: Sequence[Places]
    documents: Counts
    values: Sequence[Counts]


class CommonTexts(Protocol):
    """The compared texts that have common shingles, read as often as they are needed."""

    def by_count(self) -> Iterator[tuple[CopyDocument, Places]]:
        """Yield the first document of each text, those with most common shingles first."""

    def all(self) -> Iterator[HavingTexts]:
        """Yield all of them, some at a time."""


@dataclass(frozen=True)
class _Run:
    """A run of common shingles in a document.

    Attributes:
        ref: The document.
        span: Where it is.
        places: The shingles, each once.
    """

    ref: DocumentRef
    span: Span
    places: Places


def boilerplate_of(
    texts: CommonTexts,
    common: CommonShingles,
    read_texts: Callable[[Sequence[DocumentRef]], Mapping[DocumentRef, str]],
    analyser: TextAnalyser,
) -> Listing:
    """Return the passages that consist of common shingles.

    Each shingle is shown in one document, the one that has most of them, so that a passage is
    listed once and as a whole.

    Args:
        texts: Those of the documents that are compared.
        common: Shingles that many of them have.
        read_texts: Returns the texts of documents.
        analyser: Of the scheme of the index.
    """
    if not len(common.shingles):
        return Listing((), 0)
    runs: list[_Run] = []
    short = 0
    owned = _owned(texts.by_count(), len(common.shingles))
    while some := list(islice(owned, _TEXTS)):
        contents = read_texts([document.ref for document, _ in some])
        for document, shown in some:
            text = AnalysedText(contents.get(document.ref, ""), analyser)
            for start, end, run in _runs(text, document.shingles, common.shingles, shown):
                letters = text.sentence_words.letters
                if int(letters[end] - letters[start]) < SHORT_LETTERS:
                    short += 1
                else:
                    runs.append(_Run(document.ref, text.span(start, end), np.unique(run)))
    counts = RunCounts([run.places for run in runs], len(common.shingles))
    for having in texts.all():
        counts.add(having)
    passages = [
        Boilerplate(
            run.span.text, run.ref.id, run.ref.index or "", run.span.start, run.span.end,
            max(groups, int(common.groups[run.places].min())),
            max(documents, int(common.groups[run.places].min())),
        )
        for run, (groups, documents) in zip(runs, counts.groups_and_documents(), strict=True)
    ]  # fmt: skip
    passages.sort(key=_by_groups)
    return Listing(tuple(passages), short)


class RunCounts:
    """Counts how many values, and documents, have at least half of runs of common shingles.

    Not those that have each of them: which shingles the index has at the ends of a passage depends
    on what is around it.

    Args:
        runs: The places of the shingles of each run, each place once.
        count: How many common shingles there are.
    """

    def __init__(self, runs: Sequence[Places], count: int) -> None:
        places = np.concatenate([np.zeros(0, np.int64), *runs])
        order = np.argsort(places, kind="stable")
        self._runs = np.repeat(np.arange(len(runs)), list(map(len, runs)))[order]
        self._bounds = np.searchsorted(places[order], np.arange(count + 1))
        self._sizes = np.array(list(map(len, runs)), np.int64)
        self._documents = np.zeros(len(runs), np.int64)
        self._values = np.zeros(0, np.uint64)

    def add(self, texts: HavingTexts) -> None:
        """Count texts."""
        places = np.concatenate([np.zeros(0, np.int64), *texts.places])
        owners = np.repeat(np.arange(len(texts.places)), list(map(len, texts.places)))
        starts = self._bounds[places]
        lengths = self._bounds[places + 1] - starts
        found = self._runs[np.repeat(starts, lengths) + ranks_within(lengths)]
        pairs = paired(np.repeat(owners, lengths), found)
        pairs, shared = np.unique(pairs, return_counts=True)
        numbers, runs = parted(pairs)
        is_half = 2 * shared >= self._sizes[runs]
        numbers, runs = numbers[is_half], runs[is_half]
        np.add.at(self._documents, runs, texts.documents[numbers])
        values = [np.zeros(0, np.int64), *(texts.values[number] for number in numbers.tolist())]
        of_runs = np.repeat(runs, [len(some) for some in values[1:]])
        self._values = np.union1d(self._values, paired(of_runs, np.concatenate(values)))

    def groups_and_documents(self) -> list[tuple[int, int]]:
        """Return how many values, and how many documents, have half of each run."""
        runs, _ = parted(self._values)
        groups = np.bincount(runs, minlength=len(self._sizes))
        return list(zip(groups.tolist(), self._documents.tolist(), strict=True))


def places_of(own: Shingles, common: Shingles) -> Places:
    """Return the places of the common shingles that a text has, ascending."""
    # By binary search: there are many common shingles, and few of a text are among them.
    places = np.minimum(np.searchsorted(common, own), len(common) - 1)
    shared: Places = places[common[places] == own]
    return shared


def _owned(
    texts: Iterable[tuple[CopyDocument, Places]], count: int
) -> Iterator[tuple[CopyDocument, Places]]:
    """Yield the documents in which common shingles are shown, with the places of these."""
    is_left = np.ones(count, bool)
    left = count
    for document, places in texts:
        mine = places[is_left[places]]
        if len(mine):
            is_left[mine] = False
            left -= len(mine)
            yield document, mine
        if not left:
            return


def _runs(
    text: AnalysedText, indexed: Shingles, common: Shingles, places: Places
) -> Iterator[tuple[int, int, Places]]:
    """Yield runs of common shingles: first token, end, and the places of the shingles.

    A shingle that the index has and few others do ends a run.

    Args:
        text: The text.
        indexed: Its shingles that the index has.
        common: All common shingles, ascending.
        places: Those of them that are shown in this text.
    """
    numbers = wide_shingles(text.sentence_words.tokens)
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
