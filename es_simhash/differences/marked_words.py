"""The words of a shared passage, with whether the other text has them as well."""

import numpy as np

from es_simhash.differences.sequence_alignment import Sequences, aligned
from es_simhash.relation.relation import SharedPassage

Words = list[tuple[str, bool]]


def marked_words(passage: SharedPassage) -> tuple[Words, Words]:
    """Return the words of both sides, each with whether the other has it in the same order."""
    query, hit = passage.query.text.split(), passage.hit.text.split()
    numbers: dict[str, int] = {}
    ours, theirs = (
        np.array([numbers.setdefault(word.casefold(), len(numbers)) for word in words], np.int64)
        for words in (query, hit)
    )
    in_query, in_hit = np.zeros(len(query), bool), np.zeros(len(hit), bool)
    for block in aligned(Sequences.of(ours, theirs)):
        in_query[block.a : block.a + block.size] = True
        in_hit[block.b : block.b + block.size] = True
    return (
        list(zip(query, in_query.tolist(), strict=True)),
        list(zip(hit, in_hit.tolist(), strict=True)),
    )
