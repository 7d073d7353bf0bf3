"""The families of documents, from the links between their texts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic

from es_simhash.pairs.joined_families import united_families
from es_simhash.pairs.merging import Comparison, Node, Pair, neighbours_of, pair
from es_simhash.pairs.parted_texts import Values, names_in_part, no_values, parts_of, values_of
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
class DocumentFamily(Generic[Node]):
    """A family of documents.

    Attributes:
        part: Their values of the field that keeps families apart.
        texts: Hashes of their texts, that of the representative first.
        documents: The documents, the representative first.
    """

    part: Values
    texts: Sequence[str]
    documents: Sequence[Node]

    @property
    def names(self) -> list[str]:
        """Names of the texts that are those of no text of another part."""
        return names_in_part(self.texts, self.part)


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

    @cached_property
    def _neighbours(self) -> dict[str, list[str]]:
        return neighbours_of(self.links)

    def document_families(
        self,
        copies: Mapping[str, Iterable[Node]],
        rank: Callable[[Node], Any],
        values: Callable[[Node], Values] = no_values,
    ) -> Iterator[DocumentFamily[Node]]:
        """Yield the families of documents of these texts; none has documents of several values.

        Args:
            copies: Of each text, the documents that have it: all texts that are connected with any
                of these.
            rank: Of a document; the highest represents its family.
            values: Of a document: what keeps it apart from those of others.
        """
        for part, texts in parts_of(copies, values):
            ranked = RankedDocuments(texts, rank)
            for group in self.families(texts, ranked.rank):
                yield DocumentFamily(part, group, ranked.family(group))

    def families(self, hashes: Iterable[str], rank: Callable[[str], Any]) -> Iterator[list[str]]:
        """Yield the families of texts by their hashes, the representative of each first.

        Families of texts that neither links nor joins connect do not depend on each other: a part
        of the hashes gives a part of the families.

        Args:
            hashes: All texts that are connected with any of these.
            rank: Of a text; the highest represents its family.
        """
        comparison = Comparison(self._score, self._kept, rank)
        yield from united_families(hashes, self._neighbours, comparison, self.manual)

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
    rank: Callable[[str], Any] | None = None,
    dismissed: Iterable[Pair[str]] = (),
    joined: Iterable[Pair[str]] = (),
    version_threshold: float = VERSION_SCORE,
    within: Mapping[str, Iterable[Any]] | None = None,
) -> list[list[str]]:
    """Return the version families of texts by their ids, the representative of each first.

    Texts without words are families of their own. Runs over an index are compared with this.

    Args:
        texts: Text of each id.
        rank: Of an id; the highest is the representative. By default that is the longest text.
        dismissed: Pairs of ids that are not versions of each other.
        joined: Pairs of ids that are versions of each other, whatever their texts are.
        version_threshold: Where versions begin.
        within: Values of the field that keeps families apart, by ids; None for no such field.
    """
    analysed = dict(zip(texts, TextAnalyser().stored_parts(texts.values()), strict=True))
    by_id = {id: text for id, text in analysed.items() if text is not None}
    by_hash = {text.content_hash: text for text in by_id.values()}
    copies: dict[str, list[str]] = defaultdict(list)
    for id, text in by_id.items():
        copies[text.content_hash].append(id)
    manual = ManualPairs.of_texts(
        dismissed, joined, {id: [text.content_hash] for id, text in by_id.items()}
    )
    links = links_of(candidate_pairs(by_hash), by_hash, version_threshold, manual.dismissed)
    linked = LinkedTexts(by_hash, links, version_threshold, manual)
    values = {id: values_of(some) for id, some in (within or {}).items()}
    families = linked.document_families(
        copies, rank or (lambda id: by_id[id].characters), lambda id: values.get(id, ())
    )
    found = [list(family.documents) for family in families]
    return sorted([*found, *([id] for id in texts if id not in by_id)])
