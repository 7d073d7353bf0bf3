"""Families of texts in memory: the oracle for what the cluster gives, and good for small data."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from es_simhash.families.partition import families_of, pair
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.version_score import are_candidates, link_score, member_score, min_shared


def families_in_memory(
    texts: Mapping[str, str],
    *,
    scheme: Scheme = DEFAULT,
    rank: Callable[[str], object] | None = None,
    dismissed: Iterable[tuple[str, str]] = (),
) -> list[list[str]]:
    """Return the version families of texts by their ids, the representative of each first.

    Texts without words are families of their own.

    Args:
        texts: Text of each id.
        scheme: Of the fingerprints.
        rank: Of an id; the highest is the representative. By default that is the longest text.
        dismissed: Pairs of ids that are not versions of each other.
    """
    read = dict(zip(texts, TextAnalyser(scheme).analyse_each(texts.values()), strict=True))
    copies: dict[str, list[str]] = defaultdict(list)
    contents: dict[str, AnalysedText] = {}
    for id in sorted(texts):
        content = read[id]
        if content is not None:
            copies[content.content_hash].append(id)
            contents[content.content_hash] = content

    def length(id: str) -> int:
        content = read[id]
        return content.characters if content is not None else 0

    ranked = rank or length
    best = {key: max(ids, key=lambda id: (ranked(id), id)) for key, ids in copies.items()}
    apart = {
        pair(one.content_hash, other.content_hash)
        for one, other in ((read.get(a), read.get(b)) for a, b in dismissed)
        if one is not None and other is not None
    }
    groups = families_of(
        contents,
        _neighbours(contents, apart),
        score=lambda one, other: member_score(contents[one], contents[other]),
        rank=lambda key: (ranked(best[key]), key),
        dismissed=apart,
    )
    families = [_documents(group, copies, best) for group in groups]
    return sorted([*families, *([id] for id in texts if read[id] is None)])


def _documents(
    group: list[str], copies: Mapping[str, list[str]], best: Mapping[str, str]
) -> list[str]:
    ids = [id for key in group for id in copies[key]]
    first = best[group[0]]
    return [first, *sorted(id for id in ids if id != first)]


def _neighbours(
    contents: Mapping[str, AnalysedText], apart: Collection[tuple[str, str]]
) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = defaultdict(list)
    for one, other in candidate_pairs(contents):
        if pair(one, other) not in apart and link_score(contents[one], contents[other]):
            neighbours[one].append(other)
            neighbours[other].append(one)
    return neighbours


def candidate_pairs(contents: Mapping[str, AnalysedText]) -> Iterator[tuple[str, str]]:
    """Yield the hashes of all pairs of texts that the searches of the cluster would bring."""
    having = defaultdict(list)
    for key, content in contents.items():
        for passage in content.queried_shingles.tolist():
            having[passage].append(key)
    for key, content in contents.items():
        shared = Counter(
            other
            for passage in content.queried_shingles.tolist()
            for other in having[passage]
            if other > key
        )
        for other, count in shared.items():
            if count >= min_shared(content) and are_candidates(content, contents[other]):
                yield key, other
