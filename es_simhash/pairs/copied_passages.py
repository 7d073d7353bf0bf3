"""The passages of a pair of texts that one copied, exact where words are equal.

Two texts on one subject, such as terms of service, are paraphrases of each other over pages. What
one took from the other is exact only where words are equal.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from es_simhash.fingerprints.hashing import fold
from es_simhash.fingerprints.shingles import wide_shingles
from es_simhash.pairs.copies import CopiedPassage
from es_simhash.pairs.copy_candidates import TextPair
from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.pairs.postings import Shingles
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.alignment.sentence_words import SentenceWords
from es_simhash.relation.alignment.stretches import Stretches, in_equal_runs, least_letters
from es_simhash.relation.alignment.stretches import TextPair as WordPair
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import passages_of_each, shared_passages
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Span
from es_simhash.relation.thresholds import BOILERPLATE, COPIED_RUN

# What was aligned of two texts, as JSON: a journal keeps it.
Record = dict[str, Any]
# Tokens between two runs of one copied stretch, in either text.
_MAX_GAP = COPIED_RUN


@dataclass(frozen=True)
class AlignedPair:
    """Two texts and all passages they share.

    Attributes:
        pair: The texts.
        lengths: Characters of both texts.
        least_letters: Letters that a copied passage of such texts has at least.
        passages: The passages, in the order of the first text; a is the first text.
        shingles: For each passage, shingles that both texts have there and an index may have.
    """

    pair: TextPair
    lengths: tuple[int, int]
    least_letters: int
    passages: tuple[CopiedPassage, ...]
    shingles: tuple[Shingles, ...]

    def with_letters(self, least: int) -> "AlignedPair":
        """Return the pair with the passages of at least so many letters."""
        chosen = [place for place, each in enumerate(self.passages) if each.letters >= least]
        return replace(
            self,
            passages=tuple(self.passages[place] for place in chosen),
            shingles=tuple(self.shingles[place] for place in chosen),
        )

    def without_boilerplate(self, common: Shingles) -> tuple[list[CopiedPassage], int]:
        """Return the passages that few others have, and how many others there are."""
        kept = [
            passage
            for passage, shingles in zip(self.passages, self.shingles, strict=True)
            if not _is_common(shingles, common)
        ]
        return kept, len(self.passages) - len(kept)


def _is_common(shingles: Shingles, common: Shingles) -> bool:
    if not len(shingles):
        return False
    return bool(np.isin(shingles, common).mean() >= BOILERPLATE)


def aligned_texts(
    document: CopyDocument, hits: Sequence[CopyDocument], texts: Mapping[DocumentRef, AnalysedText]
) -> Iterator[Record]:
    """Yield what a document shares with each of others.

    Args:
        document: The document.
        hits: The others.
        texts: Their texts.
    """
    query = texts[document.ref]
    aligned = passages_of_each(query, [texts[hit.ref] for hit in hits])
    for hit, passages in zip(hits, aligned, strict=True):
        text = texts[hit.ref]
        copied = copied_passages(query.sentence_words, text.sentence_words, passages)
        yield _record(query, text, copied, np.union1d(document.shingles, hit.shingles))


def _record(
    query: AnalysedText, hit: AnalysedText, passages: Sequence[AlignedPassage], indexed: Shingles
) -> Record:
    fewer = min(int(text.sentence_words.letters[-1]) for text in (query, hit))
    return {
        "lengths": [len(query.text or ""), len(hit.text or "")],
        "least": int(least_letters(fewer)),
        "passages": [_passage(query, hit, passage, indexed) for passage in passages],
    }


def _passage(
    query: AnalysedText, hit: AnalysedText, passage: AlignedPassage, indexed: Shingles
) -> Record:
    shown = shared_passages(query, hit, [passage])[0]
    words = query.sentence_words, hit.sentence_words
    tokens = [
        text.tokens[start:end] for text, (start, end) in zip(words, passage.at.sides, strict=True)
    ]
    runs = in_equal_runs(tokens[0], tokens[1], COPIED_RUN)
    letters = min(
        int(text.token_letters[start:end][run].sum())
        for text, (start, end), run in zip(words, passage.at.sides, runs, strict=True)
    )
    both = np.intersect1d(wide_shingles(tokens[0]), wide_shingles(tokens[1]))
    return {
        "a": [shown.query.start, shown.query.end, shown.query.text],
        "b": [shown.hit.start, shown.hit.end, shown.hit.text],
        "how": [shown.kind, shown.score, shown.changed, letters],
        "shingles": np.intersect1d(both, indexed).tolist(),
    }


def aligned_pair(pair: TextPair, record: Record) -> AlignedPair:
    """Return two texts with the passages of a record of `aligned_texts`."""
    passages = tuple(
        CopiedPassage(Span(*entry["a"]), Span(*entry["b"]), *entry["how"])
        for entry in record["passages"]
    )
    shingles = tuple(np.array(entry["shingles"], np.uint32) for entry in record["passages"])
    one, other = record["lengths"]
    return AlignedPair(pair, (one, other), record["least"], passages, shingles)


def copied_passages(
    query: SentenceWords, hit: SentenceWords, passages: Sequence[AlignedPassage]
) -> list[AlignedPassage]:
    """Return passages with what was copied in the paraphrased ones in their place."""
    pair = WordPair(query, hit)
    copied: list[AlignedPassage] = []
    for passage in passages:
        if passage.agreement.kind != "paraphrased":
            copied.append(passage)
            continue
        for at in _apart(_chains(_runs(pair, passage.at))):
            copied.append(AlignedPassage(at, pair.agreement(at)))
    return copied


def _runs(pair: WordPair, at: Stretches) -> Iterator[Stretches]:
    """Yield the longest runs of equal tokens of two stretches, in the order of the query.

    What the hit repeats counts where it is first.
    """
    ours = fold(pair.query.tokens[at.query_start : at.query_end], COPIED_RUN)
    numbers, firsts = np.unique(
        fold(pair.hit.tokens[at.hit_start : at.hit_end], COPIED_RUN), return_index=True
    )
    if not len(ours) or not len(numbers):
        return
    places = np.minimum(np.searchsorted(numbers, ours), len(numbers) - 1)
    starts = np.flatnonzero(numbers[places] == ours)
    theirs = firsts[places[starts]]
    is_next = (np.diff(starts) == 1) & (np.diff(theirs) == 1)
    edges = np.concatenate([[0], np.flatnonzero(~is_next) + 1, [len(starts)]])
    for first, behind in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if first < behind:
            start, there = at.query_start + int(starts[first]), at.hit_start + int(theirs[first])
            length = behind - first + COPIED_RUN - 1
            yield Stretches(start, start + length, there, there + length)


def _chains(runs: Iterator[Stretches]) -> list[Stretches]:
    """Return runs, those joined that follow each other in both texts with little between them."""
    chains: list[Stretches] = []
    for run in runs:
        last = chains[-1] if chains else None
        if (
            last is not None
            and 0 <= run.query_start - last.query_end <= _MAX_GAP
            and 0 <= run.hit_start - last.hit_end <= _MAX_GAP
        ):
            chains[-1] = Stretches(last.query_start, run.query_end, last.hit_start, run.hit_end)
        else:
            chains.append(run)
    return chains


def _apart(chains: Sequence[Stretches]) -> list[Stretches]:
    """Return the longest that do not overlap in the query, in its order."""
    kept: list[Stretches] = []
    for at in sorted(chains, key=lambda at: (at.query_start - at.query_end, at)):
        if all(at.query_end <= o.query_start or o.query_end <= at.query_start for o in kept):
            kept.append(at)
    return sorted(kept)
