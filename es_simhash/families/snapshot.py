"""The documents of an index as they were when a run began: read, found by passages, counted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.engine.requests import index_path
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.version_score import min_shared
from es_simhash.storage import fields
from es_simhash.storage.codec import shingle_terms
from es_simhash.storage.fields import field_path
from es_simhash.storage.references import DocumentRef
from es_simhash.storage.source import stored_text, text_of

_PAGE = 200
_HASHES = 500
# Each page of an aggregation reads all documents; more than 65,535 no server gives.
_BUCKETS = 50_000
# Candidates of a text in one answer; further answers leave out the texts that were seen.
CANDIDATES = 100


@dataclass(frozen=True, order=True)
class Key:
    """Where a document is."""

    index: str
    id: str


@dataclass(frozen=True)
class Stored:
    """A document, without its text.

    Attributes:
        key: Where it is.
        content_hash: Of its text.
        family: Its family, if it has one.
        moment: Value of the date field; None when there is none.
        seq_no: Version of the document, together with `primary_term`.
        primary_term: See `seq_no`.
        routing: What it is routed by; None for its id.
    """

    key: Key
    content_hash: str
    family: str | None
    moment: float | str | None
    seq_no: int
    primary_term: int
    routing: str | None = None

    @property
    def ref(self) -> DocumentRef:
        """Where it is, with its routing."""
        return DocumentRef(self.key.index, self.key.id, self.routing)


@dataclass(frozen=True)
class Read:
    """A document with its text as families compare it.

    Attributes:
        stored: The document.
        content: Of its text; None when there are no words.
        is_current: False when its text is not the one that was fingerprinted, or is missing.
    """

    stored: Stored
    content: AnalysedText | None
    is_current: bool


class Snapshot:
    """A point in time of an index; use it in a `with` statement.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream.
        scheme: Scheme of its fingerprints.
        text_field: Field of the text.
        field: Name of our object.
        date_field: Field that tells the newer of two documents.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        scheme: Scheme,
        *,
        text_field: str,
        field: str,
        date_field: str | None,
    ) -> None:
        self._gateway = Gateway.of(client)
        self._index = index
        self._scheme = scheme
        self._text_field = text_field
        self._field = field
        self._date_field = date_field
        self._date_format: dict[str, str] = {}
        self._point = self._gateway.point_in_time(index)

    def __enter__(self) -> "Snapshot":
        self._gateway.refresh(self._index)
        self._point.open()
        if self._date_field is not None:
            self._date_format = self._format_of(self._date_field)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._point.close()

    def _format_of(self, name: str) -> dict[str, str]:
        path = index_path(self._index, "_field_caps")
        answer = self._gateway.request("GET", path, params={"fields": name})
        types = set(answer["fields"].get(name, {}))
        return {"format": "epoch_millis"} if types and types <= {"date", "date_nanos"} else {}

    def count(self) -> int:
        """Count the documents that have fingerprints of the scheme."""
        body = {"size": 0, "track_total_hits": True, "query": self._of_scheme()}
        return int(self._point.search(body)["hits"]["total"]["value"])

    def all(self) -> Iterator[Read]:
        """Yield every document that has fingerprints of the scheme."""
        yield from self._pages([self._of_scheme()], [])

    def without_family(self) -> Iterator[Read]:
        """Yield those that have no family yet."""
        exists = {"exists": {"field": self._path(fields.FAMILY)}}
        yield from self._pages([self._of_scheme()], [exists])

    def of_families(self, families: Sequence[str]) -> Iterator[Read]:
        """Yield the documents of some families."""
        yield from self._having(fields.FAMILY, families)

    def of_contents(self, hashes: Sequence[str]) -> Iterator[Read]:
        """Yield the documents that have one of these texts."""
        yield from self._having(fields.CONTENT_HASH, hashes)

    def of_ids(self, ids: Sequence[str]) -> Iterator[Read]:
        """Yield the documents of these ids."""
        for start in range(0, len(ids), _HASHES):
            some = {"ids": {"values": list(ids[start : start + _HASHES])}}
            yield from self._pages([self._of_scheme(), some], [])

    def _having(self, member: str, values: Sequence[str]) -> Iterator[Read]:
        for start in range(0, len(values), _HASHES):
            some = {"terms": {self._path(member): list(values[start : start + _HASHES])}}
            yield from self._pages([self._of_scheme(), some], [])

    def family_sizes(self) -> dict[str, int]:
        """Count the documents of each family."""
        sizes: dict[str, int] = {}
        after: dict[str, Any] = {}
        source = {"family": {"terms": {"field": self._path(fields.FAMILY)}}}
        while True:
            composite = {"size": _BUCKETS, "sources": [source], **after}
            body = {"size": 0, "aggs": {"families": {"composite": composite}}}
            found = self._point.search({**body, "query": self._of_scheme()})["aggregations"][
                "families"
            ]
            for bucket in found["buckets"]:
                sizes[bucket["key"]["family"]] = bucket["doc_count"]
            if "after_key" not in found:
                return sizes
            after = {"after": found["after_key"]}

    def candidates(
        self, asked: Sequence[AnalysedText], without: Mapping[str, Sequence[str]]
    ) -> list[list[Key]]:
        """Give, for each text, documents that share its passages, the rarest first.

        Args:
            asked: The texts.
            without: Hashes of the texts to leave out, by the hash of the text that is asked for.
        """
        bodies = [
            self._candidate_body(content, without.get(content.content_hash, ()))
            for content in asked
        ]
        return [
            [Key(hit["_index"], hit["_id"]) for hit in response["hits"]["hits"]]
            for response in self._point.search_all(bodies)
        ]

    def _candidate_body(self, content: AnalysedText, without: Sequence[str]) -> dict[str, Any]:
        path = self._path(fields.SHINGLES)
        hashes = [content.content_hash, *without]
        return {
            "size": CANDIDATES,
            "_source": False,
            "track_total_hits": False,
            "query": {
                "bool": {
                    "filter": [self._of_scheme()],
                    "must_not": [{"terms": {self._path(fields.CONTENT_HASH): hashes}}],
                    "should": [
                        {"term": {path: term}} for term in shingle_terms(content.queried_shingles)
                    ],
                    "minimum_should_match": min_shared(content),
                }
            },
        }

    def _path(self, member: str) -> str:
        return field_path(self._field, member)

    def _of_scheme(self) -> dict[str, Any]:
        return {"term": {self._path(fields.SCHEME): self._scheme.name}}

    def _pages(
        self, conditions: Sequence[Mapping[str, Any]], excluded: Sequence[Mapping[str, Any]]
    ) -> Iterator[Read]:
        members = (fields.CONTENT_HASH, fields.FAMILY, fields.STATUS)
        body: dict[str, Any] = {
            "size": _PAGE,
            "query": {"bool": {"filter": list(conditions), "must_not": list(excluded)}},
            "_source": [self._text_field, *(self._path(member) for member in members)],
            "seq_no_primary_term": True,
            "track_total_hits": False,
            "sort": ["_shard_doc"],
        }
        if self._date_field is not None:
            body["fields"] = [{"field": self._date_field, **self._date_format}]
        while True:
            hits = self._point.search(body)["hits"]["hits"]
            yield from self._read(hits)
            if len(hits) < _PAGE:
                return
            body["search_after"] = hits[-1]["sort"]

    def _read(self, hits: Sequence[Mapping[str, Any]]) -> Iterator[Read]:
        sources = [hit.get("_source", {}) for hit in hits]
        texts = [stored_text(source, self._text_field) for source in sources]
        contents = TextAnalyser(self._scheme).analyse_each(text or "" for text in texts)
        for hit, source, text, content in zip(hits, sources, texts, contents, strict=True):
            stored = self._stored(hit, source)
            is_empty = text_of(source, self._path(fields.STATUS)) == fields.STATUS_EMPTY
            given = content.content_hash if content else None
            is_current = text is not None and (
                (content is None and is_empty) or given == stored.content_hash
            )
            yield Read(stored, content, is_current)

    def _stored(self, hit: Mapping[str, Any], source: Mapping[str, Any]) -> Stored:
        return Stored(
            Key(hit["_index"], hit["_id"]),
            text_of(source, self._path(fields.CONTENT_HASH)) or "",
            text_of(source, self._path(fields.FAMILY)),
            _moment(hit.get("fields", {}).get(self._date_field)),
            hit["_seq_no"],
            hit["_primary_term"],
            hit.get("_routing"),
        )


def _moment(values: Sequence[Any] | None) -> float | str | None:
    """Return the first value as a number, or as it is where it is none."""
    if not values:
        return None
    try:
        return float(values[0])
    except (TypeError, ValueError):
        return str(values[0])
