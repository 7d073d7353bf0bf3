"""The families of documents, from the links between their texts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.pairs.joined_families import united_families
from es_simhash.pairs.merging import Comparison, Node, Pair, neighbours_of, pair
from es_simhash.pairs.text_links import Links, Texts, candidate_pairs, links_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.scoring import kept_share, version_score
from es_simhash.relation.thresholds import VERSION_SCORE


class RankedDocuments(Generic[Node]):
    """Documents by their texts, in the order in which they represent a family.

    Args:
        documents: Of each text, the documents that have it, by its hash.
        rank: Of a document; the highest represents, of equal ones the one that comes last.
    """

    def __init__(
        self, documents: Mapping[str, Iterable[Node]], rank: Callable[[Node], Any]
    ) -> None:
        self._documents = documents
        self._rank = rank
        self._first = {
            text: max(several, key=lambda document: (rank(document), document))
            for text, several in documents.items()
        }

    def first(self, content_hash: str) -> Node:
        """Return the document of a text that ranks highest."""
        return self._first[content_hash]

    def rank(self, content_hash: str) -> tuple[Any, str]:
        """Return the rank of a text; no two texts have the same."""
        return self._rank(self.first(content_hash)), content_hash

    def family(self, texts: Sequence[str]) -> list[Node]:
        """Return the documents of a family of texts, the one that represents it first."""
        first = self.first(texts[0])
        others = {document for text in texts for document in self._documents[text]} - {first}
        return [first, *sorted(others)]  # type: ignore[type-var]


@dataclass(frozen=True)
class LinkedTexts:
    """What the families of texts follow from.

    Attributes:
        texts: The texts.
        links: Scores of the pairs that are linked as versions.
        threshold: Where versions begin in the index.
        manual: What a person decided about them.
    """

    texts: Texts
    links: Links
    threshold: float = VERSION_SCORE
    manual: ManualPairs = field(default_factory=ManualPairs)

    def families(self, hashes: Iterable[str], rank: Callable[[str], Any]) -> Iterator[list[str]]:
        """Yield the families of texts by their hashes, the representative of each first.

        Families of texts that neither links nor joins connect do not depend on each other: a part
        of the hashes gives a part of the families.

        Args:
            hashes: All texts that are connected with any of these.
            rank: Of a text; the highest represents its family.
        """
        comparison = Comparison(self._score, self._kept, rank)
        yield from united_families(hashes, neighbours_of(self.links), comparison, self.manual)

    def _score(self, one: str, other: str) -> float:
        # Linked texts score enough, and their texts may have to be read again.
        score = self.links.get(pair(one, other))
        if score is not None:
            return score
        return version_score(self.texts[one], self.texts[other], self.threshold)

    def _kept(self, one: str, other: str) -> float:
        return kept_share(self.texts[one], self.texts[other])


def families_in_memory(
    texts: Mapping[str, str],
    *,
    scheme: Scheme = DEFAULT,
    rank: Callable[[str], Any] | None = None,
    dismissed: Iterable[Pair[str]] = (),
    joined: Iterable[Pair[str]] = (),
    version_threshold: float = VERSION_SCORE,
) -> list[list[str]]:
    """Return the version families of texts by their ids, the representative of each first.

    Texts without words are families of their own. Runs over an index are compared with this.

    Args:
        texts: Text of each id.
        scheme: Of the fingerprints.
        rank: Of an id; the highest is the representative. By default that is the longest text.
        dismissed: Pairs of ids that are not versions of each other.
        joined: Pairs of ids that are versions of each other, whatever their texts are.
        version_threshold: Where versions begin.
    """
    analysed = dict(zip(texts, TextAnalyser(scheme).stored_parts(texts.values()), strict=True))
    by_id = {id: text for id, text in analysed.items() if text is not None}
    by_hash = {text.content_hash: text for text in by_id.values()}
    copies: dict[str, list[str]] = defaultdict(list)
    for id, text in by_id.items():
        copies[text.content_hash].append(id)
    manual = ManualPairs.of_texts(
        dismissed, joined, {id: text.content_hash for id, text in by_id.items()}
    )
    links = links_of(candidate_pairs(by_hash), by_hash, version_threshold, manual.dismissed)
    ranked = RankedDocuments(copies, rank or (lambda id: by_id[id].characters))
    linked = LinkedTexts(by_hash, links, version_threshold, manual)
    families = [ranked.family(group) for group in linked.families(by_hash, ranked.rank)]
    return sorted([*families, *([id] for id in texts if id not in by_id)])
