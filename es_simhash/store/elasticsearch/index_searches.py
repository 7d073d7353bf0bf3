"""The searches of requests, and where they are sent: to one index that has everything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.relation.references import DocumentRef
from es_simhash.store import intents
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch import documents
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.searches import OptionalSearch, search_all

Responses = Sequence[Mapping[str, Any]]
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Searches:
    """The searches of one request, and how they are read.

    Attributes:
        bodies: The searches.
        read: Makes the answer of their responses.
        optional: Whether one may be rejected, or its index missing: it has no hits then.
        index: Index that is searched; None for that of the store.
        candidates: Makes the searches from conditions, where they look for fingerprints, which a
            sidecar may have; None for searches of the user's documents.
        where: Which documents; the filters are the user's.
        date: Field of a date to bring along.
        whole: Answers otherwise where `read` returns None, as a search was cut.
    """

    bodies: Sequence[Mapping[str, Any]] = ()
    read: Callable[[Responses], Any] = list
    optional: bool = False
    index: str | None = None
    candidates: Callable[[intents.Where], list[dict[str, Any]]] | None = None
    where: intents.Where = field(default_factory=intents.Where)
    date: DateField | None = None
    whole: Callable[[], Calls[Any]] | None = None


class IndexSearches:
    """Searches of an index, alias or data stream whose documents have the fingerprints.

    Args:
        name: Of the index.
        config: What is known of its configuration.
    """

    # Whether documents have the `simhash` object themselves.
    has_fingerprints = True

    def __init__(self, name: str, config: IndexConfig) -> None:
        self.name = name
        self.given = config

    @property
    def text_index(self) -> str:
        """Index that has the texts and the other fields of the user's documents."""
        return self.name

    def open(self) -> Calls[None]:
        """Read which index has the texts, once."""
        yield from ()

    def bodies(self, plans: Sequence[Searches]) -> Calls[list[Sequence[Mapping[str, Any]]]]:
        """Return the bodies of searches, with their filters."""
        yield from ()
        return [
            plan.bodies if plan.candidates is None else plan.candidates(plan.where)
            for plan in plans
        ]

    def responses(self, plans: Sequence[Searches]) -> Calls[list[Responses]]:
        """Return the responses to the searches of each request, sent as one."""
        bodies = yield from self.bodies(plans)
        required, optional = divided(plans, bodies, None)
        responses = yield from search_all(self.name, required, optional)
        first, last = iter(responses), iter(responses[len(required) :])
        return [
            [next(last if plan.optional else first) for _ in some]
            for plan, some in zip(plans, bodies, strict=True)
        ]

    def entries_by_id(self, ids: Sequence[str], fields: Sequence[str]) -> Calls[list[Entry]]:
        """Return documents by their ids alone, in that order, each with `found`."""
        return (yield from documents.get_by_id(self.name, ids, fields))

    def entries_at(
        self, refs: Sequence[DocumentRef], fields: Sequence[str] | None, excluded: Sequence[str]
    ) -> Calls[dict[DocumentRef, Entry]]:
        """Return documents as they are now, by their places; vanished ones are left out.

        Args:
            refs: Where they are.
            fields: Fields of `_source` to return; None for all.
            excluded: Fields of `_source` to leave out.
        """
        index = None if all(ref.index for ref in refs) else self.name
        entries = yield from documents.get_all(refs, fields, index=index, excluded=excluded)
        return {ref: entry for ref, entry in zip(refs, entries, strict=True) if entry.get("found")}


def divided(
    plans: Sequence[Searches], bodies: Sequence[Sequence[Mapping[str, Any]]], index: str | None
) -> tuple[list[Mapping[str, Any]], list[OptionalSearch]]:
    """Return the searches that must succeed, and those that need not.

    Args:
        plans: The searches of each request.
        bodies: Those that are sent of each.
        index: Index of the optional ones that name none; None for that of the others.
    """
    pairs = list(zip(plans, bodies, strict=True))
    required = [body for plan, some in pairs if not plan.optional for body in some]
    optional = [
        OptionalSearch(plan.index or index, body, may_be_rejected=plan.index is None)
        for plan, some in pairs
        if plan.optional
        for body in some
    ]
    return required, optional
