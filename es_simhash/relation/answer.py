"""The answer to one query: relations, and what there is beyond them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, SupportsIndex, overload

from es_simhash.errors import InputError
from es_simhash.relation.references import LeftOutIndex
from es_simhash.relation.relation import DocumentContext, Relation

Grouping = Literal["kind", "family"]


@dataclass(frozen=True)
class Extent:
    """The part of all relations that an answer has.

    Attributes:
        total: Relations that were found in all, with the copies of neighbours.
        is_estimate: True when the texts of some were not aligned, which may change the total.
        offset: Relations of the list before the first of the answer.
        next_offset: The offset of the next page; None when there is none.
    """

    total: int
    is_estimate: bool = False
    offset: int = 0
    next_offset: int | None = None


@dataclass(frozen=True, init=False, eq=False)
class Answer(Sequence[Relation]):
    """The relations of one query, in order: a sequence that cannot be changed.

    It equals any list, tuple or answer of the same relations.

    Attributes:
        relations: The relations themselves.
        truncated: True when a limit cut the candidates, so that there may be better ones.
        other_vectors: How many of the nearest candidates have no vector by the word vectors that
            the index has learned, and are compared by concepts and names alone.
        left_out: Indices behind the name whose documents were not searched, as they have no
            fingerprints of the scheme.
        extent: The part that it is of all that was found.
        document: Title, date and so on of the query; None for a text, or where they were not read.
    """

    relations: tuple[Relation, ...]
    truncated: bool
    extent: Extent
    document: DocumentContext | None
    other_vectors: int
    left_out: tuple[LeftOutIndex, ...]

    def __init__(
        self,
        relations: Iterable[Relation] = (),
        *,
        truncated: bool = False,
        extent: Extent | None = None,
        document: DocumentContext | None = None,
        other_vectors: int = 0,
        left_out: Iterable[LeftOutIndex] = (),
    ) -> None:
        own = tuple(relations)
        object.__setattr__(self, "relations", own)
        object.__setattr__(self, "truncated", truncated)
        object.__setattr__(self, "extent", extent or Extent(len(own)))
        object.__setattr__(self, "document", document)
        object.__setattr__(self, "other_vectors", other_vectors)
        object.__setattr__(self, "left_out", tuple(left_out))

    def __len__(self) -> int:
        return len(self.relations)

    def __iter__(self) -> Iterator[Relation]:
        return iter(self.relations)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Answer, list, tuple)):
            return NotImplemented
        return self.relations == tuple(other)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Relation: ...

    @overload
    def __getitem__(self, place: slice) -> "Answer": ...

    def __getitem__(self, place: SupportsIndex | slice) -> "Relation | Answer":
        """Return a relation, or a part of the answer, which is truncated as the whole is."""
        if isinstance(place, slice):
            return self._with(self.relations[place])
        return self.relations[place]

    def map(self, change: Callable[[Relation], Relation]) -> "Answer":
        """Return the answer with each relation changed."""
        return self._with(map(change, self))

    def groups(self, by: Grouping) -> "dict[str, Answer]":
        """Return the relations by kind or by version family, in the order of their first ones.

        Args:
            by: `kind`, or `family`: what belongs to no family is a group of its own by its id.

        Raises:
            InputError: The families were not read: set `context`.
        """
        groups: dict[str, list[Relation]] = {}
        for relation in self:
            groups.setdefault(relation.kind if by == "kind" else _family(relation), []).append(
                relation
            )
        return {name: self._with(relations) for name, relations in groups.items()}

    def _with(self, relations: Iterable[Relation]) -> "Answer":
        return Answer(
            relations,
            truncated=self.truncated,
            extent=self.extent,
            document=self.document,
            other_vectors=self.other_vectors,
            left_out=self.left_out,
        )


def _family(relation: Relation) -> str:
    if relation.document is None:
        raise InputError("Families were not read. Set context to True.", parameter="context")
    return relation.document.family or str(relation.id)
