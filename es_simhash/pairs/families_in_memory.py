"""Families of texts in memory: the oracle of the runs over an index, and good for small data."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.pairs.joined_families import Noted, united_families
from es_simhash.pairs.merging import Comparison, Pair, pair
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.manual_pairs import JoinedGroups
from es_simhash.relation.scoring import (
    are_candidates,
    kept_share,
    link_score,
    min_shared,
    version_score,
)
from es_simhash.relation.thresholds import VERSION_SCORE


def families_in_memory(
    texts: Mapping[str, str],
    *,
    scheme: Scheme = DEFAULT,
    rank: Callable[[str], object] | None = None,
    dismissed: Iterable[Pair[str]] = (),
    joined: Iterable[Pair[str]] = (),
    version_threshold: float = VERSION_SCORE,
) -> list[list[str]]:
    """Return the version families of texts by their ids, the representative of each first.

    Texts without words are families of their own.

    Args:
        texts: Text of each id.
        scheme: Of the fingerprints.
        rank: Of an id; the highest is the representative. By default that is the longest text.
        dismissed: Pairs of ids that are not versions of each other.
        joined: Pairs of ids that are versions of each other, whatever their texts are.
        version_threshold: Where versions begin.
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
    by_id = {id: text.content_hash for id, text in analysed.items() if text is not None}
    apart = {pair(by_id[a], by_id[b]) for a, b in dismissed if a in by_id and b in by_id}
    comparison = Comparison[str](
        score=lambda one, other: version_score(by_hash[one], by_hash[other], version_threshold),
        kept=lambda one, other: kept_share(by_hash[one], by_hash[other]),
        rank=lambda key: (ranked(best[key]), key),
    )
    noted = Noted(apart, JoinedGroups.of_texts(joined, by_id))
    neighbours = _neighbours(by_hash, apart, version_threshold)
    groups = united_families(by_hash, neighbours, comparison, noted)
    families = [_documents(group, copies, best) for group in groups]
    return sorted([*families, *([id] for id in texts if analysed[id] is None)])


def _documents(
    group: list[str], copies: Mapping[str, list[str]], best: Mapping[str, str]
) -> list[str]:
    ids = [id for key in group for id in copies[key]]
    first = best[group[0]]
    return [first, *sorted(id for id in ids if id != first)]


def _neighbours(
    texts: Mapping[str, AnalysedText], dismissed: Collection[Pair[str]], threshold: float
) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = defaultdict(list)
    for one, other in candidate_pairs(texts):
        if pair(one, other) in dismissed:
            continue
        if link_score(texts[one], texts[other], threshold):
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
