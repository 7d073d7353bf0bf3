"""A point in time of an index: its documents, the candidates of texts, the sizes of families."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.elasticsearch.candidates import shingle_clauses
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.paths import get_path
from es_simhash.store.source import stored_text, text_of

# Documents in one page of hits; their texts are analysed together.
PAGE = 200


@dataclass(frozen=True)
class FamilyDocument:
    """A document, without its text.

    Attributes:
        version: Where it is, and in which version it was read.
        content_hash: Stored hash of its text.
        family: Stored family; None without one.
        represents: Whether it is stored that it represents its family; None when nothing is.
        date: Its date, as the engine reads it; None without one.
    """

    version: DocumentVersion
    content_hash: str
    family: str | None
    represents: bool | None
    date: Date | None

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref


@dataclass(frozen=True)
class ReadDocument:
    """A document with its analysed text.

    Attributes:
        document: The document.
        text: Its text; None without words.
        is_current: False when the text is missing, or is not the one that was fingerprinted.
    """

    document: FamilyDocument
    text: AnalysedText | None
    is_current: bool


def source_fields(config: IndexConfig) -> list[str]:
    """Return the fields of `_source` that `read_documents` needs."""
    members = (fields.CONTENT_HASH, fields.FAMILY, fields.REPRESENTATIVE, fields.STATUS)
    return [*config.text_fields, *map(config.path, members)]


def read_documents(
    hits: Iterable[Mapping[str, Any]], config: IndexConfig, date_field: DateField | None
) -> Iterator[ReadDocument]:
    """Yield the documents of hits with their analysed texts.

    Args:
        hits: Hits with the fields of `source_fields`, `_seq_no`, and the requested date.
        config: Of the index.
        date_field: Field of the date; None when dates do not matter.
    """
    remaining = iter(hits)
    while page := list(islice(remaining, PAGE)):
        sources = [hit.get("_source", {}) for hit in page]
        contents = [stored_text(source, config.text_field) for source in sources]
        texts = TextAnalyser(config.scheme).analyse_each(content or "" for content in contents)
        for hit, source, content, text in zip(page, sources, contents, texts, strict=True):
            document = FamilyDocument(
                DocumentVersion.of_hit(hit),
                text_of(source, config.path(fields.CONTENT_HASH)) or "",
                text_of(source, config.path(fields.FAMILY)),
                get_path(source, config.path(fields.REPRESENTATIVE)),
                None if date_field is None else date_field.of_hit(hit),
            )
            if text is not None:
                is_current = text.content_hash == document.content_hash
            else:
                is_empty = text_of(source, config.path(fields.STATUS)) == fields.STATUS_EMPTY
                is_current = content is not None and is_empty
            yield ReadDocument(document, text, is_current)


# Candidates in one response; further responses exclude the texts that were seen.
CANDIDATES = 100
# Values of one terms query.
_TERMS = 500
# Each page of a composite aggregation reads all documents; 65,535 buckets is the server's limit.
_BUCKETS = 50_000


class IndexReader:
    """Reads the documents of an index as they are at one point in time.

    Use it in a `with` statement, which refreshes the index and opens the point in time.

    Args:
        gateway: To the cluster.
        index: Index, alias or data stream.
        config: Of the index, with its scheme.
        date_field: Field of the dates; None when they do not matter.
    """

    def __init__(
        self,
        gateway: Gateway,
        index: str,
        config: IndexConfig,
        date_field: DateField | None = None,
    ) -> None:
        self._gateway = gateway
        self._index = index
        self._config = config
        self._date_field = date_field
        self._point = gateway.point_in_time(index)

    def __enter__(self) -> "IndexReader":
        self._gateway.refresh(self._index)
        self._point.open()
        return self

    def __exit__(self, *error: object) -> None:
        self._point.close()

    @property
    def threshold(self) -> float:
        """Where versions begin in the index."""
        return self._config.versions_from

    def count(self) -> int:
        """Return the number of documents that have fingerprints of the scheme."""
        body = {"size": 0, "track_total_hits": True, "query": self._config.of_scheme}
        return int(self._point.search(body)["hits"]["total"]["value"])

    def all(self) -> Iterator[ReadDocument]:
        """Yield all documents that have fingerprints of the scheme."""
        yield from self._documents()

    def without_family(self) -> Iterator[ReadDocument]:
        """Yield the documents that have no family yet."""
        yield from self._documents(excluded={"exists": {"field": self._config.path(fields.FAMILY)}})

    def of_families(self, families: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents of some families."""
        yield from self._with_terms(fields.FAMILY, families)

    def of_texts(self, hashes: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents that have one of these texts."""
        yield from self._with_terms(fields.CONTENT_HASH, hashes)

    def of_ids(self, ids: Sequence[str]) -> Iterator[ReadDocument]:
        """Yield the documents that have one of these ids, in whatever index."""
        for start in range(0, len(ids), _TERMS):
            values = list(ids[start : start + _TERMS])
            yield from self._documents({"ids": {"values": values}})

    def _with_terms(self, member: str, terms: Sequence[str]) -> Iterator[ReadDocument]:
        path = self._config.path(member)
        for start in range(0, len(terms), _TERMS):
            yield from self._documents({"terms": {path: list(terms[start : start + _TERMS])}})

    def _documents(
        self,
        condition: Mapping[str, Any] | None = None,
        excluded: Mapping[str, Any] | None = None,
    ) -> Iterator[ReadDocument]:
        conditions = [self._config.of_scheme, *([condition] if condition else [])]
        body: dict[str, Any] = {
            "size": PAGE,
            "query": {"bool": {"filter": conditions, "must_not": [excluded] if excluded else []}},
            "_source": source_fields(self._config),
            "seq_no_primary_term": True,
        }
        if self._date_field is not None:
            body["docvalue_fields"] = [self._date_field.requested]
        yield from read_documents(self._point.hits(body), self._config, self._date_field)

    def family_sizes(self) -> dict[str, int]:
        """Return the number of documents of each family."""
        sizes: dict[str, int] = {}
        after: dict[str, Any] = {}
        source = {"family": {"terms": {"field": self._config.path(fields.FAMILY)}}}
        while True:
            composite = {"size": _BUCKETS, "sources": [source], **after}
            body = {"size": 0, "aggs": {"families": {"composite": composite}}}
            response = self._point.search({**body, "query": self._config.of_scheme})
            page = response["aggregations"]["families"]
            for bucket in page["buckets"]:
                sizes[bucket["key"]["family"]] = bucket["doc_count"]
            if "after_key" not in page:
                return sizes
            after = {"after": page["after_key"]}

    def candidates(
        self, texts: Sequence[AnalysedText], excluded: Mapping[str, Sequence[str]]
    ) -> list[list[DocumentRef]]:
        """Return, for each text, documents that share its shingles, the rarest first.

        Args:
            texts: The texts.
            excluded: Hashes of the texts to exclude, by the hash of the text of the query.
        """
        bodies = [self._candidate_body(text, excluded.get(text.content_hash, ())) for text in texts]
        return [
            [DocumentRef.of_hit(hit) for hit in response["hits"]["hits"]]
            for response in self._point.search_all(bodies)
        ]

    def _candidate_body(self, text: AnalysedText, excluded: Sequence[str]) -> dict[str, Any]:
        field, queried = self._config.simhash_field, text.queried_shingles
        hashes = [text.content_hash, *excluded]
        return {
            "size": CANDIDATES,
            "_source": False,
            "track_total_hits": False,
            "query": {
                "bool": {
                    "filter": [self._config.of_scheme],
                    "must_not": [{"terms": {self._config.path(fields.CONTENT_HASH): hashes}}],
                    **shingle_clauses(field, queried, len(text.shingles)),
                }
            },
        }
