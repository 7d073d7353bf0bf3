"""Dates, titles, families and so on of documents: what an answer says of them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import quote

from es_simhash.errors import InputError
from es_simhash.relation.analysed_text import QueryDocument
from es_simhash.relation.compared_fields import field_evidence
from es_simhash.relation.field_evidence import FieldEvidence
from es_simhash.relation.references import Key
from es_simhash.relation.relation import Direction, DocumentContext, Relation
from es_simhash.store.config import PLACEHOLDER, IndexConfig, link_fields
from es_simhash.store.dates import Date, DateField
from es_simhash.store.intents import Configuration, Find, FindDateField, Parts, Where
from es_simhash.store.options import SearchOptions
from es_simhash.store.paths import get_values
from es_simhash.store.protocol import Steps, ask, rows_of_ids
from es_simhash.store.rows import Row

# Ids of one search.
_IDS = 1_000


@dataclass
class Contexts:
    """Reads what an index says of documents, with one request for many.

    Attributes:
        config: Names of the fields.
        date_field: The date field, as the mapping has it; None without one.
    """

    config: IndexConfig
    date_field: DateField | None
    _rows: dict[Key, Row] = field(default_factory=dict)
    _dates: dict[Key, Date | None] = field(default_factory=dict)

    def dates(self, keys: Collection[Key]) -> Steps[dict[Key, Date | None]]:
        """Return the dates of documents, None of those that have none."""
        if self.date_field is not None:
            missing = [key for key in keys if key not in self._dates]
            for row in (yield from _rows_of(missing, Parts(date=self.date_field))):
                self._dates[row.key] = row.date
        return {key: self._dates.get(key) for key in keys}

    def read(self, keys: Collection[Key]) -> Steps[None]:
        """Read all that is known of documents."""
        missing = [key for key in keys if key not in self._rows]
        self.keep((yield from _rows_of(missing, self.parts)))

    def keep(self, rows: Iterable[Row]) -> None:
        """Take documents that were read with `parts`."""
        for row in rows:
            self._rows[row.key] = row
            if self.date_field is not None:
                self._dates[row.key] = row.date

    def context(self, key: Key) -> DocumentContext | None:
        """Return what is known of a document that was read; None of one that vanished."""
        row = self._rows.get(key)
        if row is None:
            return None
        source, named = row.source, self.config.documents
        date = self._dates.get(key)
        return DocumentContext(
            title=_first(source, named.title),
            date=None if date is None or self.date_field is None else self.date_field.iso(date),
            owner=_first(source, named.owner),
            language=_first(source, named.language),
            link=None if named.link is None else linked(named.link, str(key[1]), source),
            family=row.family,
        )

    def evidence(self, query: Key, hit: Key) -> tuple[FieldEvidence, ...]:
        """Return what the fields of two documents that were read say of them."""
        rows = self._rows.get(query), self._rows.get(hit)
        if rows[0] is None or rows[1] is None:
            return ()
        one, other = rows[0].source, rows[1].source
        named = self.config.documents
        owners = () if named.owner is None else (named.owner,)
        return (
            *(_compared("owner", name, one, other) for name in owners),
            *(_compared("identifier", name, one, other) for name in named.identifier_fields),
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
    def parts(self) -> Parts:
        """What is read of each document: family, date, and what titles and links are made of."""
        return Parts(fields=tuple(self.source_fields), family=True, date=self.date_field)

    @property
    def source_fields(self) -> list[str]:
        """Fields of the user's that titles, owners, languages and links are made of."""
        named = self.config.documents
        names = [named.title, named.owner, named.language, *named.identifier_fields]
        links = [] if named.link is None else link_fields(named.link)
        return [name for name in [*names, *links] if name is not None and name != "id"]


def documents_of(ids: Sequence[str], *, dates: bool = True) -> Steps[dict[str, DocumentContext]]:
    """Return what an index says of documents by their ids; what is not there is left out.

    Nothing is read of an index that is configured with neither titles nor dates.

    Args:
        ids: The ids.
        dates: Whether their dates are read.
    """
    found = yield from documents_by_key(ids, dates=dates)
    return {str(id): document for (_, id), document in found.items()}


def documents_by_key(
    ids: Sequence[str], *, dates: bool = True
) -> Steps[dict[Key, DocumentContext]]:
    """Return them by index and id, as documents of several indices may have one id.

    Args:
        ids: The ids.
        dates: Whether their dates are read.
    """
    config: IndexConfig = (yield from ask(Configuration())).config
    named, date = config.documents, None
    date_field = named.date if dates else None
    if not ids or (named.title is None and date_field is None):
        return {}
    if date_field is not None:
        date = yield from ask(FindDateField(date_field, "date"))
    contexts = Contexts(config, date)
    documents: dict[Key, DocumentContext | None] = {}
    for start in range(0, len(ids), _IDS):
        keys = [(None, id) for id in ids[start : start + _IDS]]
        rows = yield from _rows_of(keys, contexts.parts)
        contexts.keep(rows)
        documents |= {row.key: contexts.context(row.key) for row in rows}
    return {key: document for key, document in documents.items() if document is not None}


def _rows_of(keys: Sequence[Key], parts: Parts) -> Steps[list[Row]]:
    ids = sorted({str(id) for _, id in keys})
    groups = [tuple(ids[start : start + _IDS]) for start in range(0, len(ids), _IDS)]
    found = yield from rows_of_ids([Find(Where(ids=some), parts, order=()) for some in groups])
    return [row for rows in found for row in rows]


def hit_conditions(
    documents: Sequence[QueryDocument], options: SearchOptions, contexts: Contexts
) -> Steps[list[Where]]:
    """Return which documents may be hits of each query: by filters, families, and its own id.

    Args:
        documents: The queries.
        options: Those of all.
        contexts: Reads the families of the queries.

    Raises:
        InputError: A query is a text, or a document without a family.
    """
    if options.family != "any":
        refs = [document.ref for document in documents if document.ref is not None]
        yield from contexts.read([ref.key for ref in refs])
    wheres = []
    for document in documents:
        where = Where(options.filters, excluded_ids=(*document.own_ids, *options.exclude))
        if options.family == "same":
            where = replace(where, families=(_required_family(document, contexts),))
        elif options.family == "other":
            where = replace(where, excluded_families=(_required_family(document, contexts),))
        wheres.append(where)
    return wheres


def _required_family(document: QueryDocument, contexts: Contexts) -> str:
    family = None if document.ref is None else contexts.family(document.ref.key)
    if family is None:
        what = "A text" if document.ref is None else f"Document {document.ref.id!r}"
        raise InputError(
            f"{what} has no version family, so that others cannot be chosen by it. Run "
            "`es-simhash families run` on the index, or set family to any.",
            parameter="family",
        )
    return family


def in_context(
    contexts: Contexts, queries: Sequence[QueryDocument], answers: Sequence[Sequence[Relation]]
) -> Steps[list[list[Relation]]]:
    """Return the relations of each query with what the index says of the hits.

    Args:
        contexts: Reads it, with one request for all.
        queries: The queries.
        answers: The relations of each.
    """
    hits = {(relation.index, relation.id) for relations in answers for relation in relations}
    yield from contexts.read(
        {*hits, *(query.ref.key for query in queries if query.ref is not None)}
    )
    return [
        [
            replace(
                relation,
                document=contexts.context((relation.index, relation.id)),
                direction=None
                if query.ref is None
                else contexts.direction(query.ref.key, (relation.index, relation.id)),
                fields=()
                if query.ref is None
                else contexts.evidence(query.ref.key, (relation.index, relation.id)),
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


def _compared(
    name: Literal["owner", "identifier"],
    path: str,
    query: Mapping[str, Any],
    hit: Mapping[str, Any],
) -> FieldEvidence:
    return field_evidence(name, path, get_values(query, path), get_values(hit, path))


def _first(source: Mapping[str, Any], path: str | None) -> str | None:
    """Return the first value of a field as a string; None without one."""
    values = () if path is None else get_values(source, path)
    found = next((value for value in values if isinstance(value, str | int | float)), None)
    return None if found is None else str(found)
