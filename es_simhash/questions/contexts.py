"""Dates, titles, families and so on of documents: what an answer says of them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from es_simhash.questions.access import IndexAccess
from es_simhash.questions.query_document import QueryDocument
from es_simhash.relation.relation import Direction, DocumentContext, Relation
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.document_fields import PLACEHOLDER, link_fields
from es_simhash.store.order import Key
from es_simhash.store.paths import get_values

# Ids of one search.
_IDS = 1_000

Hit = Mapping[str, Any]


@dataclass
class Contexts:
    """Reads what an index says of documents, with one request for many.

    Attributes:
        access: How documents are read.
        config: Names of the fields.
        date_field: The date field, as the mapping has it; None without one.
    """

    access: IndexAccess
    config: IndexConfig
    date_field: DateField | None
    _hits: dict[Key, Hit] = field(default_factory=dict)
    _dates: dict[Key, Date | None] = field(default_factory=dict)

    def dates(self, keys: Collection[Key]) -> dict[Key, Date | None]:
        """Return the dates of documents, None of those that have none."""
        if self.date_field is not None:
            missing = [key for key in keys if key not in self._dates]
            for hit in self._found(missing, source=False):
                self._dates[hit["_index"], hit["_id"]] = self.date_field.of_hit(hit)
        return {key: self._dates.get(key) for key in keys}

    def read(self, keys: Collection[Key]) -> None:
        """Read all that is known of documents."""
        missing = [key for key in keys if key not in self._hits]
        self.keep(self._found(missing, source=self.source_fields))

    def keep(self, hits: Iterable[Hit]) -> None:
        """Take documents that were searched with `source_fields` and `docvalue_fields`."""
        for hit in hits:
            key = hit["_index"], hit["_id"]
            self._hits[key] = hit
            if self.date_field is not None:
                self._dates[key] = self.date_field.of_hit(hit)

    def context(self, key: Key) -> DocumentContext | None:
        """Return what is known of a document that was read; None of one that vanished."""
        hit = self._hits.get(key)
        if hit is None:
            return None
        source, named = hit.get("_source", {}), self.config.documents
        date = self._dates.get(key)
        family = hit.get("fields", {}).get(self.config.path(fields.FAMILY))
        return DocumentContext(
            title=_first(source, named.title),
            date=None if date is None or self.date_field is None else self.date_field.iso(date),
            owner=_first(source, named.owner),
            language=_first(source, named.language),
            link=None if named.link is None else linked(named.link, str(key[1]), source),
            family=family[0] if family else None,
        )

    def family(self, key: Key) -> str | None:
        """Return the version family of a document that was read."""
        context = self.context(key)
        return None if context is None else context.family

    def direction(self, query: Key, hit: Key) -> Direction | None:
        """Return whether a hit is older or newer than the query; None where a date is not known."""
        of_query, of_hit = self._dates.get(query), self._dates.get(hit)
        if of_query is None or of_hit is None:
            return None
        if of_hit == of_query:
            return "same"
        return "older" if of_hit < of_query else "newer"

    @property
    def docvalue_fields(self) -> list[Any]:
        """What searches request for the family and the date."""
        values: list[Any] = [self.config.path(fields.FAMILY)]
        return values if self.date_field is None else [*values, self.date_field.requested]

    @property
    def source_fields(self) -> list[str]:
        """Fields of `_source` that titles, owners, languages and links are made of."""
        named = self.config.documents
        names = [named.title, named.owner, named.language]
        links = [] if named.link is None else link_fields(named.link)
        return [name for name in [*names, *links] if name is not None and name != "id"]

    def _found(self, keys: Sequence[Key], *, source: Sequence[str] | bool) -> Iterator[Hit]:
        ids = sorted({str(id) for _, id in keys})
        for start in range(0, len(ids), _IDS):
            some = ids[start : start + _IDS]
            yield from self.access.hits(
                {
                    "query": {"ids": {"values": some}},
                    # An id may be in several indices.
                    "size": 2 * len(some),
                    "_source": source or False,
                    "docvalue_fields": self.docvalue_fields,
                    "track_total_hits": False,
                }
            )


def in_context(
    contexts: Contexts, queries: Sequence[QueryDocument], answers: Sequence[Sequence[Relation]]
) -> list[list[Relation]]:
    """Return the relations of each query with what the index says of the hits.

    Args:
        contexts: Reads it, with one request for all.
        queries: The queries.
        answers: The relations of each.
    """
    hits = {(relation.index, relation.id) for relations in answers for relation in relations}
    contexts.read({*hits, *(query.ref.key for query in queries if query.ref is not None)})
    return [
        [
            replace(
                relation,
                document=contexts.context((relation.index, relation.id)),
                direction=None
                if query.ref is None
                else contexts.direction(query.ref.key, (relation.index, relation.id)),
            )
            for relation in relations
        ]
        for query, relations in zip(queries, answers, strict=True)
    ]


def linked(pattern: str, id: str, source: Mapping[str, Any]) -> str | None:
    """Return the address of a document; None where it lacks a field, or the address is no web one.

    Values are escaped, but for that of a pattern that is one field: it is an address already.

    Args:
        pattern: With `{id}` or names of fields in braces.
        id: Of the document.
        source: Its fields.
    """
    whole = PLACEHOLDER.fullmatch(pattern)
    values = {name: id if name == "id" else _first(source, name) for name in link_fields(pattern)}
    if any(value is None for value in values.values()):
        return None
    if whole:
        address = str(values[whole[1]])
        return address if re.match(r"https?://[^\s]+$", address) else None
    return PLACEHOLDER.sub(lambda found: quote(str(values[found[1]]), safe=""), pattern)


def _first(source: Mapping[str, Any], path: str | None) -> str | None:
    """Return the first value of a field as a string; None without one."""
    values = () if path is None else get_values(source, path)
    found = next((value for value in values if isinstance(value, str | int | float)), None)
    return None if found is None else str(found)
