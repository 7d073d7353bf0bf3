"""The searches for the documents of a family and those near it, and reading their hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.shared_shingles import sampled
from es_simhash.store import fields
from es_simhash.store.codec import shingles_of, stored_parts
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.shingle_clauses import shingle_clauses
from es_simhash.store.paths import get_path, get_values
from es_simhash.store.source import text_of

# Documents of one family that are read, and documents that are near one of them.
MAX_MEMBERS = 500
MAX_NEAR = 20
_NEWER = "newer"


@dataclass(frozen=True)
class StoredVersion:
    """A document by what is stored of it, without its text.

    Attributes:
        ref: Where it is.
        text: The stored parts of its text; None where there are none, as of one without words.
        family: Its family; None without one.
        represents: Whether it represents its family.
        title: Value of the field of titles; None without one.
        date: Its date, of several the latest; None without one.
        dates: How many dates it has.
        is_newer: Whether it is newer than the date of the search.
    """

    ref: DocumentRef
    text: AnalysedText | None
    family: str | None
    represents: bool
    title: str | None
    date: Date | None
    dates: int
    is_newer: bool

    @property
    def order(self) -> tuple[bool, Date, DocumentRef]:
        """Sorts documents by their dates, those without one last, and by their references."""
        return self.date is None, 0 if self.date is None else self.date, self.ref


@dataclass(frozen=True)
class FamilySearches:
    """Builds the searches and reads their hits.

    Attributes:
        config: Of the index.
        title_field: Field of the titles; None without one.
        date_field: Field of the dates; None without one.
        newer_than: A date of that field, as the engine reads it; None for all documents.
        filters: Elasticsearch queries that every document must match.
    """

    config: IndexConfig
    title_field: str | None = None
    date_field: DateField | None = None
    newer_than: str | None = None
    filters: tuple[Mapping[str, Any], ...] = ()

    def named(self, name: str) -> list[dict[str, Any]]:
        """Return two searches: for the document of an id, and for one of the family of a name."""
        by_id = self._body({"ids": {"values": [name]}}, MAX_NEAR)
        of_family = self._body(self._of_family(name), 1)
        return [by_id, {**of_family, "sort": [self._representative_first()]}]

    def date_check(self) -> dict[str, Any] | None:
        """Return a search that the engine rejects where it cannot read the date; None for none."""
        return None if self.newer_than is None else {"size": 0, "query": self._newer()}

    def members(self, family: str) -> dict[str, Any]:
        """Return the search for the documents of a family, the representative first."""
        query = {"bool": {"filter": [self._of_family(family)], "should": []}}
        if self.newer_than is not None:
            query["bool"]["should"].append(self._newer())
        sort: list[dict[str, Any]] = [self._representative_first()]
        if self.date_field is not None:
            newest = {"order": "desc", "mode": "max", "unmapped_type": "date"}
            sort.append({self.date_field.name: newest})
        body = self._body(query, MAX_MEMBERS)
        return {**body, "sort": sort, "track_total_hits": True}

    def near(self, text: AnalysedText, family: str) -> dict[str, Any]:
        """Return the search for documents of other families that share shingles with a text."""
        field, shingles = self.config.simhash_field, text.shingles
        query = {
            "bool": {
                "filter": [self.config.of_scheme],
                "must_not": [self._of_family(family)],
                **shingle_clauses(field, sampled(shingles), len(shingles)),
            }
        }
        return self._body(query, MAX_NEAR)

    def read(self, response: Mapping[str, Any]) -> list[StoredVersion]:
        """Return the documents of a response."""
        return [self._read(hit) for hit in response["hits"]["hits"]]

    def _body(self, query: Mapping[str, Any], size: int) -> dict[str, Any]:
        members = (fields.SHINGLES, fields.CONTENT_HASH, fields.FAMILY, fields.REPRESENTATIVE)
        titles = [] if self.title_field is None else [self.title_field]
        dates = [] if self.date_field is None else [self.date_field.requested]
        return {
            "size": size,
            "_source": [*map(self.config.path, members), *titles],
            "docvalue_fields": [*map(self.config.path, fields.SCORED_MEMBERS), *dates],
            "track_total_hits": False,
            "query": self._filtered(query),
        }

    def _filtered(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a query with the filters, which change nothing else of it."""
        if not self.filters:
            return query
        return {"bool": {"must": [query], "filter": list(self.filters)}}

    def _of_family(self, name: str) -> dict[str, Any]:
        return {"term": {self.config.path(fields.FAMILY): name}}

    def _representative_first(self) -> dict[str, Any]:
        return {self.config.path(fields.REPRESENTATIVE): {"order": "desc"}}

    def _newer(self) -> dict[str, Any]:
        assert self.date_field is not None
        return {"range": {self.date_field.name: {"gt": self.newer_than, "_name": _NEWER}}}

    def _read(self, hit: Mapping[str, Any]) -> StoredVersion:
        source = hit.get("_source", {})
        values = hit.get("fields", {})
        date_field = self.date_field
        return StoredVersion(
            DocumentRef.of_hit(hit),
            self._text(source, values),
            text_of(source, self.config.path(fields.FAMILY)),
            get_path(source, self.config.path(fields.REPRESENTATIVE)) is True,
            _title(source, self.title_field),
            None if date_field is None else date_field.of_hit(hit),
            0 if date_field is None else len(values.get(date_field.name) or ()),
            self.newer_than is None or _NEWER in hit.get("matched_queries", ()),
        )

    def _text(
        self, source: Mapping[str, Any], values: Mapping[str, Sequence[str]]
    ) -> AnalysedText | None:
        parts = stored_parts(values, self.config.simhash_field)
        content_hash = text_of(source, self.config.path(fields.CONTENT_HASH))
        terms = get_path(source, self.config.path(fields.SHINGLES))
        if parts is None or content_hash is None or not isinstance(terms, list):
            return None
        return AnalysedText.of_parts(content_hash, shingles_of(terms), *parts)


def _title(source: Mapping[str, Any], field: str | None) -> str | None:
    """Return the first value of the field of titles; None without one."""
    if field is None:
        return None
    return next((str(value) for value in get_values(source, field) if value is not None), None)
