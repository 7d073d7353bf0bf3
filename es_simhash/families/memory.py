"""Families of texts in memory: the oracle of the runs over an index, and good for small data."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from es_simhash.families.partition import Pair, families_of, pair
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.links import (
    are_candidates,
    kept_share,
    link_score,
    min_shared,
    version_score,
)


def families_in_memory(
    texts: Mapping[str, str],
    *,
    scheme: Scheme = DEFAULT,
    rank: Callable[[str], object] | None = None,
    dismissed: Iterable[Pair[str]] = (),
) -> list[list[str]]:
    """Return the version families of texts by their ids, the representative of each first.

    Texts without words are families of their own.

    Args:
        texts: Text of each id.
        scheme: Of the fingerprints.
        rank: Of an id; the highest is the representative. By default that is the longest text.
        dismissed: Pairs of ids that are not versions of each other.
    """
    analysed = dict(zip(texts, TextAnalyser(scheme).analyse_each(texts.values()), strict=True))
    copies: dict[str, list[str]] = defaultdict(list)
    by_hash: dict[str, AnalysedText] = {}
    for id in sorted(texts):
        text = analysed[id]
        if text is not None:
            copies[text.content_hash].append(id)
            by_hash[text.content_hash] = text

    def length(id: str) -> int:
        text = analysed[id]
        return text.characters if text is not None else 0

    ranked = rank or length
    best = {key: max(ids, key=lambda id: (ranked(id), id)) for key, ids in copies.items()}
    dismissed_hashes = {
        pair(text_a.content_hash, text_b.content_hash)
        for text_a, text_b in ((analysed.get(a), analysed.get(b)) for a, b in dismissed)
        if text_a is not None and text_b is not None
    }
    groups = families_of(
        by_hash,
        _neighbours(by_hash, dismissed_hashes),
        score=lambda one, other: version_score(by_hash[one], by_hash[other]),
        kept=lambda one, other: kept_share(by_hash[one], by_hash[other]),
        rank=lambda key: (ranked(best[key]), key),
        dismissed=dismissed_hashes,
    )
    families = [_documents(group, copies, best) for group in groups]
    return sorted([*families, *([id] for id in texts if analysed[id] is None)])


def _documents(
    group: list[str], copies: Mapping[str, list[str]], best: Mapping[str, str]
) -> list[str]:
    ids = [id for key in group for id in copies[key]]
    first = best[group[0]]
    return [first, *sorted(id for id in ids if id != first)]


def _neighbours(
    texts: Mapping[str, AnalysedText], dismissed: Collection[Pair[str]]
) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = defaultdict(list)
    for one, other in candidate_pairs(texts):
        if pair(one, other) not in dismissed and link_score(texts[one], texts[other]):
            neighbours[one].append(other)
            neighbours[other].append(one)
    return neighbours


def candidate_pairs(texts: Mapping[str, AnalysedText]) -> Iterator[Pair[str]]:
    """Yield the hashes of all pairs of texts that the searches of a run would find."""
    postings = defaultdict(list)
    for key, text in texts.items():
        for shingle in text.queried_shingles.tolist():
            postings[shingle].append(key)
    for key, text in texts.items():
        shared = Counter(
            candidate
            for shingle in text.queried_shingles.tolist()
            for candidate in postings[shingle]
            if candidate > key
        )
        for candidate, count in shared.items():
            if count >= min_shared(text) and are_candidates(text, texts[candidate]):
                yield key, candidate
