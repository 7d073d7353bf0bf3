"""Links between texts that are versions of each other: candidates, compared pairs, links.

Each step takes what it compares and returns plain values, so that any part of the pairs can be
compared anywhere: a worker needs the texts of its own pairs and nothing else.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.postings import Postings
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.scoring import are_candidates, link_score, min_shared

# Scores of the pairs of texts that are linked, by the hashes of the texts.
Links = Mapping[Pair[str], float]


class Texts(Protocol):
    """Texts by their hashes; a dictionary, or what reads them when they are needed."""

    def __getitem__(self, content_hash: str, /) -> StoredText:
        """Return a text by its hash."""


def candidate_pairs(texts: Mapping[str, StoredText]) -> Iterator[Pair[str]]:
    """Yield the hashes of all pairs of texts that searches for each of them would retrieve."""
    postings = Postings({key: text.queried_shingles for key, text in texts.items()})
    for key, text in texts.items():
        for candidate, _ in postings.after(key, min_shared(text)):
            yield pair(key, candidate)


def links_of(
    pairs: Iterable[Pair[str]],
    texts: Texts,
    threshold: float,
    apart: Mapping[str, Collection[str]] | None = None,
) -> dict[Pair[str], float]:
    """Return the scores of the pairs that are linked as versions.

    Args:
        pairs: Candidates, by the hashes of their texts.
        texts: The stored parts of the texts of these pairs.
        threshold: Where versions begin in the index.
        apart: Of a text, those that are never of its family.
    """
    links = {}
    for one, other in pairs:
        if apart and other in apart.get(one, ()):
            continue
        if are_candidates(texts[one], texts[other]):
            score = link_score(texts[one], texts[other], threshold)
            if score > 0:
                links[pair(one, other)] = score
    return links
